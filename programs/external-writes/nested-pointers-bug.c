/* What an object points to can be reached through it. */
void reach_error(void);
struct node { struct node *next; int value; };
void visit(struct node *list);

int main(void)
{
    struct node last = {0, 1}, first = {&last, 2};
    visit(&first);
    if (last.value != 1)
        reach_error();
    return 0;
}
