/* There may be several. */
void reach_error(void);

int main(int argc, char **argv)
{
    if (argc > 1000)
        reach_error();
    return 0;
}
