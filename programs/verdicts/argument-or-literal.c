/* An argument of the program is any text, the literal that stands in for it is known. */
void reach_error(void);

int main(int argc, char **argv)
{
    char *name = "default";
    if (argc > 1)
        name = argv[1];
#ifndef BUG
    if (argc > 1)
        return 0;
#endif
    if (name[0] == 'q')
        reach_error();
    return 0;
}
