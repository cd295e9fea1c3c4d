/* C does not fix this result; glibc's is -2. */
void reach_error(void);
int strcmp(const char *, const char *);

int main(void)
{
    if (strcmp("a", "c") == -1)
        reach_error();
    return 0;
}
