// sprintf changes the buffer, so that the error is reached.
void reach_error(void);
int sprintf(char *target, const char *format, ...);
int main(void)
{
    char text[8] = "aaaaaaa";
    sprintf(text, "%d", 7);
    if (text[0] == '7' && text[1] == 0)
        reach_error();
    return 0;
}
