/* C promises it of the array that `main` gets. */
void reach_error(void);

int main(int argc, char **argv)
{
    if (argc > 2 && argv[2] == 0 || argv[argc] != 0)
        reach_error();
    return 0;
}
