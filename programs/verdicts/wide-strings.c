#include <wchar.h>

void reach_error(void);

int main(void) {
    wchar_t text[8];
    wcscpy(text, L"abc");
    wcscat(text, L"d");
    if (!(wcslen(text) == 4 && text[3] == L'd' && wcschr(text, L'b') == text + 1))
        reach_error();
    return 0;
}
