#define _GNU_SOURCE
/* Compares the models with glibc's functions on random values; prints the differences and their number. The models are included as
   they are: what they take from the environment is given here. */

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>

static double any_double;
static float any_float;
/* A model has excluded a result that glibc gives. */
static int excluded;
#define __builtin_unreachable() (excluded = 1)

int __concord_any_int(void) { return 0; }
void __concord_unsupported(void) {}
int __concord_unusual(void) { return 0; }
char __concord_any_char(void) { return 0; }
long __concord_any_long(void) { return 0; }
unsigned long __concord_any_size(void) { return 0; }
double __concord_any_double(void) { return any_double; }
float __concord_any_float(void) { return any_float; }
void *__concord_new_bytes(unsigned long count) { return malloc(count); }
void __concord_drop_bytes(void *bytes) { free(bytes); }

#include "prelude.inc"

static unsigned long long state = 88172645463325252ull;

static unsigned long long any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double any_number(void)
{
    static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 5e-324, 2.2250738585072014e-308,
                                     1.7976931348623157e308, 2, 0.5, 1e-20, -1e-20, 0.99999999999999989, 1.0000000000000002};
    unsigned long long bits = any();
    double x;
    if (any() % 8 == 0)
        return special[any() % 16];
    if (any() % 4 == 0)
        return (double)(long)(any() % 2000000 - 1000000) / (1 << any() % 20);
    if (any() % 4 == 0)
        bits &= 0x800fffffffffffffull;
    memcpy(&x, &bits, 8);
    /* Signalling NaNs are none of C's. */
    return x != x ? NAN : x;
}

static int same(double a, double b)
{
    return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static long different;

static void differs(const char *name, const char *with)
{
    if (different++ < 30)
        printf("%s differs: %s\n", name, with);
}

#define CHECK(name, condition, ...)                                                                                                \
    do {                                                                                                                           \
        if (!(condition)) {                                                                                                        \
            char with[300];                                                                                                        \
            snprintf(with, sizeof with, __VA_ARGS__);                                                                              \
            differs(name, with);                                                                                                   \
        }                                                                                                                          \
    } while (0)

/* A function of floats, with errno. */
#define FLOAT(name, ...)                                                                                                           \
    do {                                                                                                                           \
        errno = __concord_errno = 0;                                                                                               \
        double expected = name(__VA_ARGS__), got = __concord_model_##name(__VA_ARGS__);                                            \
        CHECK(#name, same(expected, got) && errno == __concord_errno, "%a %a (%a %a), errno %d %d", expected, got, x, y, errno,    \
              __concord_errno);                                                                                                    \
    } while (0)

/* A function of which only bounds are known. */
#define WITHIN(name, any_result, ...)                                                                                              \
    do {                                                                                                                           \
        any_result = name(__VA_ARGS__);                                                                                            \
        excluded = 0;                                                                                                              \
        double got = __concord_model_##name(__VA_ARGS__);                                                                          \
        CHECK(#name, !excluded && same(any_result, got), "%a %a (%a %a)", (double)any_result, got, x, y);                          \
    } while (0)
#define BOTH(name)                                                                                                                 \
    WITHIN(name, any_double, x);                                                                                                   \
    WITHIN(name##f, any_float, fx)
#define BOTH_OF_TWO(name)                                                                                                          \
    WITHIN(name, any_double, x, y);                                                                                                \
    WITHIN(name##f, any_float, fx, fy)

static void numbers(void)
{
    double x = any_number(), y = any_number();
    float fx = (float)x, fy = (float)y;
    int n = (int)(any() % 2500) - 1250, m = n / 8, expected, got;
    if (any() % 50 == 0)
        n = (int)any();
    FLOAT(ldexp, x, n);
    FLOAT(scalbn, x, n);
    FLOAT(scalbln, x, n);
    FLOAT(ldexpf, fx, m);
    FLOAT(scalbnf, fx, m);
    FLOAT(scalblnf, fx, m);
    FLOAT(logb, x);
    FLOAT(logbf, fx);
    FLOAT(ilogb, x);
    FLOAT(ilogbf, fx);
    FLOAT(nextafter, x, y);
    FLOAT(nextafterf, fx, fy);
    CHECK("frexp", same(frexp(x, &expected), __concord_model_frexp(x, &got)) && expected == got, "%a", x);
    CHECK("frexpf", same(frexpf(fx, &expected), __concord_model_frexpf(fx, &got)) && expected == got, "%a", fx);
    BOTH(sin);
    BOTH(cos);
    BOTH(tan);
    BOTH(tanh);
    BOTH(atan);
    BOTH(asin);
    BOTH(acos);
    BOTH(exp);
    BOTH(exp2);
    BOTH(log);
    BOTH(log2);
    BOTH(log10);
    BOTH(cosh);
    BOTH(sinh);
    BOTH(cbrt);
    BOTH(erf);
    BOTH_OF_TWO(atan2);
    BOTH_OF_TWO(hypot);
    BOTH_OF_TWO(pow);
    excluded = 0;
}

static void integers(void)
{
    int a = (int)any(), b = (int)(any() % 1000) - 500;
    long long wide = (long long)any() >> any() % 64;
    if (b) {
        div_t small = div(a, b);
        lldiv_t large = lldiv(wide, b);
        CHECK("div", small.quot == __concord_model_div(a, b).quot && small.rem == __concord_model_div(a, b).rem, "%d %d", a, b);
        CHECK("lldiv", large.quot == __concord_model_lldiv(wide, b).quot && large.rem == __concord_model_lldiv(wide, b).rem,
              "%lld %d", wide, b);
    }
    CHECK("ffs", ffs(a) == __concord_model_ffs(a), "%d", a);
    CHECK("ffsll", ffsll(wide) == __concord_model_ffsll(wide), "%lld", wide);
    CHECK("htonl", htonl(a) == __concord_model_htonl(a), "%d", a);
    CHECK("ntohs", ntohs(a) == __concord_model_ntohs(a), "%d", a);
}

static void any_text(char *text, const char *of, int most)
{
    int length = (int)(any() % (most + 1)), i;
    for (i = 0; i < length; i++)
        text[i] = of[any() % strlen(of)];
    text[length] = 0;
}

static void numbers_in_text(void)
{
    char text[2000], *expected_end = 0, *got_end = 0;
    double x = any_number(), y = 0;
    int base = (int)(any() % 40) - 1;
    switch (any() % 8) {
    case 0:
        sprintf(text, "%.*e", (int)(any() % 30), x);
        break;
    case 1:
        sprintf(text, "%.*g", (int)(any() % 25) + 1, x);
        break;
    case 2:
        sprintf(text, "%a", x);
        break;
    case 3:
        sprintf(text, "%.*f", (int)(any() % 10), (double)(float)x);
        break;
    case 4:
        /* Half-way between two numbers, and a bit more. */
        sprintf(text, "%.*Le", any() % 3 ? 800 : 770, ((long double)x + nextafter(x, INFINITY)) / 2);
        if (any() % 3 == 0 && strchr(text, 'e') && strchr(text, 'e')[-1] == '0')
            strchr(text, 'e')[-1] = '1';
        break;
    default:
        any_text(text, "0123456789.eE+-xXpPinfaINFtyN() _0099", 14);
        if (any() % 4 == 0)
            memcpy(text, "0x1.", 4);
    }
    FLOAT(strtod, text, 0);
    FLOAT(strtof, text, 0);
    CHECK("atof", same(atof(text), __concord_model_atof(text)), "%.60s", text);
    CHECK("atoi", atoi(text) == __concord_model_atoi(text), "%.60s", text);
    strtod(text, &expected_end);
    __concord_model_strtod(text, &got_end);
    CHECK("strtod's end", expected_end == got_end, "%.60s", text);
    errno = __concord_errno = 0;
    CHECK("strtol", strtol(text, &expected_end, base) == __concord_model_strtol(text, &got_end, base), "%.60s %d", text, base);
    CHECK("strtol's end", expected_end == got_end && errno == __concord_errno, "%.60s %d", text, base);
    errno = __concord_errno = 0;
    CHECK("strtoull", strtoull(text, &expected_end, base) == __concord_model_strtoull(text, &got_end, base), "%.60s %d", text, base);
    CHECK("strtoull's end", expected_end == got_end && errno == __concord_errno, "%.60s %d", text, base);
}

#define TEXT(name, ...) CHECK(#name, (name(__VA_ARGS__)) == (__concord_model_##name(__VA_ARGS__)), "'%s' '%s' %d", a, b, n)
#define SIGN(name, ...) CHECK(#name, sign(name(__VA_ARGS__)) == sign(__concord_model_##name(__VA_ARGS__)), "'%s' '%s' %d", a, b, n)

static void texts(void)
{
    char a[20], b[20], c[64], d[64];
    int n = (int)(any() % 12);
    any_text(a, "aAbB-", 12);
    any_text(b, "aAbB-", any() % 2 ? 3 : 12);
    TEXT(strlen, a);
    TEXT(strnlen, a, n);
    TEXT(strchr, a, b[0]);
    TEXT(strrchr, a, b[0]);
    TEXT(strstr, a, b);
    TEXT(strspn, a, b);
    TEXT(strcspn, a, b);
    TEXT(strpbrk, a, b);
    SIGN(strcmp, a, b);
    SIGN(strncmp, a, b, n);
    SIGN(strcasecmp, a, b);
    SIGN(strncasecmp, a, b, n);
    SIGN(memcmp, a, b, n < 2 ? n : 1);
    CHECK("memmem", memmem(a, strlen(a), b, strlen(b)) == __concord_model_memmem(a, strlen(a), b, strlen(b)), "'%s' '%s'", a, b);
    CHECK("strcasestr", strcasestr(a, b) == __concord_model_strcasestr(a, b), "'%s' '%s'", a, b);
    CHECK("memrchr", memrchr(a, 'b', strlen(a)) == __concord_model_memrchr(a, 'b', strlen(a)), "'%s'", a);
    memset(c, 'x', sizeof c);
    memset(d, 'x', sizeof d);
    strncpy(c, a, n);
    __concord_model_strncpy(d, a, n);
    strcpy(c + 20, a);
    __concord_model_strcpy(d + 20, a);
    strncat(c + 20, b, n);
    __concord_model_strncat(d + 20, b, n);
    stpncpy(c + 48, b, n);
    __concord_model_stpncpy(d + 48, b, n);
    CHECK("what text functions write", memcmp(c, d, sizeof c) == 0, "'%s' '%s' %d", a, b, n);
    strcpy(c, a);
    strcpy(d, a);
    char *rest = c, *same_rest = d, *part, *same_part;
    do {
        part = strsep(&rest, "-");
        same_part = __concord_model_strsep(&same_rest, "-");
        CHECK("strsep", part ? same_part && strcmp(part, same_part) == 0 : !same_part, "'%s'", a);
    } while (part && same_part);
    strcpy(c, a);
    strcpy(d, a);
    part = strtok_r(c, "-b", &rest);
    same_part = __concord_model_strtok_r(d, "-b", &same_rest);
    while (part && same_part) {
        CHECK("strtok_r", strcmp(part, same_part) == 0, "'%s'", a);
        part = strtok_r(0, "-b", &rest);
        same_part = __concord_model_strtok_r(0, "-b", &same_rest);
    }
    CHECK("strtok_r's end", !part && !same_part, "'%s'", a);
}

static void wide_text(void)
{
    wchar_t a[9], b[9], c[40] = {0}, d[40] = {0};
    int at, n = any() % 9, wanted = any() % 3;
    for (at = 0; at < 9; at++) {
        a[at] = any() % 3;
        b[at] = any() % 3;
    }
    a[8] = b[8] = 0;
#define WIDE(name, ...) CHECK(#name, (void *)name(__VA_ARGS__) == (void *)__concord_model_##name(__VA_ARGS__), "%d", n)
    WIDE(wcslen, a);
    WIDE(wcsnlen, a, n);
    WIDE(wcschr, a, wanted);
    WIDE(wcsrchr, a, wanted);
    WIDE(wcschrnul, a, wanted);
    WIDE(wcsspn, a, b);
    WIDE(wcscspn, a, b);
    WIDE(wcspbrk, a, b);
    WIDE(wcsstr, a, b);
    WIDE(wmemchr, a, wanted, n);
    CHECK("wcscmp", sign(wcscmp(a, b)) == sign(__concord_model_wcscmp(a, b)), "%d", n);
    CHECK("wcsncmp", sign(wcsncmp(a, b, n)) == sign(__concord_model_wcsncmp(a, b, n)), "%d", n);
    CHECK("wmemcmp", sign(wmemcmp(a, b, n)) == sign(__concord_model_wmemcmp(a, b, n)), "%d", n);
    wcsncpy(c, a, n);
    __concord_model_wcsncpy(d, a, n);
    wcscat(c, b);
    __concord_model_wcscat(d, b);
    wcsncat(c, a, n);
    __concord_model_wcsncat(d, a, n);
    wmemmove(c + 1, c, 9);
    __concord_model_wmemmove(d + 1, d, 9);
    CHECK("wide text", wmemcmp(c, d, 40) == 0, "%d", n);
    CHECK("difftime", difftime(n, 3) == __concord_model_difftime(n, 3), "%d", n);
}

int main(void)
{
    int i;
    for (i = 0; i < 30000; i++) {
        numbers();
        integers();
        texts();
    }
    for (i = 0; i < 20000; i++)
        numbers_in_text();
    for (i = -1; i < 256; i++) {
#define CLASS(name) CHECK(#name, (name)(i) == __concord_model_##name(i), "%d", i)
        CLASS(isalpha);
        CLASS(isdigit);
        CLASS(isalnum);
        CLASS(isspace);
        CLASS(isupper);
        CLASS(islower);
        CLASS(ispunct);
        CLASS(isprint);
        CLASS(isgraph);
        CLASS(iscntrl);
        CLASS(isxdigit);
        CLASS(isblank);
        CLASS(tolower);
        CLASS(toupper);
    }
    for (i = 0; i < 20000; i++)
        wide_text();
    printf("%ld differences\n", different);
    return different != 0;
}
