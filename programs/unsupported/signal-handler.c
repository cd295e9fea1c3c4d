/* A handler may run between any two steps. */
#include <assert.h>
#include <signal.h>
volatile int seen;
void handle(int number) { seen = number; }
int main(void) {
  signal(SIGINT, handle);
  raise(SIGINT);
  assert(seen == 0);
  return 0;
}
