// The bound is compared at the head, and what holds of it inside: predicates that count never come to the end.
extern void reach_error(void);

int main(void)
{
    int steps;
    for (steps = 0; steps != 1000000; steps++) {
        if (steps > 1000000)
            reach_error();
    }
    return 0;
}
