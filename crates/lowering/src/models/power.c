
/* A template: NUMBER is the type, SUFFIX ends the names of its functions, EXACT is the end of the whole numbers that it has. */
static NUMBER __concord_model_powSUFFIX(NUMBER x, NUMBER y)
{
    if ((y == 0 && x == x) || (x == 1 && y == y))
        return 1;
    if ((x != x && y != 0) || (y != y && x != 1))
        return x + y;
    if (y == 1)
        return x;
    /* Products of small whole numbers are exact, and so are their powers up to EXACT. */
    if (y >= 2 && y <= 60 && x >= -65536 && x <= 65536 && x == (int)x) {
        double product = x;
        int i = (int)y;
        if (y == i) {
            for (; i > 1 && product >= -137438953472.0 && product <= 137438953472.0; i--)
                product = product * x;
            if (i == 1 && product >= -EXACT && product <= EXACT)
                return (NUMBER)product;
        }
    }
    return __concord_model___concord_guess_powSUFFIX(x, y);
}
