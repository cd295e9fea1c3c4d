// Feature: string literals.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    char *s = "abc";
    char t[] = "xy\0z";
    CHECK(s[1] == 98 && s[3] == 0 && sizeof t == 5 && t[3] == 122);
    return 0;
}
