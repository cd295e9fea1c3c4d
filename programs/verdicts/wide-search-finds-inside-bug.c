// What `wcsstr` finds lies in its argument.
#include <assert.h>
#include <wchar.h>

int main(void) {
    wchar_t text[] = L"abc";
    *wcsstr(text, L"b") = L'x';
    assert(text[1] == L'b');
    return 0;
}
