// One cell has another value, if the array is long enough.
#define VALUE (i == 7 ? 0 : i)
#include "cells-filled.c"
