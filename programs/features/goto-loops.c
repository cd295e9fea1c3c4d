// Feature: goto loops.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int i = 0;
 again:i++;
    if (i < 5)
        goto again;
    goto end;
    i = 100;
 end:CHECK(i == 5);
    return 0;
}
