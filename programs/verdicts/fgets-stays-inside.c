// No more than the size is written, and the text is terminated.
void reach_error(void);
extern struct file *stdin;
char *fgets(char *target, int size, struct file *file);
int main(void)
{
    char line[4] = "abc";
    char guard = 7;
    if (fgets(line, 2, stdin) && (line[1] != 0 && line[0] != 0 || line[2] != 'c'))
        reach_error();
    if (guard != 7)
        reach_error();
    return 0;
}
