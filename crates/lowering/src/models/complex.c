/* Quotients of complex floats are computed in double. */
static _Complex float __concord_model___concord_divsc3(float a, float b, float c, float d)
{
    double aa = a, bb = b, cc = c, dd = d, lower = cc * cc + dd * dd;
    float x = (aa * cc + bb * dd) / lower, y = (bb * cc - aa * dd) / lower;
    _Complex float result;
    if (x != x && y != y) {
        if (c == 0 && d == 0 && (a == a || b == b)) {
            x = __builtin_copysignf(__builtin_inff(), c) * a;
            y = __builtin_copysignf(__builtin_inff(), c) * b;
        } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {
            a = __builtin_copysignf(__builtin_isinf(a) ? 1 : 0, a);
            b = __builtin_copysignf(__builtin_isinf(b) ? 1 : 0, b);
            x = __builtin_inff() * (a * c + b * d);
            y = __builtin_inff() * (b * c - a * d);
        } else if ((__builtin_isinf(c) || __builtin_isinf(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = __builtin_copysignf(__builtin_isinf(c) ? 1 : 0, c);
            d = __builtin_copysignf(__builtin_isinf(d) ? 1 : 0, d);
            x = 0 * (a * c + b * d);
            y = 0 * (b * c - a * d);
        }
    }
    __real__ result = x;
    __imag__ result = y;
    return result;
}

