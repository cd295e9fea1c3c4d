/* An assumption, whether or not somebody looks at the arguments themselves. */
void reach_error(void);

int main(int argc, char **argv)
{
    if (argc > 100000)
        reach_error();
    return 0;
}
