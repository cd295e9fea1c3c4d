// Feature: scopes.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int x = 1;
int main(void)
{
    int x = 2; {
        int x = 3; {
            extern int x;
            CHECK(x == 1);
        } CHECK(x == 3);
    } CHECK(x == 2);
    return 0;
}
