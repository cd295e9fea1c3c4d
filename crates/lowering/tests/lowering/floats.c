/* Floats: conversions, comparisons with NaN, rounding, library functions. */
#include <math.h>
#include <stdio.h>
volatile double nan_source = 0.0;
int main(void) {
    float f = 0.1f; double d = 0.1; long double l = 0.1L;
    double n = nan_source / nan_source, inf = 1 / nan_source;
    printf("%d %d %d\n", f == d, (double)f == d, (float)d == f);
    printf("%d %d %d %d\n", n == n, n != n, n < 1, !(n < 1));
    printf("%g %g %d\n", inf, -inf, inf > 1e308);
    printf("%d %d %u\n", (int)3.99, (int)-3.99, (unsigned)3e9);
    printf("%d %d\n", (int)(char)100.7f, (int)(unsigned char)200.5);
    printf("%.17g %.9g\n", d * 3, (double)(f * 3));
    printf("%.6Lf\n", l * 3);
    printf("%g %g %g %g\n", floor(-1.5), ceil(-1.5), trunc(-1.5), round(-2.5));
    printf("%g %g %g\n", rint(2.5), rint(3.5), nearbyint(-0.5));
    printf("%g %g %g\n", sqrt(2.0), fabs(-3.0), fmod(-7.5, 2.0));
    printf("%g %g %g\n", fmin(1, n), fmax(2, 3), copysign(3, -0.0));
    printf("%d %d %d %d\n", isnan(n) != 0, isinf(inf) != 0, isfinite(1.0) != 0, signbit(-0.0) != 0);
    printf("%ld %ld %g\n", lrint(2.5), lround(2.5), remainder(5, 3));
    printf("%g %g\n", fma(2, 3, 4), fdim(5, 3));
    printf("%d %d\n", fpclassify(0.0) == FP_ZERO, fpclassify(n) == FP_NAN);
    f += 1; d -= 2; d++; --f;
    printf("%g %g\n", f, d);
    float g = 16777217; printf("%g %d\n", g, (int)g);
    unsigned long long u = 18446744073709551615ull; printf("%g %g\n", (double)u, (double)(float)u);
    printf("%d\n", (f ? 1 : 0) + (n ? 2 : 0) + (-0.0 ? 4 : 0));
    printf("%f %e %a %5.1f|%-8g|\n", 1.5, 12345.678, 1.0, 2.25, 1e10);
    return d < 0;
}
