/* The pieces of which `sprintf` and its kin make their text. Each writes at position `at` of the target, as far as
   `limit` allows, and returns the position behind it. Flags: 1 `-`, 2 `+`, 4 space, 8 `#`, 16 `0`, 32 capitals. */

static unsigned long __concord_model___concord_put(char *target, unsigned long limit, unsigned long at, char c)
{
    if (limit > 0 && at < limit - 1)
        target[at] = c;
    return at + 1;
}

/* The end of the text; its length. */
static int __concord_model___concord_put_end(char *target, unsigned long limit, unsigned long at)
{
    if (limit > 0)
        target[at < limit - 1 ? at : limit - 1] = 0;
    return (int)at;
}

static unsigned long __concord_model___concord_put_bytes(char *target, unsigned long limit, unsigned long at,
                                                         const char *s, unsigned long length)
{
    unsigned long i;
    if (limit == 0)
        return at + length;
    for (i = 0; i < length; i++)
        at = __concord_model___concord_put(target, limit, at, s[i]);
    return at;
}

static unsigned long __concord_model___concord_put_padding(char *target, unsigned long limit, unsigned long at, char c,
                                                           int count)
{
    if (limit == 0)
        return count > 0 ? at + count : at;
    for (; count > 0; count--)
        at = __concord_model___concord_put(target, limit, at, c);
    return at;
}

/* A width that is given as an argument may be negative: then it is on the left. */
static unsigned long __concord_model___concord_put_text(char *target, unsigned long limit, unsigned long at,
                                                        const char *s, int flags, int width, int precision)
{
    unsigned long length;
    int padding;
    if (width < 0) {
        flags |= 1;
        width = -width;
    }
    /* As glibc: the word or nothing, never a part of it. */
    if (!s)
        s = precision < 0 || precision >= 6 ? "(null)" : "";
    length = precision < 0 ? __concord_model_strlen(s) : __concord_model_strnlen(s, precision);
    padding = (unsigned long)width > length ? (int)(width - length) : 0;
    if (!(flags & 1))
        at = __concord_model___concord_put_padding(target, limit, at, ' ', padding);
    at = __concord_model___concord_put_bytes(target, limit, at, s, length);
    if (flags & 1)
        at = __concord_model___concord_put_padding(target, limit, at, ' ', padding);
    return at;
}

static unsigned long __concord_model___concord_put_char(char *target, unsigned long limit, unsigned long at, int c,
                                                        int flags, int width)
{
    if (width < 0) {
        flags |= 1;
        width = -width;
    }
    if (!(flags & 1))
        at = __concord_model___concord_put_padding(target, limit, at, ' ', width - 1);
    at = __concord_model___concord_put(target, limit, at, (char)c);
    if (flags & 1)
        at = __concord_model___concord_put_padding(target, limit, at, ' ', width - 1);
    return at;
}

static unsigned long __concord_model___concord_put_number(char *target, unsigned long limit, unsigned long at,
                                                          unsigned long long value, int negative, unsigned int base,
                                                          int flags, int width, int precision)
{
    char digits[24];
    char sign = negative ? '-' : flags & 2 ? '+' : flags & 4 ? ' ' : 0;
    int count = 0, zeros, padding, prefixed = (flags & 8) && base == 16 && value != 0;
    if (width < 0) {
        flags |= 1;
        width = -width;
    }
    for (; value != 0; value /= base) {
        unsigned int digit = (unsigned int)(value % base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : (flags & 32 ? 'A' : 'a') + (digit - 10));
    }
    zeros = (precision < 0 ? 1 : precision) - count;
    if (zeros < 0)
        zeros = 0;
    if ((flags & 8) && base == 8 && zeros == 0)
        zeros = 1;
    padding = width - (count + zeros + (sign != 0) + 2 * prefixed);
    if (padding < 0)
        padding = 0;
    if ((flags & 16) && !(flags & 1) && precision < 0) {
        zeros += padding;
        padding = 0;
    }
    if (!(flags & 1))
        at = __concord_model___concord_put_padding(target, limit, at, ' ', padding);
    if (sign)
        at = __concord_model___concord_put(target, limit, at, sign);
    if (prefixed) {
        at = __concord_model___concord_put(target, limit, at, '0');
        at = __concord_model___concord_put(target, limit, at, flags & 32 ? 'X' : 'x');
    }
    at = __concord_model___concord_put_padding(target, limit, at, '0', zeros);
    while (count > 0)
        at = __concord_model___concord_put(target, limit, at, digits[--count]);
    if (flags & 1)
        at = __concord_model___concord_put_padding(target, limit, at, ' ', padding);
    return at;
}

/* A piece whose text is not computed: at most `most` characters. */
static unsigned long __concord_model___concord_put_any(char *target, unsigned long limit, unsigned long at,
                                                       unsigned long most)
{
    unsigned long length = __concord_any_size();
    if (length > most)
        __builtin_unreachable();
    for (; length > 0; length--)
        at = __concord_model___concord_put(target, limit, at, __concord_any_char());
    return at;
}

/* A new text of this length that is not computed. */
static int __concord_model___concord_open_text(char **target, unsigned long length)
{
    if (length >= 131072)
        return -1;
    *target = __builtin_malloc(length + 1);
    if (!*target)
        return -1;
    (*target)[length] = 0;
    return (int)length;
}

static int __concord_model_vasprintf(char **target, const char *format, __builtin_va_list list)
{
    return __concord_model___concord_open_text(target, __concord_any_size());
}

static int __concord_model_asprintf(char **target, const char *format, ...)
{
    return __concord_model___concord_open_text(target, __concord_any_size());
}
