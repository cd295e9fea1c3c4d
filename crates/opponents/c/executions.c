/* Executes `program_main` with random inputs, or with those that are given, each time in a process of its own.
   `executions NUMBER SEED` tries random inputs and prints the first execution that calls the error function, with its
   inputs; `executions = VALUE…` takes these values. Ends with 42 if the error function was called. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#undef main

enum { REACHED = 42, EXHAUSTED = 43, SECONDS = 1, SHOWN = 32 };

static struct {
    int used;
    char text[SHOWN][40];
} *shared;
static char **given;
static uint64_t state;

int program_main();

/* Pointers to nested functions lead to code on the stack, and the sanitizer's own stack has no executable pages. */
#ifdef CODE_ON_THE_STACK
#define STACK "detect_stack_use_after_return=0"
#else
#define STACK "detect_stack_use_after_return=1"
#endif

/* Where the sanitizer stops a program, its execution is over: so is the verifier's. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0:" STACK ":allocator_may_return_null=1:"
           "halt_on_error=1:exitcode=1:print_summary=0";
}

void reach_error(void) { _exit(REACHED); }
void __VERIFIER_error(void) { _exit(REACHED); }
void __VERIFIER_assume(int holds) { if (!holds) _exit(0); }

static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Small numbers, limits, and anything. */
static long long random_integer(void)
{
    static const long long limits[] = { 0, 1, -1, 127, 128, 255, 32767, 65535, 2147483647, -2147483648LL,
                                        4294967295LL, 1000000, 100, 10 };
    switch (next() % 8) {
    case 0: return limits[next() % (sizeof limits / sizeof *limits)];
    case 1: return (long long)next();
    case 2: return -(long long)(next() % 20);
    case 3: return (long long)(next() % 1000);
    default: return (long long)(next() % 12);
    }
}

static long long integer(void)
{
    if (given) {
        if (!*given)
            _exit(EXHAUSTED);
        char *text = *given++;
        return text[0] == '-' ? strtoll(text, 0, 0) : (long long)strtoull(text, 0, 0);
    }
    long long value = random_integer();
    if (shared->used < SHOWN)
        snprintf(shared->text[shared->used], sizeof shared->text[0], "%lld", value);
    shared->used++;
    return value;
}

static double real(void)
{
    if (given) {
        if (!*given)
            _exit(EXHAUSTED);
        return strtod(*given++, 0);
    }
    static const double some[] = { 0, -0.0, 1, -1, 0.5, 0.1, 1e-30, 1e30, 16777217, 3.4e38, 1e300, 2, 10 };
    double value = next() % 3 ? some[next() % (sizeof some / sizeof *some)] : (double)random_integer() / 8;
    if (shared->used < SHOWN)
        snprintf(shared->text[shared->used], sizeof shared->text[0], "%a", value);
    shared->used++;
    return value;
}

#define INPUT(name, type) type __VERIFIER_nondet_##name(void) { return (type)integer(); }
INPUT(bool, _Bool)
INPUT(char, char)
INPUT(schar, signed char)
INPUT(uchar, unsigned char)
INPUT(short, short)
INPUT(ushort, unsigned short)
INPUT(int, int)
INPUT(uint, unsigned)
INPUT(unsigned, unsigned)
INPUT(long, long)
INPUT(ulong, unsigned long)
INPUT(longlong, long long)
INPUT(ulonglong, unsigned long long)
INPUT(size_t, size_t)
float __VERIFIER_nondet_float(void) { return (float)real(); }
double __VERIFIER_nondet_double(void) { return real(); }

int main(int count, char **arguments)
{
    static char *none[] = { "program", 0 };
    freopen("/dev/null", "w", stderr);
    if (count > 1 && strcmp(arguments[1], "=") == 0) {
        given = arguments + 2;
        alarm(SECONDS);
        program_main(1, none);
        return 0;
    }
    shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || count < 3)
        return 2;
    int wanted = atoi(arguments[1]), unfinished = 0;
    for (int execution = 0; execution < wanted; execution++) {
        shared->used = 0;
        state = strtoull(arguments[2], 0, 10) * 1000003 + execution;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            freopen("/dev/null", "w", stdout);
            program_main(1, none);
            _exit(0);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 2;
        if (WIFEXITED(status) && WEXITSTATUS(status) == REACHED) {
            for (int i = 0; i < shared->used && i < SHOWN; i++)
                printf("%s ", shared->text[i]);
            printf("\n");
            fflush(stdout);
            _exit(REACHED);
        }
        /* Without inputs all executions are the same, and a few endless ones are enough. */
        if (shared->used == 0 || (WIFSIGNALED(status) && ++unfinished == 2))
            break;
    }
    fflush(stdout);
    _exit(0);
}
