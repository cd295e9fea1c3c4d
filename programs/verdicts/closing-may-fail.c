/* 0 or -1, nothing else. */
void reach_error(void);
int close(int);

int main(void)
{
    int status = close(3);
    if (status != 0 && status != -1)
        reach_error();
    return 0;
}
