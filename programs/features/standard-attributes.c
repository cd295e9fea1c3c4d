// Attributes in double brackets, of the standard and of gcc.
void reach_error(void);
struct [[gnu::packed]] packed { char a; int b; };
[[maybe_unused]] static int unused [[gnu::aligned(16)]];
[[nodiscard]] static int three([[maybe_unused]] int x)
{
    return 3;
}
int main(void)
{
    int table[2] = {1, 2};
    switch (table[0]) {
    case 1:
        table[1]++;
        [[fallthrough]];
    case 2:
        table[1]++;
    }
    if (sizeof(struct packed) != 5 || three(1) != 3 || table[table[0]] != 4)
        reach_error();
    return 0;
}
