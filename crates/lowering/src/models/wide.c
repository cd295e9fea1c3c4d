/* Strings of wide characters, which are as wide as `int`. */

static unsigned long __concord_model_wcsnlen(const int *s, unsigned long most)
{
    unsigned long n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

static unsigned long __concord_model_wcslen(const int *s)
{
    return __concord_model_wcsnlen(s, -1UL);
}

static int *__concord_model_wmemcpy(int *target, const int *source, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++)
        target[i] = source[i];
    return target;
}

static int *__concord_model_wmempcpy(int *target, const int *source, unsigned long count)
{
    return __concord_model_wmemcpy(target, source, count) + count;
}

static int *__concord_model_wmemmove(int *target, const int *source, unsigned long count)
{
    __builtin_memmove(target, source, count * sizeof(int));
    return target;
}

static int *__concord_model_wmemset(int *target, int c, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++)
        target[i] = c;
    return target;
}

static int *__concord_model_wmemchr(const int *s, int c, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++)
        if (s[i] == c)
            return (int *)s + i;
    return 0;
}

static int *__concord_model_wcpcpy(int *target, const int *source)
{
    unsigned long i = 0;
    while ((target[i] = source[i]) != 0)
        i++;
    return target + i;
}

static int *__concord_model_wcscpy(int *target, const int *source)
{
    __concord_model_wcpcpy(target, source);
    return target;
}

static int *__concord_model_wcsncpy(int *target, const int *source, unsigned long count)
{
    unsigned long i = 0;
    for (; i < count && source[i]; i++)
        target[i] = source[i];
    for (; i < count; i++)
        target[i] = 0;
    return target;
}

static int *__concord_model_wcscat(int *target, const int *source)
{
    __concord_model_wcpcpy(target + __concord_model_wcslen(target), source);
    return target;
}

static int *__concord_model_wcsncat(int *target, const int *source, unsigned long count)
{
    unsigned long end = __concord_model_wcslen(target), i;
    for (i = 0; i < count && source[i]; i++)
        target[end + i] = source[i];
    target[end + i] = 0;
    return target;
}

static int *__concord_model_wcschr(const int *s, int c)
{
    unsigned long i = 0;
    for (; s[i] != c; i++)
        if (!s[i])
            return 0;
    return (int *)s + i;
}

static int *__concord_model_wcsrchr(const int *s, int c)
{
    unsigned long i = __concord_model_wcslen(s) + 1;
    while (i > 0)
        if (s[--i] == c)
            return (int *)s + i;
    return 0;
}

/* The order of two characters; C says of a result only its sign. */
static int __concord_model___concord_wide_order(int unusual, int a, int b)
{
    return __concord_model___concord_sign(unusual, a < b ? -1 : a > b);
}

static int __concord_model_wcscmp(const int *a, const int *b)
{
    unsigned long i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return __concord_model___concord_wide_order(__concord_unusual(), a[i], b[i]);
}

static int __concord_model_wcsncmp(const int *a, const int *b, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++)
        if (!a[i] || a[i] != b[i])
            return __concord_model___concord_wide_order(__concord_unusual(), a[i], b[i]);
    return 0;
}

static int __concord_model_wmemcmp(const int *a, const int *b, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++)
        if (a[i] != b[i])
            return __concord_model___concord_wide_order(__concord_unusual(), a[i], b[i]);
    return 0;
}

static int *__concord_model_wcschrnul(const int *s, int c)
{
    while (*s && *s != c)
        s++;
    return (int *)s;
}

/* How many characters at the beginning are in the set, or are not. */
static unsigned long __concord_model___concord_wide_span(const int *s, const int *set, int wanted)
{
    unsigned long n = 0, i;
    for (; s[n]; n++) {
        for (i = 0; set[i] && set[i] != s[n]; i++)
            ;
        if ((set[i] != 0) != wanted)
            break;
    }
    return n;
}

static unsigned long __concord_model_wcsspn(const int *s, const int *set)
{
    return __concord_model___concord_wide_span(s, set, 1);
}

static unsigned long __concord_model_wcscspn(const int *s, const int *set)
{
    return __concord_model___concord_wide_span(s, set, 0);
}

static int *__concord_model_wcspbrk(const int *s, const int *set)
{
    s += __concord_model___concord_wide_span(s, set, 0);
    return *s ? (int *)s : 0;
}

static int *__concord_model_wcsstr(const int *s, const int *part)
{
    unsigned long i;
    for (;; s++) {
        for (i = 0; part[i] && s[i] == part[i]; i++)
            ;
        if (!part[i])
            return (int *)s;
        if (!*s)
            return 0;
    }
}
