// A copy may reach the last byte.
void reach_error(void);
unsigned int __VERIFIER_nondet_uint(void);
void *memcpy(void *target, const void *source, unsigned int size);
int main(void)
{
    char to[8] = {0}, from[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    memcpy(to, from, __VERIFIER_nondet_uint());
    if (to[7])
        reach_error();
    return 0;
}
