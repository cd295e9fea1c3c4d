/* Functions of numbers whose results are not computed: what is certain about them. C leaves their last bits open, glibc's results
   are nearer than the bounds here. All of them may set errno. */

extern float __concord_any_float(void);

static double __concord_model_sin(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x - x != 0)
        return x - x;
    if (x == 0)
        return x;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    return result;
}

static float __concord_model_sinf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x - x != 0)
        return x - x;
    if (x == 0)
        return x;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    return result;
}

static double __concord_model_cos(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x - x != 0)
        return x - x;
    if (x == 0)
        return 1;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    return result;
}

static float __concord_model_cosf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x - x != 0)
        return x - x;
    if (x == 0)
        return 1;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    return result;
}

static double __concord_model_tan(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x - x != 0)
        return x - x;
    if (x == 0)
        return x;
    if (result != result)
        __builtin_unreachable();
    return result;
}

static float __concord_model_tanf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x - x != 0)
        return x - x;
    if (x == 0)
        return x;
    if (result != result)
        __builtin_unreachable();
    return result;
}

static double __concord_model_tanh(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    if (x > 0 ? result < 0 : result > 0)
        __builtin_unreachable();
    return result;
}

static float __concord_model_tanhf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    if (x > 0 ? result < 0 : result > 0)
        __builtin_unreachable();
    return result;
}

static double __concord_model_atan(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (!(result >= -1.58 && result <= 1.58))
        __builtin_unreachable();
    if (x > 0 ? result < 0 : result > 0)
        __builtin_unreachable();
    return result;
}

static float __concord_model_atanf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (!(result >= -1.58 && result <= 1.58))
        __builtin_unreachable();
    if (x > 0 ? result < 0 : result > 0)
        __builtin_unreachable();
    return result;
}

static double __concord_model_asin(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (x < -1 || x > 1)
        return (x - x) / (x - x);
    if (!(result >= -1.58 && result <= 1.58))
        __builtin_unreachable();
    if (x > 0 ? result < 0 : result > 0)
        __builtin_unreachable();
    return result;
}

static float __concord_model_asinf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (x < -1 || x > 1)
        return (x - x) / (x - x);
    if (!(result >= -1.58 && result <= 1.58))
        __builtin_unreachable();
    if (x > 0 ? result < 0 : result > 0)
        __builtin_unreachable();
    return result;
}

static double __concord_model_acos(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < -1 || x > 1)
        return (x - x) / (x - x);
    if (x == 1)
        return 0;
    if (!(result >= 0 && result <= 3.15))
        __builtin_unreachable();
    return result;
}

static float __concord_model_acosf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < -1 || x > 1)
        return (x - x) / (x - x);
    if (x == 1)
        return 0;
    if (!(result >= 0 && result <= 3.15))
        __builtin_unreachable();
    return result;
}

static double __concord_model_atan2(double x, double y)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x || y != y)
        return x + y;
    if (!(result >= -3.15 && result <= 3.15))
        __builtin_unreachable();
    return result;
}

static float __concord_model_atan2f(float x, float y)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x || y != y)
        return x + y;
    if (!(result >= -3.15 && result <= 3.15))
        __builtin_unreachable();
    return result;
}

static double __concord_model_exp(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return 1;
    if (!(result >= 0) || (x > 0 ? result < 1 : result > 1))
        __builtin_unreachable();
    return result;
}

static float __concord_model_expf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return 1;
    if (!(result >= 0) || (x > 0 ? result < 1 : result > 1))
        __builtin_unreachable();
    return result;
}

static double __concord_model_exp2(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return 1;
    if (!(result >= 0) || (x > 0 ? result < 1 : result > 1))
        __builtin_unreachable();
    return result;
}

static float __concord_model_exp2f(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return 1;
    if (!(result >= 0) || (x > 0 ? result < 1 : result > 1))
        __builtin_unreachable();
    return result;
}

static double __concord_model_log(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < 0)
        return (x - x) / (x - x);
    if (x == 0)
        return -1 / (x * x);
    if (x == 1)
        return 0;
    if (result != result || (x > 1 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static float __concord_model_logf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < 0)
        return (x - x) / (x - x);
    if (x == 0)
        return -1 / (x * x);
    if (x == 1)
        return 0;
    if (result != result || (x > 1 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static double __concord_model_log2(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < 0)
        return (x - x) / (x - x);
    if (x == 0)
        return -1 / (x * x);
    if (x == 1)
        return 0;
    if (result != result || (x > 1 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static float __concord_model_log2f(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < 0)
        return (x - x) / (x - x);
    if (x == 0)
        return -1 / (x * x);
    if (x == 1)
        return 0;
    if (result != result || (x > 1 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static double __concord_model_log10(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < 0)
        return (x - x) / (x - x);
    if (x == 0)
        return -1 / (x * x);
    if (x == 1)
        return 0;
    if (result != result || (x > 1 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static float __concord_model_log10f(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x < 0)
        return (x - x) / (x - x);
    if (x == 0)
        return -1 / (x * x);
    if (x == 1)
        return 0;
    if (result != result || (x > 1 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static double __concord_model_cosh(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return 1;
    if (!(result >= 1))
        __builtin_unreachable();
    return result;
}

static float __concord_model_coshf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return 1;
    if (!(result >= 1))
        __builtin_unreachable();
    return result;
}

static double __concord_model_sinh(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (result != result || (x > 0 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static float __concord_model_sinhf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (result != result || (x > 0 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static double __concord_model_cbrt(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (result != result || (x > 0 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static float __concord_model_cbrtf(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (result != result || (x > 0 ? result < 0 : result > 0))
        __builtin_unreachable();
    return result;
}

static double __concord_model_hypot(double x, double y)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (result < 0 || (result != result && x == x && y == y))
        __builtin_unreachable();
    return result;
}

static float __concord_model_hypotf(float x, float y)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (result < 0 || (result != result && x == x && y == y))
        __builtin_unreachable();
    return result;
}

static double __concord_model___concord_guess_pow(double x, double y)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x > 0 && !(result >= 0))
        __builtin_unreachable();
    return result;
}

static double __concord_model_pow(double x, double y)
{
    if ((y == 0 && x == x) || (x == 1 && y == y))
        return 1;
    if ((x != x && y != 0) || (y != y && x != 1))
        return x + y;
    if (y == 1)
        return x;
    /* Products of small whole numbers are exact, and so are their powers below 2 to the 53. */
    if (y >= 2 && y <= 60 && x >= -65536 && x <= 65536 && x == (int)x) {
        double product = x;
        int i = (int)y;
        if (y == i) {
            for (; i > 1 && product >= -137438953472.0 && product <= 137438953472.0; i--)
                product = product * x;
            if (i == 1 && product >= -9007199254740992.0 && product <= 9007199254740992.0)
                return product;
        }
    }
    return __concord_model___concord_guess_pow(x, y);
}

static float __concord_model___concord_guess_powf(float x, float y)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x > 0 && !(result >= 0))
        __builtin_unreachable();
    return result;
}

static float __concord_model_powf(float x, float y)
{
    if ((y == 0 && x == x) || (x == 1 && y == y))
        return 1;
    if ((x != x && y != 0) || (y != y && x != 1))
        return x + y;
    if (y == 1)
        return x;
    /* Products of small whole numbers are exact, and so are their powers below 2 to the 24. */
    if (y >= 2 && y <= 60 && x >= -65536 && x <= 65536 && x == (int)x) {
        double product = x;
        int i = (int)y;
        if (y == i) {
            for (; i > 1 && product >= -137438953472.0 && product <= 137438953472.0; i--)
                product = product * x;
            if (i == 1 && product >= -16777216.0 && product <= 16777216.0)
                return (float)product;
        }
    }
    return __concord_model___concord_guess_powf(x, y);
}

static double __concord_model_erf(double x)
{
    double result = __concord_any_double();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    return result;
}

static float __concord_model_erff(float x)
{
    float result = __concord_any_float();
    __concord_errno = __concord_any_int();
    if (x != x)
        return x + x;
    if (x == 0)
        return x;
    if (!(result >= -1 && result <= 1))
        __builtin_unreachable();
    return result;
}
