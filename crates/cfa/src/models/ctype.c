/* Character classes of the "C" locale. */

static int __concord_model_isdigit(int c)
{
    return c >= '0' && c <= '9';
}

static int __concord_model_islower(int c)
{
    return c >= 'a' && c <= 'z';
}

static int __concord_model_isupper(int c)
{
    return c >= 'A' && c <= 'Z';
}

static int __concord_model_isalpha(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int __concord_model_isalnum(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static int __concord_model_isspace(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int __concord_model_isblank(int c)
{
    return c == ' ' || c == '\t';
}

static int __concord_model_iscntrl(int c)
{
    return (c >= 0 && c < 32) || c == 127;
}

static int __concord_model_isprint(int c)
{
    return c >= 32 && c < 127;
}

static int __concord_model_isgraph(int c)
{
    return c > 32 && c < 127;
}

static int __concord_model_ispunct(int c)
{
    return (c > 32 && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 127);
}

static int __concord_model_isxdigit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
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
