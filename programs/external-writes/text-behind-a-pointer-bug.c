/* What is written to a pointer may lead outside, whatever was there before. */
void reach_error(void);
void change(const char **text);

int main(void)
{
    const char *text = "abc";
    change(&text);
    if (text && text[0] == 'x')
        reach_error();
    return 0;
}
