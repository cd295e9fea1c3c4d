// Feature: statement expressions.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int x = ({ int a = 3;
             int b = 4;
             a * b;
             });
    CHECK(x == 12);
    return 0;
}
