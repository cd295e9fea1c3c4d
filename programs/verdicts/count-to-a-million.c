// A loop whose interpolants only count: the invariant is the bound.
void reach_error(void);
#define BOUND 1000000
int main(void)
{
    int steps;
    for (steps = 0; steps < BOUND; steps++)
        ;
    if (steps != BOUND)
        reach_error();
    return 0;
}
