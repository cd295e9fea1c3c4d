// Feature: nested loops.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    int s = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0;; j++) {
            if (j == i)
                break;
            if (j == 1)
                continue;
            s += j + 1;
        }
    }
    CHECK(s == 6);
    return 0;
}
