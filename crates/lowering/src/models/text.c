/* More string functions of C and POSIX, and numbers in text. */

static char *__concord_model_strndup(const char *s, unsigned long limit)
{
    unsigned long length = __concord_model_strnlen(s, limit), i;
    char *copy = __builtin_malloc(length + 1);
    if (!copy)
        return 0;
    for (i = 0; i < length; i++)
        copy[i] = s[i];
    copy[length] = 0;
    return copy;
}

static char *__concord_model_stpncpy(char *target, const char *source, unsigned long count)
{
    __concord_model_strncpy(target, source, count);
    return target + __concord_model_strnlen(target, count);
}

static unsigned long __concord_model_strlcpy(char *target, const char *source, unsigned long size)
{
    unsigned long length = __concord_model_strlen(source), i;
    if (size > 0) {
        for (i = 0; i < size - 1 && i < length; i++)
            target[i] = source[i];
        target[i] = 0;
    }
    return length;
}

static unsigned long __concord_model_strlcat(char *target, const char *source, unsigned long size)
{
    unsigned long end = __concord_model_strnlen(target, size);
    return end + __concord_model_strlcpy(target + end, source, size - end);
}

static void *__concord_model_memccpy(void *target, const void *source, int c, unsigned long count)
{
    unsigned char *to = target;
    const unsigned char *from = source;
    unsigned long i;
    for (i = 0; i < count; i++) {
        to[i] = from[i];
        if (from[i] == (unsigned char)c)
            return to + i + 1;
    }
    return 0;
}

static void *__concord_model_memrchr(const void *s, int c, unsigned long count)
{
    const unsigned char *x = s;
    while (count > 0) {
        count--;
        if (x[count] == (unsigned char)c)
            return (void *)(x + count);
    }
    return 0;
}

static void *__concord_model_rawmemchr(const void *s, int c)
{
    const unsigned char *x = s;
    while (*x != (unsigned char)c)
        x++;
    return (void *)x;
}

static char *__concord_model_strchrnul(const char *s, int c)
{
    while (*s && *s != (char)c)
        s++;
    return (char *)s;
}

static int __concord_model_strcasecmp(const char *a, const char *b)
{
    unsigned long i = 0;
    while (a[i] && __concord_model_tolower((unsigned char)a[i]) == __concord_model_tolower((unsigned char)b[i]))
        i++;
    return __concord_model___concord_sign(__concord_unusual(), __concord_model_tolower((unsigned char)a[i])
                                                                   - __concord_model_tolower((unsigned char)b[i]));
}

static int __concord_model_strncasecmp(const char *a, const char *b, unsigned long count)
{
    unsigned long i;
    for (i = 0; i < count; i++) {
        int x = __concord_model_tolower((unsigned char)a[i]), y = __concord_model_tolower((unsigned char)b[i]);
        if (x != y)
            return __concord_model___concord_sign(__concord_unusual(), x - y);
        if (!x)
            return 0;
    }
    return 0;
}

/* In the "C" locale. */
static int __concord_model_strcoll(const char *a, const char *b)
{
    return __concord_model_strcmp(a, b);
}

static char *__concord_model_strtok_r(char *s, const char *separators, char **rest)
{
    char *start;
    if (!s)
        s = *rest;
    if (!s)
        return 0;
    s += __concord_model_strspn(s, separators);
    if (!*s) {
        *rest = s;
        return 0;
    }
    start = s;
    s += __concord_model_strcspn(s, separators);
    if (*s) {
        *s = 0;
        s++;
    }
    *rest = s;
    return start;
}

static char *__concord_model___strtok_r(char *s, const char *separators, char **rest)
{
    return __concord_model_strtok_r(s, separators, rest);
}

static char *__concord_model_strtok(char *s, const char *separators)
{
    static char *rest;
    return __concord_model_strtok_r(s, separators, &rest);
}

static char *__concord_model_strsep(char **text, const char *separators)
{
    char *start = *text, *end;
    if (!start)
        return 0;
    end = start + __concord_model_strcspn(start, separators);
    if (*end) {
        *end = 0;
        *text = end + 1;
    } else
        *text = 0;
    return start;
}

/* The value of a digit or letter; 99 for anything else. */
static int __concord_model___concord_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

/* The magnitude of a number in text; too large ones become the largest. `*end` is where it ends, or the start of
   the text if there is none, or null for a base that is none. */
static unsigned long long __concord_model___concord_number(const char *s, char **end, int base, int *negative,
                                                           int *large, unsigned long long most)
{
    const char *start = s;
    unsigned long long n = 0;
    int any = 0;
    *negative = *large = 0;
    if (base < 0 || base == 1 || base > 36) {
        __concord_errno = 22;
        *end = 0;
        return 0;
    }
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+') {
        *negative = *s == '-';
        s++;
    }
    if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && __concord_model___concord_digit(s[2]) < 16) {
        base = 16;
        s += 2;
    } else if (base == 0)
        base = *s == '0' ? 8 : 10;
    for (;; s++) {
        int digit = __concord_model___concord_digit(*s);
        if (digit >= base)
            break;
        any = 1;
        if (n > (most - digit) / base)
            *large = 1;
        else
            n = n * base + digit;
    }
    *end = (char *)(any ? s : start);
    if (*large)
        __concord_errno = 34;
    return *large ? most : n;
}

static long long __concord_model_strtoll(const char *s, char **end, int base)
{
    char *stop;
    int negative, large;
    unsigned long long n;
    n = __concord_model___concord_number(s, &stop, base, &negative, &large, 0x8000000000000000ull);
    if (end && stop)
        *end = stop;
    if (!negative && n > 0x7fffffffffffffffull) {
        __concord_errno = 34;
        return 0x7fffffffffffffffll;
    }
    return negative ? (long long)-n : (long long)n;
}

static unsigned long long __concord_model_strtoull(const char *s, char **end, int base)
{
    char *stop;
    int negative, large;
    unsigned long long n;
    n = __concord_model___concord_number(s, &stop, base, &negative, &large, 0xffffffffffffffffull);
    if (end && stop)
        *end = stop;
    return negative && !large ? -n : n;
}

static long __concord_model_strtol(const char *s, char **end, int base)
{
    long long n = __concord_model_strtoll(s, end, base);
    if (n != (long)n) {
        __concord_errno = 34;
        return n < 0 ? (long)(1ul << (8 * sizeof(long) - 1)) : (long)((1ul << (8 * sizeof(long) - 1)) - 1);
    }
    return (long)n;
}

static unsigned long __concord_model_strtoul(const char *s, char **end, int base)
{
    char *stop;
    int negative, large;
    unsigned long n = __concord_model___concord_number(s, &stop, base, &negative, &large, (unsigned long)-1);
    if (end && stop)
        *end = stop;
    return negative && !large ? -n : n;
}

static long long __concord_model_strtoimax(const char *s, char **end, int base)
{
    return __concord_model_strtoll(s, end, base);
}

static unsigned long long __concord_model_strtoumax(const char *s, char **end, int base)
{
    return __concord_model_strtoull(s, end, base);
}

/* As glibc has it, where C leaves it undefined: the low bits of a `long` that is as large as it can be. */
static int __concord_model_atoi(const char *s)
{
    const unsigned long most = ~0ul >> 1;
    int negative = 0, large = 0;
    unsigned long n = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+') {
        negative = *s == '-';
        s++;
    }
    while (*s >= '0' && *s <= '9') {
        unsigned long digit = *s - '0';
        if (large || n > (most + negative - digit) / 10)
            large = 1;
        else
            n = 10 * n + digit;
        s++;
    }
    if (large) {
        __concord_errno = 34;
        n = most + negative;
    }
    return (int)(negative ? -n : n);
}

static long __concord_model_atol(const char *s)
{
    return __concord_model_strtol(s, 0, 10);
}

static long long __concord_model_atoll(const char *s)
{
    return __concord_model_strtoll(s, 0, 10);
}

/* Sorting and searching. Elements that compare equal keep their order, as glibc's merge sort has it; C allows any. */

static void __concord_model_qsort(void *base, unsigned long count, unsigned long size,
                                  int (*compare)(const void *, const void *))
{
    unsigned char *bytes = base;
    unsigned long i, j, k;
    for (i = 1; i < count; i++)
        for (j = i; j > 0; j--) {
            int order = compare(bytes + (j - 1) * size, bytes + j * size);
            if (order < 0 || (order == 0 && !__concord_unusual()))
                break;
            for (k = 0; k < size; k++) {
                unsigned char byte = bytes[(j - 1) * size + k];
                bytes[(j - 1) * size + k] = bytes[j * size + k];
                bytes[j * size + k] = byte;
            }
        }
}

/* The comparisons of glibc's merge sort, in their order. */
static void __concord_model___concord_sort(unsigned char *bytes, unsigned long count, unsigned long size,
                                           int (*compare)(const void *, const void *), unsigned char *room)
{
    unsigned long left = count / 2, i = 0, j = count / 2, k, at = 0;
    if (count <= 1)
        return;
    __concord_model___concord_sort(bytes, left, size, compare, room);
    __concord_model___concord_sort(bytes + left * size, count - left, size, compare, room);
    while (i < left && j < count) {
        unsigned long from = compare(bytes + i * size, bytes + j * size) <= 0 ? i++ : j++;
        for (k = 0; k < size; k++)
            room[at * size + k] = bytes[from * size + k];
        at++;
    }
    /* What is left of the right half is where it belongs. */
    for (; i < left; i++) {
        for (k = 0; k < size; k++)
            room[at * size + k] = bytes[i * size + k];
        at++;
    }
    for (k = 0; k < at * size; k++)
        bytes[k] = room[k];
}

/* The same for somebody who notices the comparisons: which ones are made, C leaves open. */
static void __concord_model___concord_qsort(void *base, unsigned long count, unsigned long size,
                                            int (*compare)(const void *, const void *))
{
    if (count <= 1)
        return;
    if (__concord_unusual())
        __concord_unsupported();
    __concord_model___concord_sort(base, count, size, compare, __builtin_alloca(count * size));
}

/* An element that is equal to the key; null if there is none. */
static void *__concord_model___concord_found(const void *key, const void *base, unsigned long count, unsigned long size,
                                             int (*compare)(const void *, const void *))
{
    unsigned long low = 0, high = count;
    while (low < high) {
        unsigned long middle = (low + high) / 2;
        const unsigned char *at = (const unsigned char *)base + middle * size;
        int order = compare(key, at);
        if (order == 0)
            return (void *)at;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static void *__concord_model_bsearch(const void *key, const void *base, unsigned long count, unsigned long size,
                                     int (*compare)(const void *, const void *))
{
    unsigned char *at = __concord_model___concord_found(key, base, count, size, compare);
    /* Of several, C allows any. */
    if (at && __concord_unusual()) {
        unsigned long other = __concord_any_size();
        if (other >= count)
            __builtin_unreachable();
        at = (unsigned char *)base + other * size;
        if (compare(key, at) != 0)
            __builtin_unreachable();
    }
    return at;
}

static void *__concord_model___concord_bsearch(const void *key, const void *base, unsigned long count,
                                               unsigned long size, int (*compare)(const void *, const void *))
{
    if (__concord_unusual())
        __concord_unsupported();
    return __concord_model___concord_found(key, base, count, size, compare);
}
