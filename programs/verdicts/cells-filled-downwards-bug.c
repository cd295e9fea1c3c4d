// The lowest cell is left out: it holds anything.
#define BUG
#include "cells-filled-downwards.c"
