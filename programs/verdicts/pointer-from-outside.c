// A pointer from outside may point to memory that is none of the program's.
void reach_error(void);

struct node { int value; struct node *next; };
extern struct node *first(void);

int main(void)
{
    struct node *node = first();
    if (node == 0 || node->next == 0)
        return 0;
    node->value = 1;
    if (node->next->value == 7)
        reach_error();
    return 0;
}
