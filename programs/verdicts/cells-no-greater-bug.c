// The last cell was not looked at.
#define BUG
#include "cells-no-greater.c"
