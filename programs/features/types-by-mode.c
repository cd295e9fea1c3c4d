// The attribute mode decides the size, also of enums.
void reach_error(void);
enum small { A = 1, B = 200 } __attribute__((mode(QI)));
enum wide { C = -1, D = 2 } __attribute__((mode(DI)));
typedef enum { E = 1, F = 300 } half __attribute__((mode(HI)));
typedef unsigned int byte __attribute__((mode(QI)));
struct pair { enum small a; half b; };
int main(void)
{
    if (sizeof(enum small) != 1 || sizeof(enum wide) != 8 || sizeof(half) != 2)
        reach_error();
    if (sizeof(struct pair) != 4)
        reach_error();
    enum small x = B;
    if (x != 200 || (enum wide)-1 > 0)
        reach_error();
    byte y = 300;
    if (y != 44)
        reach_error();
    return 0;
}
