// Needle.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    if ((x ^ 0x5bd1e995u) * 2654435761u == 0x12345678u)
        reach_error();
    return 0;
}
