// Uninitialised.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int x;
    CHECK(x != 77);
    return 0;
}
