#include <assert.h>
#include <wchar.h>
int main(void) {
  wchar_t text[4];
  wcscpy(text, L"abc");
  assert(text[0] != L'a');
  return 0;
}
