/* An object that is const is never written. */
void reach_error(void);
void look(const int *p);
const int limit = 7;

int main(void)
{
    look(&limit);
    if (limit != 7)
        reach_error();
    return 0;
}
