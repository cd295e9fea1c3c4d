/* Another thread could change anything. */
#include <assert.h>
#include <pthread.h>
int shared;
void *run(void *given) {
  shared = 1;
  return given;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  assert(shared == 0);
  return 0;
}
