/* What the text is nobody says here; it is not any text. */
void reach_error(void);
char *strerror(int);

int main(void)
{
    if (strerror(1)[0] == 'x')
        reach_error();
    return 0;
}
