/* Executes `program_main` once for every combination of inputs, each in a process of its own, and prints what it
   observed: pairs of values, one in a line, then "done" and the number of executions and of failed assertions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DIGITS = 64, PAIRS = 1 << 16, EXECUTIONS = 3000, SECONDS = 5 };
enum { UNFAIR = 9 };

static struct {
    int used;
    int digit[DIGITS], width[DIGITS];
    int pairs, failures;
    long long pair[PAIRS][2];
} *shared;

int program_main(void);

long long opponents_choose(long long low, long long high)
{
    int place = shared->used++;
    if (place >= DIGITS)
        _exit(UNFAIR);
    shared->width[place] = (int)(high - low + 1);
    return low + shared->digit[place];
}

void opponents_observe(long long a, long long b, int holds)
{
    if (!holds) {
        shared->failures++;
        _exit(0);
    }
    int last = shared->pairs - 1;
    if (last >= 0 && shared->pair[last][0] == a && shared->pair[last][1] == b)
        return;
    if (shared->pairs == PAIRS)
        _exit(UNFAIR);
    shared->pair[shared->pairs][0] = a;
    shared->pair[shared->pairs++][1] = b;
}

int main(void)
{
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    for (int executions = 1; executions <= EXECUTIONS; executions++) {
        shared->used = 0;
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child == 0) {
            alarm(SECONDS);
            program_main();
            _exit(0);
        }
        int status;
        if (waitpid(child, &status, 0) != child)
            return 1;
        /* A division by zero ends an execution; everything else is no fair program. */
        if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGFPE : WEXITSTATUS(status) != 0)
            return UNFAIR;
        int place = shared->used;
        while (place > 0 && shared->digit[place - 1] + 1 == shared->width[place - 1])
            place--;
        for (int later = place; later < DIGITS; later++)
            shared->digit[later] = 0;
        if (place == 0) {
            for (int i = 0; i < shared->pairs; i++)
                printf("%lld %lld\n", shared->pair[i][0], shared->pair[i][1]);
            printf("done %d %d\n", executions, shared->failures);
            return 0;
        }
        shared->digit[place - 1]++;
    }
    return UNFAIR;
}
