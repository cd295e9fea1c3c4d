/* String functions as C defines them. `unsigned long` is as wide as size_t in both data models. */

extern int __concord_any_int(void);
/* 0 if a function returns what glibc's does, 1 for another result that C allows. */
extern int __concord_unusual(void);

/* Of the result of a comparison C promises the sign only. */
static int __concord_model___concord_sign(int unusual, int difference)
{
    int other;
    if (difference == 0)
        return 0;
    /* Both ways take the same inputs, so that one can be tried with those of the other. */
    other = __concord_any_int();
    if (!unusual)
        return difference;
    if (difference < 0 ? other >= 0 : other <= 0)
        __builtin_unreachable();
    return other;
}

static unsigned long __concord_model_strlen(const char *s)
{
    unsigned long n = 0;
    while (s[n])
        n++;
    return n;
}

static unsigned long __concord_model_strnlen(const char *s, unsigned long limit)
{
    unsigned long n = 0;
    while (n < limit && s[n])
        n++;
    return n;
}

static char *__concord_model_strcpy(char *target, const char *source)
{
    unsigned long i = 0;
    while ((target[i] = source[i]))
        i++;
    return target;
}

static char *__concord_model_stpcpy(char *target, const char *source)
{
    while ((*target = *source)) {
        target++;
        source++;
    }
    return target;
}

static char *__concord_model_strncpy(char *target, const char *source, unsigned long count)
{
    unsigned long i = 0;
    while (i < count && source[i]) {
        target[i] = source[i];
        i++;
    }
    while (i < count) {
        target[i] = 0;
        i++;
    }
    return target;
}

static char *__concord_model_strcat(char *target, const char *source)
{
    unsigned long end = 0, i = 0;
    while (target[end])
        end++;
    while ((target[end + i] = source[i]))
        i++;
    return target;
}

static char *__concord_model_strncat(char *target, const char *source, unsigned long count)
{
    unsigned long end = 0, i = 0;
    while (target[end])
        end++;
    while (i < count && source[i]) {
        target[end + i] = source[i];
        i++;
    }
    target[end + i] = 0;
    return target;
}

static int __concord_model_strcmp(const char *a, const char *b)
{
    unsigned long i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return __concord_model___concord_sign(__concord_unusual(), (unsigned char)a[i] - (unsigned char)b[i]);
}

static int __concord_model___concord_compare_text(const char *a, const char *b, unsigned long count)
{
    unsigned long i = 0;
    while (i < count) {
        if (a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        if (!a[i])
            return 0;
        i++;
    }
    return 0;
}

static int __concord_model_strncmp(const char *a, const char *b, unsigned long count)
{
    return __concord_model___concord_sign(__concord_unusual(), __concord_model___concord_compare_text(a, b, count));
}

static int __concord_model___concord_compare_bytes(const void *a, const void *b, unsigned long count)
{
    const unsigned char *x = a, *y = b;
    unsigned long i;
    for (i = 0; i < count; i++)
        if (x[i] != y[i])
            return x[i] - y[i];
    return 0;
}

static int __concord_model_memcmp(const void *a, const void *b, unsigned long count)
{
    return __concord_model___concord_sign(__concord_unusual(), __concord_model___concord_compare_bytes(a, b, count));
}

static int __concord_model_bcmp(const void *a, const void *b, unsigned long count)
{
    return __concord_model_memcmp(a, b, count);
}

static void *__concord_model_memchr(const void *s, int c, unsigned long count)
{
    const unsigned char *x = s;
    unsigned long i;
    for (i = 0; i < count; i++)
        if (x[i] == (unsigned char)c)
            return (void *)(x + i);
    return 0;
}

static char *__concord_model_strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return 0;
    }
}

static char *__concord_model_index(const char *s, int c)
{
    return __concord_model_strchr(s, c);
}

static char *__concord_model_strrchr(const char *s, int c)
{
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)c)
            found = s;
        if (!*s)
            return (char *)found;
    }
}

static char *__concord_model_rindex(const char *s, int c)
{
    return __concord_model_strrchr(s, c);
}

static unsigned long __concord_model_strspn(const char *s, const char *accepted)
{
    unsigned long i = 0;
    while (s[i] && __concord_model_strchr(accepted, s[i]))
        i++;
    return i;
}

static unsigned long __concord_model_strcspn(const char *s, const char *rejected)
{
    unsigned long i = 0;
    while (s[i] && !__concord_model_strchr(rejected, s[i]))
        i++;
    return i;
}

static char *__concord_model_strpbrk(const char *s, const char *accepted)
{
    for (; *s; s++)
        if (__concord_model_strchr(accepted, *s))
            return (char *)s;
    return 0;
}

static char *__concord_model_strstr(const char *s, const char *wanted)
{
    unsigned long length = __concord_model_strlen(wanted);
    for (;; s++) {
        if (__concord_model___concord_compare_text(s, wanted, length) == 0)
            return (char *)s;
        if (!*s)
            return 0;
    }
}

static char *__concord_model_strdup(const char *s)
{
    unsigned long length = __concord_model_strlen(s) + 1;
    char *copy = __builtin_malloc(length);
    return copy ? __concord_model_strcpy(copy, s) : 0;
}
