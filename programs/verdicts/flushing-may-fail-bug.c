/* The compiled program's output does not fail, which does not make the violation wrong. */
void reach_error(void);
struct file;
extern struct file *stdout;
int fflush(struct file *);

int main(void)
{
    if (fflush(stdout) != 0)
        reach_error();
    return 0;
}
