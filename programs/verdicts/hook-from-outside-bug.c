/* A pointer that is set outside the program: the call goes somewhere and comes back. */
void reach_error(void);
extern void (*hook)(void);

int main(void)
{
    hook();
    reach_error();
    return 0;
}
