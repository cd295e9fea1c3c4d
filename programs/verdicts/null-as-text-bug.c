/* The execution goes on behind a text that is not there. */
void reach_error(void);
int sprintf(char *, const char *, ...);

int main(void)
{
    char text[20];
    const char *nothing = 0;
    sprintf(text, "<%s>", nothing);
    reach_error();
    return 0;
}
