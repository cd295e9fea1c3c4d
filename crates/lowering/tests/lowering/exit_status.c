/* exit ends everything; main without return gives zero elsewhere. */
#include <stdio.h>
#include <stdlib.h>
static void leave(int x) { if (x > 2) exit(x + 40); }
int main(int argc, char **argv) {
    for (int i = 0; ; i++) { printf("%d\n", i); leave(i); }
}
