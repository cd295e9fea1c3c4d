/* ... and a violation needs no more than that. */
void reach_error(void);
int strcmp(const char *, const char *);
int isalpha(int);

int main(void)
{
    if (strcmp("a", "c") < 0 && isalpha('q'))
        reach_error();
    return 0;
}
