// Feature: char signedness.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    char c = 200;
    CHECK(c == -56);
    unsigned char u = c;
    CHECK(u == 200);
    CHECK((char)0x1ff == -1);
    return 0;
}
