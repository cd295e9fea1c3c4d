/* The call is made: what lies behind it is reached. */
void reach_error(void);
static int calls;
static void count(void) { calls++; }
static void (*table[2])(int);

int main(void)
{
    table[1] = (void (*)(int))count;
    table[1](7);
    if (calls == 1)
        reach_error();
    return 0;
}
