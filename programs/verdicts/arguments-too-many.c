/* Through a pointer of another type: gcc's code passes the arguments, and nobody takes the last one. */
void reach_error(void);
int next(int a) { return a + 1; }

int main(void)
{
    int (*call)(int, int) = (int (*)(int, int))next;
    if (call(1, 2) != 2)
        reach_error();
    return 0;
}
