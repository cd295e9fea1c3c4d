// A definition in the program wins over what a tool means by the name.
static int calls;
void __CPROVER_assert(int condition, const char *text)
{
    calls++;
}
void reach_error(void);
int main(void)
{
    __CPROVER_assert(0, "nothing happens");
    if (calls != 1)
        reach_error();
    return 0;
}
