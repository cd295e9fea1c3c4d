
/* A template as `power.c`. */
static NUMBER __concord_model_ldexpSUFFIX(NUMBER x, int n)
{
    NUMBER y = (NUMBER)__concord_model___concord_scaled(x, n);
    if (x != 0 && x - x == 0 && (y == 0 || y - y != 0))
        __concord_errno = 34;
    return y;
}

static NUMBER __concord_model_scalbnSUFFIX(NUMBER x, int n)
{
    return __concord_model_ldexpSUFFIX(x, n);
}

static NUMBER __concord_model_scalblnSUFFIX(NUMBER x, long n)
{
    return __concord_model_ldexpSUFFIX(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n);
}
