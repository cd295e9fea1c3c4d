/* What was there before realloc is still there. */
void reach_error(void);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);

int main(void)
{
    char *bytes = malloc(2);
    bytes[0] = 1;
    bytes = realloc(bytes, 4);
#ifdef BUG
    if (bytes[3] != 0)
#else
    if (bytes[0] != 1)
#endif
        reach_error();
    return 0;
}
