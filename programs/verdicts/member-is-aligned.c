// The low bits of an address follow from the alignment of its object.
void reach_error(void);

struct pair {
    char first;
    double second;
} pair;

#ifndef REST
#define REST 0
#endif

int main(void)
{
    if ((unsigned long)&pair.second % 8 != REST)
        reach_error();
    return 0;
}
