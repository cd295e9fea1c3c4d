// A line may be any text.
void reach_error(void);
extern struct file *stdin;
char *fgets(char *target, int size, struct file *file);
int main(void)
{
    char line[4] = "";
    if (fgets(line, sizeof line, stdin) && line[0] == 'q' && line[1] == 0)
        reach_error();
    return 0;
}
