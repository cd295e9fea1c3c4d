// Where objects lie is open: the interpreter puts them high, a compiler low. A violation that rests on it is none.
extern void reach_error(void);

static int object;

int main(void)
{
    if ((unsigned long)&object > 0x10000000ul)
        reach_error();
    return 0;
}
