/* One half more. */
void reach_error(void);
double strtod(const char *, char **);

int main(void)
{
    if (strtod("2.5", 0) != 2.0)
        reach_error();
    return 0;
}
