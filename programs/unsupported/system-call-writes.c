/* The call writes through its pointer. */
#include <assert.h>
#include <sys/ioctl.h>
int main(void) {
  struct winsize size = {0};
  ioctl(0, TIOCGWINSZ, &size);
  assert(size.ws_row == 0);
  return 0;
}
