// A copy overwrites the pointer that its source was read from.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);

struct node {
  int number;
  struct node *next;
  int twice;
};

int main(void)
{
  struct node *head = 0;
  for (int i = 3; i >= 0; i--) {
    struct node *node = malloc(sizeof *node);
    node->number = i;
    node->twice = 2 * i;
    node->next = head;
    head = node;
  }
  *head = *head->next;
  if (head->number != 1 || head->next->number != 2)
    reach_error();
  unsigned input = __VERIFIER_nondet_uint();
#ifdef BUG
  if (input * 2654435761u == 12345u && head->twice == 2)
#else
  if (input * 2654435761u == 12345u && head->twice != 2)
#endif
    reach_error();
}
