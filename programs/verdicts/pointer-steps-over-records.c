/* Steps over records keep to their members. */
extern void reach_error(void);

struct trio {
    int a, b, c;
};
static struct trio cells[3];

int main(void)
{
    for (struct trio *p = cells; p < cells + 3; p++) {
        p->a = 1;
        p->b = 2;
        p->c = 3;
    }
    if (cells[1].b != 2)
        reach_error();
    return 0;
}
