/* Character classes of the "C" locale. */

/* C promises only that a result is not zero; `usual` is glibc's. */
static int __concord_model___concord_nonzero(int unusual, int usual)
{
    int other = __concord_any_int();
    if (!unusual)
        return usual;
    if (other == 0)
        __builtin_unreachable();
    return other;
}

static int __concord_model_isdigit(int c)
{
    return (c >= '0' && c <= '9')
        ? __concord_model___concord_nonzero(__concord_unusual(), 2048) : 0;
}

static int __concord_model_islower(int c)
{
    return (c >= 'a' && c <= 'z')
        ? __concord_model___concord_nonzero(__concord_unusual(), 512) : 0;
}

static int __concord_model_isupper(int c)
{
    return (c >= 'A' && c <= 'Z')
        ? __concord_model___concord_nonzero(__concord_unusual(), 256) : 0;
}

static int __concord_model_isalpha(int c)
{
    return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        ? __concord_model___concord_nonzero(__concord_unusual(), 1024) : 0;
}

static int __concord_model_isalnum(int c)
{
    return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
        ? __concord_model___concord_nonzero(__concord_unusual(), 8) : 0;
}

static int __concord_model_isspace(int c)
{
    return (c == ' ' || (c >= '\t' && c <= '\r'))
        ? __concord_model___concord_nonzero(__concord_unusual(), 8192) : 0;
}

static int __concord_model_isblank(int c)
{
    return (c == ' ' || c == '\t')
        ? __concord_model___concord_nonzero(__concord_unusual(), 1) : 0;
}

static int __concord_model_iscntrl(int c)
{
    return ((c >= 0 && c < 32) || c == 127)
        ? __concord_model___concord_nonzero(__concord_unusual(), 2) : 0;
}

static int __concord_model_isprint(int c)
{
    return (c >= 32 && c < 127)
        ? __concord_model___concord_nonzero(__concord_unusual(), 16384) : 0;
}

static int __concord_model_isgraph(int c)
{
    return (c > 32 && c < 127)
        ? __concord_model___concord_nonzero(__concord_unusual(), 32768) : 0;
}

static int __concord_model_ispunct(int c)
{
    return ((c > 32 && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 127))
        ? __concord_model___concord_nonzero(__concord_unusual(), 4) : 0;
}

static int __concord_model_isxdigit(int c)
{
    return ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
        ? __concord_model___concord_nonzero(__concord_unusual(), 4096) : 0;
}

static int __concord_model_isascii(int c)
{
    return c >= 0 && c < 128;
}

static int __concord_model_tolower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int __concord_model_toupper(int c)
{
    return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c;
}

static int __concord_model_toascii(int c)
{
    return c & 127;
}

/* glibc's headers expand the functions above to lookups in tables (`tables.rs`), from -128 to 255. */

static const unsigned short **__concord_model___ctype_b_loc(void)
{
    static const unsigned short *table = __concord_ctype_classes + 128;
    return &table;
}

static const int **__concord_model___ctype_tolower_loc(void)
{
    static const int *table = __concord_ctype_lower + 128;
    return &table;
}

static const int **__concord_model___ctype_toupper_loc(void)
{
    static const int *table = __concord_ctype_upper + 128;
    return &table;
}
