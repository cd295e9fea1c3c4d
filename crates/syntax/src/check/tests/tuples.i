/* Complex numbers, vectors and nested functions. */
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned short h8 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));

_Complex double constant = (1.0 + 2.0i) * (3.0 - 1.0i) / 2;
_Complex float zeros[2] = { { 2 }, 1 };
v4 table[2] = { { 1, 2 }, { 3, 4, 5, 6 } };
struct both { char c; _Complex long double z; v4 v; } both = { 'a', 1.5L, { 7, 8 } };

_Complex double product(_Complex double z, _Complex float w, double r)
{
    _Complex double sum = z * w + r - 1;
    sum += z;
    sum *= r;
    sum++;
    --__real__ sum;
    return r > 0 ? -sum : ~sum;
}

int conditions(_Complex int n, _Complex long double z)
{
    _Bool b = n;
    int count = (int)z;
    while (z)
        z = 0;
    return (n == 3) + (z != n) + !n + b + (n && count) + (n ? 1 : 2);
}

_Complex long double quotient(_Complex long double a, _Complex long double b)
{
    return a / b + 1 / a + a / 2;
}

v4 vectors(v4 a, v4 b, int i, h8 h)
{
    v4 mask = a < b;
    f4 f = __builtin_convertvector(a, f4);
    a += 2 * b;
    a[i] = b[1] + (a + b)[i];
    h = h * h >> 1;
    a = (v4)h ^ mask;
    a++;
    f = -f / 2;
    return __builtin_shuffle(a, b, mask) + __builtin_shufflevector(a, b, 0, 7, 1, 4) + (v4)f;
}

static int twice(int (*f)(int), int x) { return f(f(x)); }

int nested(int n, int m)
{
    __label__ out;
    int total = 0, array[n];
    int add(int x)
    {
        int inner(void) { return x + m; }
        if (x < 0)
            goto out;
        total += inner() + array[0];
        return x > 9 ? add(x - 1) : total;
    }
    int step(int x) { return x + n; }
    array[0] = add(1);
    total += twice(step, 3);
    if (total > 100)
        return twice(step, total);
    return add(total);
out:
    return -1;
}
