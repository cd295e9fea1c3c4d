// Each cell gets the first one of the other array.
#define BUG
#include "cells-added.c"
