// Feature: duffs device.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int n = 11, c = 0, i = (n + 3) / 4;
    switch (n % 4) {
    case 0:
        do {
            c++;
    case 3:
            c++;
    case 2:
            c++;
    case 1:
            c++;
        } while (--i > 0);
    }
    CHECK(c == 11);
    return 0;
}
