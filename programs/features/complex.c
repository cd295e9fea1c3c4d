/* Complex numbers: parts, arithmetic of Annex G, conversions, comparison, arguments and results. */
extern void reach_error(void);
#define CHECK(c) ((c) ? (void)0 : reach_error())
#include <complex.h>

struct pair {
    char tag;
    _Complex double z;
};

static _Complex double constant = 3.0 - 4.0i;

static _Complex double turn(_Complex double z)
{
    return z * 1.0i;
}

static double norm(double _Complex z)
{
    return creal(z * conj(z));
}

int main(void)
{
    _Complex double z = 1 + 2i, w = 0;
    _Complex float f = { 1.5f };
    _Complex int n = 3 + 4i;
    struct pair p = { 'a', 2.0 };
    CHECK(__real__ z == 1 && __imag__ z == 2);
    CHECK(!w && z && z != w);
    w = z + constant;
    CHECK(w == 4.0 - 2.0i);
    w = z * constant;
    CHECK(w == 11.0 + 2.0i);
    CHECK(w / constant == z);
    CHECK(turn(z) == -2.0 + 1.0i);
    CHECK(norm(constant) == 25);
    CHECK(~z == conj(z) && -z == -1.0 - 2.0i);
    z += 1;
    z *= 2;
    CHECK(z == 4.0 + 4.0i);
    CHECK(z++ == 4.0 + 4.0i && z == 5.0 + 4.0i);
    __imag__ z = 7;
    CHECK((double)z == 5 && cimag(z) == 7);
    CHECK(n * n == -7 + 24i);
    CHECK((f + n) == 4.5f + 4.0if);
    CHECK(p.z == 2 && sizeof p.z == 2 * sizeof(double));
    w = __builtin_complex(__builtin_inf(), 1.0) * (1.0 + 1.0i);
    CHECK(creal(w) == __builtin_inf() && cimag(w) == __builtin_inf());
    return 0;
}
