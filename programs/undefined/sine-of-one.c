/* Nothing is known of the result here, but the function determines it: no violation may rest on a guess. */
void reach_error(void);
double sin(double);

int main(void)
{
    if (sin(1.0) > 0.9)
        reach_error();
    return 0;
}
