// The second cell is left out: it is zero, and its index is not.
#define FIRST 2
#include "cells-filled.c"
