/* A template as `product.c`: Smith's method with the scaling of Baudin and Smith, "A Robust Complex Division in Scilab" (2012), with the
   bounds and the order of operations of gcc 12. Scaling must not touch a NaN, whose sign counts later. */
static _Complex NUMBER __concord_model___concord_divLETTERc3(NUMBER a, NUMBER b, NUMBER c, NUMBER d)
{
    NUMBER large = LARGEST / 2, tiny = SMALLEST, small = EPSILON, medium = large * small;
    NUMBER larger = __builtin_fabsSUFFIX(c), ratio, lower, x, y;
    int swapped = larger < __builtin_fabsSUFFIX(d);
    _Complex NUMBER result;
    if (swapped)
        larger = __builtin_fabsSUFFIX(d);
    if (larger >= large) {
        a = a == a ? a / 2 : a;
        b = b == b ? b / 2 : b;
        c = c == c ? c / 2 : c;
        d = d == d ? d / 2 : d;
        larger = larger / 2;
    }
    if (larger < small ||
        (__builtin_fabsSUFFIX(a) < tiny && __builtin_fabsSUFFIX(b) < medium && larger < medium) ||
        (__builtin_fabsSUFFIX(b) < tiny && __builtin_fabsSUFFIX(a) < medium && larger < medium)) {
        a = a == a ? a * (1 / small) : a;
        b = b == b ? b * (1 / small) : b;
        c = c == c ? c * (1 / small) : c;
        d = d == d ? d * (1 / small) : d;
    }
    if (swapped) {
        ratio = c / d;
        lower = c * ratio + d;
        if (__builtin_fabsSUFFIX(ratio) > tiny) {
            x = (a * ratio + b) / lower;
            y = (b * ratio - a) / lower;
        } else {
            x = (c * (a / d) + b) / lower;
            y = (c * (b / d) - a) / lower;
        }
    } else {
        ratio = d / c;
        lower = d * ratio + c;
        if (__builtin_fabsSUFFIX(ratio) > tiny) {
            x = (b * ratio + a) / lower;
            y = (b - a * ratio) / lower;
        } else {
            x = (a + d * (b / c)) / lower;
            y = (b - d * (a / c)) / lower;
        }
    }
    if (x != x && y != y) {
        if (c == 0 && d == 0 && (a == a || b == b)) {
            x = __builtin_copysignSUFFIX(__builtin_infSUFFIX(), c) * a;
            y = __builtin_copysignSUFFIX(__builtin_infSUFFIX(), c) * b;
        } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) {
            a = __builtin_copysignSUFFIX(__builtin_isinf(a) ? 1 : 0, a);
            b = __builtin_copysignSUFFIX(__builtin_isinf(b) ? 1 : 0, b);
            x = __builtin_infSUFFIX() * (a * c + b * d);
            y = __builtin_infSUFFIX() * (b * c - a * d);
        } else if ((__builtin_isinf(c) || __builtin_isinf(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) {
            c = __builtin_copysignSUFFIX(__builtin_isinf(c) ? 1 : 0, c);
            d = __builtin_copysignSUFFIX(__builtin_isinf(d) ? 1 : 0, d);
            x = 0 * (a * c + b * d);
            y = 0 * (b * c - a * d);
        }
    }
    __real__ result = x;
    __imag__ result = y;
    return result;
}

