// Feature: computed goto.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    void *t[] = { &&a, &&b, &&c };
    int i = 1, r = 0;
    goto *t[i];
 a:r = 1;
    goto d;
 b:r = 2;
    goto d;
 c:r = 3;
 d:CHECK(r == 2);
    return 0;
}
