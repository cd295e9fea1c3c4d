/* glibc writes a word for a text that is not there, or nothing if it does not fit. */
void reach_error(void);
int sprintf(char *, const char *, ...);
int strcmp(const char *, const char *);

int main(void)
{
    char text[20];
    const char *nothing = 0;
    if (sprintf(text, "<%s>", nothing) != 8 || strcmp(text, "<(null)>") != 0)
        reach_error();
    if (sprintf(text, "<%.5s>", nothing) != 2)
        reach_error();
    return 0;
}
