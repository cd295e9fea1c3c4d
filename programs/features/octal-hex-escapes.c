// Feature: octal hex escapes.
void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
int main(void)
{
    CHECK('\n' == 10 && '\x41' == 65 && '\101' == 65 && 0x1F == 31 && 017 == 15
          && 'ab' == 24930);
    return 0;
}
