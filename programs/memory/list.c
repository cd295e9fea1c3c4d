/* A list of three nodes, freed from its head. */
#include <stdlib.h>
struct node { struct node *next; };
int main(void)
{
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        list = n;
    }
    while (list) {
#ifdef BUG
        free(list);
        list = list->next;
#else
        struct node *next = list->next;
        free(list);
        list = next;
#endif
    }
    return 0;
}
