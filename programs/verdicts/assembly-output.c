// Whatever the assembly computes, it changes nothing but its output.
void reach_error(void);

int state = 1;

int main(void)
{
    unsigned flags = 0;
    asm volatile("pushf ; pop %0" : "=r"(flags));
    if (flags > 100)
        flags = 100;
    if (state != 1 || flags > 100)
        reach_error();
    return 0;
}
