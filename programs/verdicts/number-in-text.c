/* `strtod` rounds as IEEE says, and tells where the number ends. */
void reach_error(void);
double strtod(const char *, char **);

int main(void)
{
    const char *text = "2.5x";
    char *end;
    if (strtod(text, &end) != 2.5 || end != text + 3)
        reach_error();
    return 0;
}
