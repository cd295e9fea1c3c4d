// What these functions find lies in their argument.
#include <assert.h>
#include <wchar.h>

int main(void) {
    wchar_t text[] = L"abca";
    assert(wcsstr(text, L"ca") == text + 2 && wcsstr(text, L"") == text && !wcsstr(text, L"x"));
    assert(wcspbrk(text, L"xc") == text + 2 && wcsspn(text, L"ba") == 2 && wcscspn(text, L"c") == 2);
    return 0;
}
