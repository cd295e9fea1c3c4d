/* The sine is not computed here, and the violation does not depend on it. */
void reach_error(void);
double sin(double);

int main(void)
{
    double unused = sin(1.0);
    reach_error();
    return 0;
}
