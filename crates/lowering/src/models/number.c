/* Numbers: division, bits, exponents of floats, numbers in text. */

struct __concord_int_pair { int quot, rem; };
struct __concord_long_pair { long quot, rem; };
struct __concord_long_long_pair { long long quot, rem; };

static struct __concord_int_pair __concord_model_div(int a, int b)
{
    struct __concord_int_pair both;
    both.quot = a / b;
    both.rem = a % b;
    return both;
}

static struct __concord_long_pair __concord_model_ldiv(long a, long b)
{
    struct __concord_long_pair both;
    both.quot = a / b;
    both.rem = a % b;
    return both;
}

static struct __concord_long_long_pair __concord_model_lldiv(long long a, long long b)
{
    struct __concord_long_long_pair both;
    both.quot = a / b;
    both.rem = a % b;
    return both;
}

static struct __concord_long_long_pair __concord_model_imaxdiv(long long a, long long b)
{
    return __concord_model_lldiv(a, b);
}

static int __concord_model_ffs(int x)
{
    return __builtin_ffs(x);
}

static int __concord_model_ffsl(long x)
{
    return __builtin_ffsl(x);
}

static int __concord_model_ffsll(long long x)
{
    return __builtin_ffsll(x);
}

static unsigned int __concord_model_htonl(unsigned int x)
{
    return __builtin_bswap32(x);
}

static unsigned int __concord_model_ntohl(unsigned int x)
{
    return __builtin_bswap32(x);
}

static unsigned short __concord_model_htons(unsigned short x)
{
    return __builtin_bswap16(x);
}

static unsigned short __concord_model_ntohs(unsigned short x)
{
    return __builtin_bswap16(x);
}

static void *__concord_model_memmem(const void *s, unsigned long length, const void *wanted, unsigned long count)
{
    const unsigned char *bytes = s;
    unsigned long i;
    if (count > length)
        return 0;
    for (i = 0; i <= length - count; i++)
        if (__concord_model___concord_compare_bytes(bytes + i, wanted, count) == 0)
            return (void *)(bytes + i);
    return 0;
}

static char *__concord_model_strcasestr(const char *s, const char *wanted)
{
    for (;; s++) {
        unsigned long i = 0;
        while (wanted[i]
               && __concord_model_tolower((unsigned char)s[i]) == __concord_model_tolower((unsigned char)wanted[i]))
            i++;
        if (!wanted[i])
            return (char *)s;
        if (!*s)
            return 0;
    }
}

static void __concord_model_swab(const void *source, void *target, long count)
{
    const unsigned char *from = source;
    unsigned char *to = target;
    long i;
    for (i = 0; i + 1 < count; i += 2) {
        unsigned char first = from[i];
        to[i] = from[i + 1];
        to[i + 1] = first;
    }
}

/* Floats by their bits. */

static unsigned long long __concord_model___concord_bits(double x)
{
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, 8);
    return bits;
}

static double __concord_model___concord_double(unsigned long long bits)
{
    double x;
    __builtin_memcpy(&x, &bits, 8);
    return x;
}

static double __concord_model_frexp(double x, int *exponent)
{
    unsigned long long bits = __concord_model___concord_bits(x);
    int found = (int)(bits >> 52 & 0x7ff), below = 0;
    if (found == 0 && x != 0) {
        x = x * 18014398509481984.0;
        bits = __concord_model___concord_bits(x);
        found = (int)(bits >> 52 & 0x7ff);
        below = 54;
    }
    if (found == 0 || found == 0x7ff) {
        *exponent = 0;
        return x + x;
    }
    *exponent = found - 0x3fe - below;
    return __concord_model___concord_double((bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}

static float __concord_model_frexpf(float x, int *exponent)
{
    return (float)__concord_model_frexp(x, exponent);
}

/* x times two to the power of n, rounded once. */
static double __concord_model___concord_scaled(double x, long n)
{
    if (n > 2200)
        n = 2200;
    if (n < -2200)
        n = -2200;
    while (n > 1023) {
        x = x * 8.98846567431158e307;
        n -= 1023;
    }
    /* Not below what is normal before the last step: twice rounded is once too often. */
    while (n < -1022) {
        x = x * (2.2250738585072014e-308 * 9007199254740992.0);
        n += 1022 - 53;
    }
    return x * __concord_model___concord_double((unsigned long long)(n + 1023) << 52);
}

static double __concord_model_logb(double x)
{
    int exponent;
    if (x - x != 0)
        return x * x;
    if (x == 0)
        return -1 / __builtin_fabs(x);
    __concord_model_frexp(x, &exponent);
    return exponent - 1;
}

static float __concord_model_logbf(float x)
{
    return (float)__concord_model_logb(x);
}

static int __concord_model_ilogb(double x)
{
    int exponent;
    if (x == 0 || x - x != 0) {
        __concord_errno = 33;
        return x == x && x != 0 ? 0x7fffffff : -0x7fffffff - 1;
    }
    __concord_model_frexp(x, &exponent);
    return exponent - 1;
}

static int __concord_model_ilogbf(float x)
{
    return __concord_model_ilogb(x);
}

static double __concord_model_nextafter(double x, double y)
{
    unsigned long long bits = __concord_model___concord_bits(x);
    double next;
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0) {
        bits = 1 | (__concord_model___concord_bits(y) & 0x8000000000000000ull);
        return __concord_model___concord_double(bits);
    }
    bits += (x < y) == (x > 0) ? 1 : -1;
    next = __concord_model___concord_double(bits);
    if ((bits >> 52 & 0x7ff) == 0x7ff || (bits >> 52 & 0x7ff) == 0)
        __concord_errno = 34;
    return next;
}

static float __concord_model_nextafterf(float x, float y)
{
    unsigned int bits;
    float next;
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    __builtin_memcpy(&bits, &x, 4);
    if (x == 0) {
        bits = y < 0 ? 0x80000001u : 1;
    } else {
        bits += (x < y) == (x > 0) ? 1 : -1;
        if ((bits >> 23 & 0xff) == 0xff || (bits >> 23 & 0xff) == 0)
            __concord_errno = 34;
    }
    __builtin_memcpy(&next, &bits, 4);
    return next;
}

/* Numbers in text. */

/* `mantissa` times two to the power of `exponent`, and a bit more if `more`, as the bits of a float: `precision` bits (with the one
   that is not stored) and exponents from `least` to `most`. */
static unsigned long long __concord_model___concord_rounded(unsigned long long mantissa, int exponent, int more,
                                                            int precision, int least, int most)
{
    unsigned long long top = 1ull << 63, kept, rest;
    int bits = precision;
    if (mantissa == 0)
        return 0;
    while (!(mantissa & top)) {
        mantissa <<= 1;
        exponent--;
    }
    exponent += 63;
    if (exponent < least)
        bits -= least - exponent;
    if (bits < 0) {
        __concord_errno = 34;
        return 0;
    }
    kept = bits > 0 ? mantissa >> (64 - bits) : 0;
    rest = bits > 0 ? mantissa << bits : mantissa;
    /* Not where it would round up to the least normal number anyway. */
    if (exponent < least && (rest || more)
        && !(exponent == least - 1 && mantissa >> (63 - precision) == (2ull << precision) - 1))
        __concord_errno = 34;
    if (rest > top || (rest == top && (more || (kept & 1))))
        kept++;
    if (exponent < least)
        return kept;
    if (kept >> precision) {
        kept >>= 1;
        exponent++;
    }
    if (exponent > most) {
        __concord_errno = 34;
        return (unsigned long long)(most - least + 2) << (precision - 1);
    }
    return ((unsigned long long)(exponent - least) << (precision - 1)) + kept;
}

/* A decimal number: 0.d[0]d[1]... times ten to the power of `point`. */
struct __concord_decimal {
    unsigned char d[800];
    int count, point, more;
};

static void __concord_model___concord_trim(struct __concord_decimal *n)
{
    while (n->count > 0 && n->d[n->count - 1] == 0)
        n->count--;
    if (n->count == 0)
        n->point = 0;
}

/* Divides by two to the power of k, at most 27. */
static void __concord_model___concord_halve(struct __concord_decimal *n, int k)
{
    int from = 0, to = 0;
    unsigned long long value = 0, mask = (1ull << k) - 1;
    for (; value >> k == 0; from++) {
        if (from >= n->count) {
            if (value == 0) {
                n->count = 0;
                return;
            }
            while (value >> k == 0) {
                value *= 10;
                from++;
            }
            break;
        }
        value = value * 10 + n->d[from];
    }
    n->point -= from - 1;
    for (; from < n->count; from++) {
        n->d[to++] = (unsigned char)(value >> k);
        value = (value & mask) * 10 + n->d[from];
    }
    while (value > 0) {
        unsigned char digit = (unsigned char)(value >> k);
        value &= mask;
        if (to < 800)
            n->d[to++] = digit;
        else if (digit > 0)
            n->more = 1;
        value *= 10;
    }
    n->count = to;
    __concord_model___concord_trim(n);
}

/* Multiplies by two to the power of k, at most 27. */
static void __concord_model___concord_double_up(struct __concord_decimal *n, int k)
{
    unsigned long long value = 0;
    int i;
    for (i = n->count - 1; i >= 0; i--) {
        value += (unsigned long long)n->d[i] << k;
        n->d[i] = (unsigned char)(value % 10);
        value /= 10;
    }
    while (value > 0) {
        if (n->count < 800)
            n->count++;
        else if (n->d[799])
            n->more = 1;
        for (i = n->count - 1; i > 0; i--)
            n->d[i] = n->d[i - 1];
        n->d[0] = (unsigned char)(value % 10);
        n->point++;
        value /= 10;
    }
    __concord_model___concord_trim(n);
}

static unsigned long long __concord_model___concord_from_decimal(struct __concord_decimal *n, int precision, int least,
                                                                 int most)
{
    unsigned long long mantissa = 0;
    int exponent = 0, i;
    __concord_model___concord_trim(n);
    if (n->count == 0)
        return 0;
    if (n->point > 400)
        return __concord_model___concord_rounded(1, most + 1, 0, precision, least, most);
    if (n->point < -400)
        return __concord_model___concord_rounded(1, least - 2 * precision, 0, precision, least, most);
    while (n->point > 0) {
        int k = n->point > 8 ? 27 : n->point * 3;
        __concord_model___concord_halve(n, k);
        exponent += k;
    }
    while (n->point < 0 || (n->point == 0 && n->d[0] < 5)) {
        int k = n->point < -8 ? 27 : n->point < 0 ? -n->point * 3 : 1;
        __concord_model___concord_double_up(n, k);
        exponent -= k;
    }
    /* From one half to one: 60 of its bits. */
    __concord_model___concord_double_up(n, 20);
    __concord_model___concord_double_up(n, 20);
    __concord_model___concord_double_up(n, 20);
    exponent -= 60;
    for (i = 0; i < n->point; i++)
        mantissa = mantissa * 10 + (i < n->count ? n->d[i] : 0);
    return __concord_model___concord_rounded(mantissa, exponent, n->more || n->count > n->point, precision, least, most);
}

/* An exponent behind a letter, which is passed if a number follows. */
static const char *__concord_model___concord_exponent(const char *s, int *exponent)
{
    const char *start = s;
    int negative = 0, n = 0;
    s++;
    if (*s == '-' || *s == '+') {
        negative = *s == '-';
        s++;
    }
    if (*s < '0' || *s > '9')
        return start;
    for (; *s >= '0' && *s <= '9'; s++)
        if (n < 100000)
            n = 10 * n + (*s - '0');
    *exponent += negative ? -n : n;
    return s;
}

static int __concord_model___concord_begins(const char *s, const char *word)
{
    unsigned long i;
    for (i = 0; word[i]; i++)
        if (__concord_model_tolower((unsigned char)s[i]) != word[i])
            return 0;
    return 1;
}

/* The bits of the number without its sign. */
static unsigned long long __concord_model___concord_float(const char *s, char **end, int *negative, int precision,
                                                          int least, int most)
{
    const char *start = s;
    unsigned long long infinity = (unsigned long long)(most - least + 2) << (precision - 1);
    struct __concord_decimal n;
    int any = 0, point = 0, exponent = 0;
    *negative = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+') {
        *negative = *s == '-';
        s++;
    }
    if (__concord_model___concord_begins(s, "inf")) {
        *end = (char *)s + (__concord_model___concord_begins(s, "infinity") ? 8 : 3);
        return infinity;
    }
    if (__concord_model___concord_begins(s, "nan")) {
        unsigned long long payload = 0;
        s += 3;
        *end = (char *)s;
        if (*s == '(') {
            const char *inside = s + 1;
            s++;
            while (*s == '_' || __concord_model___concord_digit(*s) < 36)
                s++;
            if (*s == ')') {
                char *stop;
                *end = (char *)s + 1;
                payload = __concord_model_strtoull(inside, &stop, 0);
                if (stop != s)
                    payload = 0;
            }
        }
        return infinity | 1ull << (precision - 2) | (payload & ((1ull << (precision - 2)) - 1));
    }
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
        && (__concord_model___concord_digit(s[2]) < 16
            || (s[2] == '.' && __concord_model___concord_digit(s[3]) < 16))) {
        unsigned long long mantissa = 0;
        int more = 0;
        for (s += 2; __concord_model___concord_digit(*s) < 16 || (*s == '.' && !point); s++) {
            int digit = __concord_model___concord_digit(*s);
            if (*s == '.')
                point = 1;
            else if (mantissa >> 59) {
                more |= digit != 0;
                exponent += point ? 0 : 4;
            } else {
                mantissa = 16 * mantissa + digit;
                exponent -= point ? 4 : 0;
            }
        }
        if (*s == 'p' || *s == 'P')
            s = __concord_model___concord_exponent(s, &exponent);
        *end = (char *)s;
        return __concord_model___concord_rounded(mantissa, exponent, more, precision, least, most);
    }
    n.count = n.point = n.more = 0;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = 1;
            continue;
        }
        any = 1;
        if (*s == '0' && n.count == 0) {
            n.point -= point;
            continue;
        }
        n.point += !point;
        if (n.count < 800)
            n.d[n.count++] = (unsigned char)(*s - '0');
        else if (*s != '0')
            n.more = 1;
    }
    if (!any) {
        *end = (char *)start;
        *negative = 0;
        return 0;
    }
    if (*s == 'e' || *s == 'E')
        s = __concord_model___concord_exponent(s, &exponent);
    *end = (char *)s;
    n.point += exponent;
    if (n.count == 0)
        return 0;
    return __concord_model___concord_from_decimal(&n, precision, least, most);
}

static double __concord_model_strtod(const char *s, char **end)
{
    char *stop;
    int negative;
    unsigned long long bits = __concord_model___concord_float(s, &stop, &negative, 53, -1022, 1023);
    if (end)
        *end = stop;
    return __concord_model___concord_double(bits | (unsigned long long)negative << 63);
}

static float __concord_model_strtof(const char *s, char **end)
{
    char *stop;
    int negative;
    unsigned int bits = (unsigned int)__concord_model___concord_float(s, &stop, &negative, 24, -126, 127);
    float x;
    if (end)
        *end = stop;
    bits |= (unsigned int)negative << 31;
    __builtin_memcpy(&x, &bits, 4);
    return x;
}

static double __concord_model_atof(const char *s)
{
    return __concord_model_strtod(s, 0);
}

static double __concord_model_nan(const char *tag)
{
    char *stop;
    unsigned long long payload = *tag ? __concord_model_strtoull(tag, &stop, 0) : 0;
    if (*tag && *stop)
        payload = 0;
    return __concord_model___concord_double(0x7ff8000000000000ull | (payload & 0x7ffffffffffffull));
}

static float __concord_model_nanf(const char *tag)
{
    char *stop;
    unsigned int bits = *tag ? (unsigned int)__concord_model_strtoull(tag, &stop, 0) : 0;
    float x;
    if (*tag && *stop)
        bits = 0;
    bits = 0x7fc00000u | (bits & 0x3fffff);
    __builtin_memcpy(&x, &bits, 4);
    return x;
}

static double __concord_model_difftime(long end, long start)
{
    if (end < start)
        return -(double)((unsigned long)start - (unsigned long)end);
    return (double)((unsigned long)end - (unsigned long)start);
}
