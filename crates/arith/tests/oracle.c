/* Answers questions about floating-point operations, one per line, with what the compiler, the C library and the
   processor make of them. Questions: "<operation> <format> <rounding> <a> <b> <c>", patterns in hexadecimal. */
#define _GNU_SOURCE
#define __STDC_WANT_IEC_60559_TYPES_EXT__ 1
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 bits;

static bits read_bits(const char *text) {
  bits value = 0;
  for (; *text; text++)
    value = value * 16 + (*text <= '9' ? *text - '0' : *text - 'a' + 10);
  return value;
}

static void answer(bits value) {
  printf("%llx%016llx\n", (unsigned long long)(value >> 64), (unsigned long long)value);
}

#define IS(name) (strcmp(operation, name) == 0)

#define FORMAT(TAG, TYPE, SIZE, F)                                                                           \
  static bits pack_##TAG(TYPE value) {                                                                       \
    bits result = 0;                                                                                         \
    memcpy(&result, &value, SIZE);                                                                           \
    return result;                                                                                           \
  }                                                                                                          \
  static TYPE unpack_##TAG(bits pattern) {                                                                   \
    TYPE value = 0;                                                                                          \
    memcpy(&value, &pattern, SIZE);                                                                          \
    return value;                                                                                            \
  }                                                                                                          \
  static bits operate_##TAG(const char *operation, bits pa, bits pb, bits pc) {                              \
    volatile TYPE a = unpack_##TAG(pa), b = unpack_##TAG(pb), c = unpack_##TAG(pc);                          \
    if (IS("add")) return pack_##TAG(a + b);                                                                 \
    if (IS("sub")) return pack_##TAG(a - b);                                                                 \
    if (IS("mul")) return pack_##TAG(a * b);                                                                 \
    if (IS("div")) return pack_##TAG(a / b);                                                                 \
    if (IS("fma")) return pack_##TAG(F(fma)(a, b, c));                                                       \
    if (IS("sqrt")) return pack_##TAG(F(sqrt)(a));                                                           \
    if (IS("fmod")) return pack_##TAG(F(fmod)(a, b));                                                        \
    if (IS("remainder")) return pack_##TAG(F(remainder)(a, b));                                              \
    if (IS("fmin")) return pack_##TAG(F(fmin)(a, b));                                                        \
    if (IS("fmax")) return pack_##TAG(F(fmax)(a, b));                                                        \
    if (IS("floor")) return pack_##TAG(F(floor)(a));                                                         \
    if (IS("ceil")) return pack_##TAG(F(ceil)(a));                                                           \
    if (IS("trunc")) return pack_##TAG(F(trunc)(a));                                                         \
    if (IS("round")) return pack_##TAG(F(round)(a));                                                         \
    if (IS("rint")) return pack_##TAG(F(rint)(a));                                                           \
    if (IS("order")) return a < b ? 1 : a == b ? 2 : a > b ? 3 : 0;                                          \
    if (IS("to_single")) { float r = a; return pack_single(r); }                                             \
    if (IS("to_double")) { double r = a; return pack_double(r); }                                            \
    if (IS("to_x87")) { long double r = a; return pack_x87(r); }                                             \
    if (IS("to_quad")) { __float128 r = a; return pack_quad(r); }                                            \
    if (IS("from_i32")) return pack_##TAG((TYPE)(int)pa);                                                    \
    if (IS("from_u32")) return pack_##TAG((TYPE)(unsigned)pa);                                               \
    if (IS("from_i64")) return pack_##TAG((TYPE)(long long)pa);                                              \
    if (IS("from_u64")) return pack_##TAG((TYPE)(unsigned long long)pa);                                     \
    if (IS("from_i128")) return pack_##TAG((TYPE)(__int128)pa);                                              \
    if (IS("from_u128")) return pack_##TAG((TYPE)pa);                                                        \
    if (IS("to_i8")) return (unsigned char)(signed char)a;                                                   \
    if (IS("to_u8")) return (unsigned char)a;                                                                \
    if (IS("to_i16")) return (unsigned short)(short)a;                                                       \
    if (IS("to_u16")) return (unsigned short)a;                                                              \
    if (IS("to_i32")) return (unsigned)(int)a;                                                               \
    if (IS("to_u32")) return (unsigned)a;                                                                    \
    if (IS("to_i64")) return (unsigned long long)(long long)a;                                               \
    if (IS("to_u64")) return (unsigned long long)a;                                                          \
    if (IS("to_i128")) return (bits)(__int128)a;                                                             \
    if (IS("to_u128")) return (bits)a;                                                                       \
    fprintf(stderr, "unknown operation %s\n", operation);                                                    \
    exit(1);                                                                                                 \
  }

static bits pack_single(float);
static bits pack_double(double);
static bits pack_x87(long double);
static bits pack_quad(__float128);
#define NAME_F(name) name##f
#define NAME_D(name) name
#define NAME_L(name) name##l
#define NAME_Q(name) name##f128
FORMAT(single, float, 4, NAME_F)
FORMAT(double, double, 8, NAME_D)
FORMAT(x87, long double, 10, NAME_L)
FORMAT(quad, __float128, 16, NAME_Q)

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

int main(void) {
  char operation[64], format[64], a[64], b[64], c[64];
  int mode;
  while (scanf("%63s %63s %d %63s %63s %63s", operation, format, &mode, a, b, c) == 6) {
    if (IS("parse")) {
      if (!strcmp(format, "single")) answer(pack_single(strtof(a, 0)));
      if (!strcmp(format, "double")) answer(pack_double(strtod(a, 0)));
      if (!strcmp(format, "x87")) answer(pack_x87(strtold(a, 0)));
      if (!strcmp(format, "quad")) answer(pack_quad(strtof128(a, 0)));
      continue;
    }
    bits pa = read_bits(a), pb = read_bits(b);
    if (IS("print")) {
      for (char *at = c; *at; at++) if (*at == '_') *at = ' ';
      if (!strcmp(format, "double")) printf(c, unpack_double(pa));
      if (!strcmp(format, "x87")) printf(c, unpack_x87(pa));
      putchar('\n');
      continue;
    }
    bits pc = read_bits(c), result;
    fesetround(modes[mode]);
    if (!strcmp(format, "single")) result = operate_single(operation, pa, pb, pc);
    else if (!strcmp(format, "double")) result = operate_double(operation, pa, pb, pc);
    else if (!strcmp(format, "x87")) result = operate_x87(operation, pa, pb, pc);
    else result = operate_quad(operation, pa, pb, pc);
    fesetround(FE_TONEAREST);
    answer(result);
  }
  return 0;
}
