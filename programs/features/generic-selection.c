// Feature: generic selection.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#define K(x) _Generic((x),int:1,double:2,char*:3,default:4)
int main(void)
{
    CHECK(K(1) == 1 && K(1.0) == 2 && K("a") == 3 && K(1u) == 4);
    return 0;
}
