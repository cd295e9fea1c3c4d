// A struct with a tag inside a struct declares a type, but no member; one without a tag is a member.
void reach_error(void);
struct outer {
    int a;
    struct inner { int b, c; };
    union tagged { long x; };
    struct { int d; };
    enum colour { RED, GREEN };
    int e;
};
int main(void)
{
    struct outer o = {1, {2}, 3};
    struct inner i = {4, 5};
    if (sizeof o != 12 || o.a != 1 || o.d != 2 || o.e != 3 || i.c != 5 || GREEN != 1)
        reach_error();
    return 0;
}
