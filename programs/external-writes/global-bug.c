/* Other translation units can name it. */
void reach_error(void);
void step(void);
int state = 1;

int main(void)
{
    step();
    if (state != 1)
        reach_error();
    return 0;
}
