// As many bytes as the number says, and no more.
void reach_error(void);
unsigned int __VERIFIER_nondet_uint(void);
void *memcpy(void *target, const void *source, unsigned int size);
void *memset(void *target, int byte, unsigned int size);
int main(void)
{
    char to[8], from[8];
    unsigned int n = __VERIFIER_nondet_uint();
    memset(to, 1, sizeof to);
    memset(from, 2, sizeof from);
    if (n == 0 || n >= 8)
        return 0;
    memcpy(to, from, n);
    if (to[0] != 2 || to[n - 1] != 2 || to[n] != 1)
        reach_error();
    memset(to, 3, n);
    if (to[n - 1] != 3 || to[n] != 1)
        reach_error();
    return 0;
}
