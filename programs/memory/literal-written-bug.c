/* A string literal is written. */
int main(void)
{
    char *s = "abc";
    s[0] = 0;
    return 0;
}
