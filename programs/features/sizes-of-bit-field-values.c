// An assignment to a bit-field has a type of its width; promoted it is an int.
void reach_error(void);
struct fields {
    unsigned three : 3;
    int nine : 9;
    unsigned twenty : 20;
    unsigned long forty : 40;
    _Bool flag : 1;
};
int main(void)
{
    struct fields f = {0};
    if (sizeof(f.three = 1) != 1 || sizeof(f.nine += 1) != 2 || sizeof(f.twenty = 1) != 4)
        reach_error();
    if (sizeof(f.forty = 1) != 8 || sizeof(f.flag = 1) != 1 || sizeof(f.nine++) != 2)
        reach_error();
    if (sizeof(f.three + 0) != 4 || sizeof(+f.forty) != 8 || sizeof(0, f.three) != 1)
        reach_error();
    if (sizeof(1 ? f.three : f.three) != 4)
        reach_error();
    return 0;
}
