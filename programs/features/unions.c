// Feature: unions.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
union u {
    int i;
    unsigned char c[4];
};
int main(void)
{
    union u x;
    x.i = 0x01020304;
    CHECK(x.c[0] == 4 && x.c[3] == 1);
    x.c[1] = 0xff;
    CHECK(x.i == 0x0102ff04);
    return 0;
}
