/* A template: LETTER names the type NUMBER as gcc's library does, SUFFIX as C does. C11, Annex G.5.1; with 32-bit pointers gcc's library
   computes in x87's format and rounds when it stores. */
static _Complex NUMBER __concord_model___concord_mulLETTERc3(NUMBER a, NUMBER b, NUMBER c, NUMBER d)
{
    NUMBER ac = sizeof(void *) == 4 ? (long double)a * c : a * c, bd = sizeof(void *) == 4 ? (long double)b * d : b * d;
    NUMBER ad = sizeof(void *) == 4 ? (long double)a * d : a * d, bc = sizeof(void *) == 4 ? (long double)b * c : b * c;
    NUMBER x = sizeof(void *) == 4 ? (long double)ac - bd : ac - bd, y = sizeof(void *) == 4 ? (long double)ad + bc : ad + bc;
    _Complex NUMBER result;
    if (x != x && y != y) {
        int left = __builtin_isinf(a) || __builtin_isinf(b);
        int right = __builtin_isinf(c) || __builtin_isinf(d);
        int overflow = __builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc);
        if (left) {
            a = __builtin_copysignSUFFIX(__builtin_isinf(a) ? 1 : 0, a);
            b = __builtin_copysignSUFFIX(__builtin_isinf(b) ? 1 : 0, b);
        }
        if (left || (!right && overflow)) {
            if (c != c)
                c = __builtin_copysignSUFFIX(0, c);
            if (d != d)
                d = __builtin_copysignSUFFIX(0, d);
        }
        if (right) {
            c = __builtin_copysignSUFFIX(__builtin_isinf(c) ? 1 : 0, c);
            d = __builtin_copysignSUFFIX(__builtin_isinf(d) ? 1 : 0, d);
        }
        if (right || (!left && overflow)) {
            if (a != a)
                a = __builtin_copysignSUFFIX(0, a);
            if (b != b)
                b = __builtin_copysignSUFFIX(0, b);
        }
        if (left || right || overflow) {
            x = __builtin_infSUFFIX() * (a * c - b * d);
            y = __builtin_infSUFFIX() * (a * d + b * c);
        }
    }
    __real__ result = x;
    __imag__ result = y;
    return result;
}

static _Complex NUMBER __concord_model_conjSUFFIX(_Complex NUMBER z)
{
    return ~z;
}

static NUMBER __concord_model_crealSUFFIX(_Complex NUMBER z)
{
    return __real__ z;
}

static NUMBER __concord_model_cimagSUFFIX(_Complex NUMBER z)
{
    return __imag__ z;
}

