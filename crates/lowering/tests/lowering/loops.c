/* Loops, break, continue, goto in and out. */
#include <stdio.h>
int main(void) {
    int i, j, sum = 0;
    for (i = 0; i < 10; i++) {
        if (i % 2) continue;
        for (j = 0; ; j++) {
            if (j > i) break;
            sum += j;
        }
    }
    printf("%d\n", sum);
    do { sum--; if (sum == 30) continue; if (sum < 5) break; } while (sum > 10);
    printf("%d\n", sum);
    while (1) { if (sum++ > 20) goto out; }
out:
    printf("%d\n", sum);
    i = 0;
again:
    i++;
    if (i < 5) goto again;
    printf("%d\n", i);
    goto inside;
    for (i = 100; i < 105; i++) {
inside:
        printf("%d ", i);
        if (i == 7) goto done;
    }
    while (0) { unreachable: printf("in while "); }
    if (i < 200) { i = 300; goto unreachable; }
done:
    printf("\n");
    do printf("once\n"); while (0);
    for (int a = 0, b = 5; a < b; a++, b--) printf("%d%d ", a, b);
    printf("\n");
    return 0;
}
