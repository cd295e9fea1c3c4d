// The struct has one member: `struct inner` is only declared in it.
void reach_error(void);
struct outer {
    int a;
    struct inner { int b; };
};
int main(void)
{
    if (sizeof(struct outer) == 4)
        reach_error();
    return 0;
}
