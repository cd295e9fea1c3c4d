// What `wcsstr` finds lies in its argument.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <wchar.h>

int main(void) {
    wchar_t text[] = L"abc";
    *wcsstr(text, L"b") = L'x';
    CHECK(text[1] == L'b');
    return 0;
}
