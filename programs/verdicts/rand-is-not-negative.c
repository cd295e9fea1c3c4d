// C: rand gives 0 to RAND_MAX.
void reach_error(void);
int rand(void);
int main(void)
{
    if (rand() < 0)
        reach_error();
    return 0;
}
