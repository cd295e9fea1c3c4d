// Feature: goto into block.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int x = 1;
    goto in; {
        int y;
        x = 5;
 in:   y = x + 1;
        CHECK(y == 2);
    } return 0;
}
