// A lock that was left can be taken again.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    CHECK(count == 1);
    return 0;
}
