/* What realloc adds holds anything. */
void reach_error(void);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);

int main(void)
{
    char *bytes = malloc(2);
    bytes[0] = 1;
    bytes = realloc(bytes, 4);
    if (bytes[3] != 0)
        reach_error();
    return 0;
}
