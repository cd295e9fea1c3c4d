/* Some variables of the library have known values when the program starts. */
void reach_error(void);
struct file;
extern int optind, opterr, optopt;
extern char *optarg;
extern struct file *stdin, *stdout;

int main(void)
{
    if (optind != 1 || opterr != 1 || optopt != '?' || optarg)
        reach_error();
    if (!stdin || stdin == stdout)
        reach_error();
    return 0;
}
