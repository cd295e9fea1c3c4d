// Equal string literals may be one object or two.
void reach_error(void);

int main(void)
{
    const char *p = "literal", *q = "literal";
    if (p == q)
        reach_error();
    return 0;
}
