// What these functions find lies in their argument.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <wchar.h>

int main(void) {
    wchar_t text[] = L"abca";
    CHECK(wcsstr(text, L"ca") == text + 2 && wcsstr(text, L"") == text && !wcsstr(text, L"x"));
    CHECK(wcspbrk(text, L"xc") == text + 2 && wcsspn(text, L"ba") == 2 && wcscspn(text, L"c") == 2);
    return 0;
}
