#include <wchar.h>

void reach_error(void);

int main(void) {
    wchar_t text[8] = L"abc";
    wmemset(text, L'x', 2);
    if (!(text[1] == L'b'))
        reach_error();
    return 0;
}
