/* Nothing says where `longjmp` goes on. */
#include <setjmp.h>
static jmp_buf place;
int main(void)
{
  longjmp(place, 1);
}
