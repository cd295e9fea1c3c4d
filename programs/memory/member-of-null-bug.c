/* A member of a record that is not there. */
struct pair { int first, second; };
int main(void)
{
    struct pair *p = 0;
    return p->second;
}
