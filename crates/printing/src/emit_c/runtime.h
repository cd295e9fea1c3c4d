typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef __UINTPTR_TYPE__ uptr;
typedef __SIZE_TYPE__ usize;

extern int printf(const char *, ...);
extern int fprintf(void *, const char *, ...);
extern int puts(const char *);
extern int putchar(int);
extern int fputs(const char *, void *);
extern int fputc(int, void *);
extern void *stdout;
extern void *stderr;
extern void *malloc(usize);
extern void *calloc(usize, usize);
extern void *realloc(void *, usize);
extern void *aligned_alloc(usize, usize);
extern void free(void *);
extern void exit(int) __attribute__((noreturn));
extern void abort(void) __attribute__((noreturn));
/* Memory that the program gets pointers to from outside. Where it cannot be had, a program that uses it fails. */
#ifdef __linux__
extern void *mmap(void *, usize, int, int, int, long);
static void map_outside(u64 address, usize size)
{
    /* Readable and writable; private, anonymous, at this address and in nobody's way. */
    mmap((void *)(uptr)address, size, 3, 0x100022, -1, 0);
}
#else
static void map_outside(u64 address, usize size) { }
#endif
#define copy_bytes(to, from, n) __builtin_memmove((void *)(uptr)(to), (void *)(uptr)(from), (n))
#define fill_bytes(to, byte, n) __builtin_memset((void *)(uptr)(to), (int)(byte), (n))

/* Values in memory, at any address and whatever was written there before. */
struct any_u8 { u8 v; } __attribute__((packed, may_alias));
struct any_u16 { u16 v; } __attribute__((packed, may_alias));
struct any_u32 { u32 v; } __attribute__((packed, may_alias));
struct any_u64 { u64 v; } __attribute__((packed, may_alias));
#define load_u8(a) (((struct any_u8 *)(uptr)(a))->v)
#define load_u16(a) (((struct any_u16 *)(uptr)(a))->v)
#define load_u32(a) (((struct any_u32 *)(uptr)(a))->v)
#define load_u64(a) (((struct any_u64 *)(uptr)(a))->v)
#define load_some(T, a, n) \
    ({ T load_value; __builtin_memset(&load_value, 0, sizeof load_value); \
       __builtin_memcpy(&load_value, (void *)(uptr)(a), (n)); load_value; })
#define store_some(T, a, n, x) \
    do { T store_value = (x); __builtin_memcpy((void *)(uptr)(a), &store_value, (n)); } while (0)
#define same_bits(From, To, x) \
    ({ From bits_from = (x); To bits_to; __builtin_memset(&bits_to, 0, sizeof bits_to); \
       __builtin_memcpy(&bits_to, &bits_from, \
                        sizeof(From) < sizeof(To) ? sizeof(From) : sizeof(To)); bits_to; })

static __attribute__((unused, noreturn)) void ends(const char *why, int status)
{
    fprintf(stderr, "%s\n", why);
    exit(status);
}

/* Division as the automaton has it: that of the smallest value by -1 ends the execution as one by zero does. */
static __attribute__((unused)) i32 by_i32(i32 a, i32 b) { return b == -1 && (u32)a == 1u << 31 ? 0 : b; }
static __attribute__((unused)) i64 by_i64(i64 a, i64 b) { return b == -1 && (u64)a == (u64)1 << 63 ? 0 : b; }
static __attribute__((unused)) u32 div_i32(i32 a, i32 b) { return (u32)(a / by_i32(a, b)); }
static __attribute__((unused)) u32 rem_i32(i32 a, i32 b) { return (u32)(a % by_i32(a, b)); }
static __attribute__((unused)) u64 div_i64(i64 a, i64 b) { return (u64)(a / by_i64(a, b)); }
static __attribute__((unused)) u64 rem_i64(i64 a, i64 b) { return (u64)(a % by_i64(a, b)); }

/* Integers of more than 64 bits. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide;
typedef __int128 iwide;
#define wide_of(hi, lo) ((wide)(hi) << 64 | (lo))
#define wide_low(a) ((u64)(a))
#define wide_from_u64(a) ((wide)(u64)(a))
#define wide_from_i64(a) ((wide)(iwide)(i64)(a))
#define wide_and(a, b) ((a) & (b))
#define wide_or(a, b) ((a) | (b))
#define wide_xor(a, b) ((a) ^ (b))
#define wide_not(a) (~(a))
#define wide_add(a, b) ((a) + (b))
#define wide_sub(a, b) ((a) - (b))
#define wide_mul(a, b) ((a) * (b))
#define wide_shl(a, n) ((a) << ((n) & 127))
#define wide_lshr(a, n) ((a) >> ((n) & 127))
#define wide_ashr(a, n) ((wide)((iwide)(a) >> ((n) & 127)))
#define wide_eq(a, b) ((a) == (b))
#define wide_ult(a, b) ((a) < (b))
#define wide_slt(a, b) ((iwide)(a) < (iwide)(b))
#define wide_udiv(a, b) ((a) / (b))
#define wide_urem(a, b) ((a) % (b))
static __attribute__((unused)) wide wide_sdiv(wide a, wide b)
{
    return b == (wide)-1 ? -a : (wide)((iwide)a / (iwide)b);
}
static __attribute__((unused)) wide wide_srem(wide a, wide b)
{
    return b == (wide)-1 ? 0 : (wide)((iwide)a % (iwide)b);
}
#else
typedef struct { u64 lo, hi; } wide;
static __attribute__((unused)) wide wide_of(u64 hi, u64 lo) { wide r = {lo, hi}; return r; }
#define wide_low(a) ((a).lo)
#define wide_from_u64(a) wide_of(0, (u64)(a))
static __attribute__((unused)) wide wide_from_i64(i64 a) { return wide_of(a < 0 ? -1 : 0, (u64)a); }
static __attribute__((unused)) wide wide_and(wide a, wide b) { return wide_of(a.hi & b.hi, a.lo & b.lo); }
static __attribute__((unused)) wide wide_or(wide a, wide b) { return wide_of(a.hi | b.hi, a.lo | b.lo); }
static __attribute__((unused)) wide wide_xor(wide a, wide b) { return wide_of(a.hi ^ b.hi, a.lo ^ b.lo); }
static __attribute__((unused)) wide wide_not(wide a) { return wide_of(~a.hi, ~a.lo); }
static __attribute__((unused)) wide wide_add(wide a, wide b)
{
    u64 lo = a.lo + b.lo;
    return wide_of(a.hi + b.hi + (lo < a.lo), lo);
}
static __attribute__((unused)) wide wide_sub(wide a, wide b)
{
    return wide_of(a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo);
}
static __attribute__((unused)) wide wide_shl(wide a, u32 n)
{
    n &= 127;
    if (n == 0) return a;
    if (n >= 64) return wide_of(a.lo << (n - 64), 0);
    return wide_of(a.hi << n | a.lo >> (64 - n), a.lo << n);
}
static __attribute__((unused)) wide wide_lshr(wide a, u32 n)
{
    n &= 127;
    if (n == 0) return a;
    if (n >= 64) return wide_of(0, a.hi >> (n - 64));
    return wide_of(a.hi >> n, a.lo >> n | a.hi << (64 - n));
}
static __attribute__((unused)) wide wide_ashr(wide a, u32 n)
{
    n &= 127;
    if (n == 0) return a;
    if (n >= 64) return wide_of((i64)a.hi >> 63, (u64)((i64)a.hi >> (n - 64)));
    return wide_of((u64)((i64)a.hi >> n), a.lo >> n | a.hi << (64 - n));
}
static __attribute__((unused)) wide wide_mul(wide a, wide b)
{
    wide r = {0, 0};
    for (int i = 0; i < 128; i++)
        if (wide_lshr(b, i).lo & 1) r = wide_add(r, wide_shl(a, i));
    return r;
}
static __attribute__((unused)) int wide_eq(wide a, wide b) { return a.lo == b.lo && a.hi == b.hi; }
static __attribute__((unused)) int wide_ult(wide a, wide b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
static __attribute__((unused)) int wide_slt(wide a, wide b)
{
    return (i64)a.hi < (i64)b.hi || (a.hi == b.hi && a.lo < b.lo);
}
static __attribute__((unused)) wide wide_urem(wide a, wide b)
{
    wide r = {0, 0};
    if (wide_eq(b, r)) __builtin_trap();
    for (int i = 127; i >= 0; i--) {
        int carry = r.hi >> 63;
        r = wide_shl(r, 1);
        r.lo |= wide_lshr(a, i).lo & 1;
        if (carry || !wide_ult(r, b)) r = wide_sub(r, b);
    }
    return r;
}
static __attribute__((unused)) wide wide_udiv(wide a, wide b)
{
    wide r = {0, 0}, q = {0, 0};
    if (wide_eq(b, r)) __builtin_trap();
    for (int i = 127; i >= 0; i--) {
        int carry = r.hi >> 63;
        r = wide_shl(r, 1);
        r.lo |= wide_lshr(a, i).lo & 1;
        q = wide_shl(q, 1);
        if (carry || !wide_ult(r, b)) { r = wide_sub(r, b); q.lo |= 1; }
    }
    return q;
}
static __attribute__((unused)) wide wide_negate_if(int yes, wide a)
{
    return yes ? wide_sub(wide_of(0, 0), a) : a;
}
static __attribute__((unused)) wide wide_sdiv(wide a, wide b)
{
    int x = a.hi >> 63, y = b.hi >> 63;
    return wide_negate_if(x != y, wide_udiv(wide_negate_if(x, a), wide_negate_if(y, b)));
}
static __attribute__((unused)) wide wide_srem(wide a, wide b)
{
    int x = a.hi >> 63, y = b.hi >> 63;
    return wide_negate_if(x, wide_urem(wide_negate_if(x, a), wide_negate_if(y, b)));
}
#endif
#define wide_zero_extend(a, width) wide_lshr(wide_shl((a), 128 - (width)), 128 - (width))
#define wide_sign_extend(a, width) wide_ashr(wide_shl((a), 128 - (width)), 128 - (width))

/* Objects that die with the activation that allocated them. */
struct chunk { struct chunk *next; };
static __attribute__((unused)) uptr push_chunk(struct chunk **list, usize size)
{
    struct chunk *chunk = malloc(64 + size);
    if (!chunk) ends("out of memory", 3);
    chunk->next = *list;
    *list = chunk;
    return ((uptr)chunk + 63) & ~(uptr)15;
}
static __attribute__((unused)) void drop_chunks(struct chunk **list)
{
    while (*list) {
        struct chunk *next = (*list)->next;
        free(*list);
        *list = next;
    }
}
static __attribute__((unused)) uptr allocate(usize size, usize align)
{
    usize rounded = (size + align) & ~(align - 1);
    void *p = align > 16 ? aligned_alloc(align, rounded) : malloc(size + 1);
    if (!p) ends("out of memory", 3);
    __builtin_memset(p, 0, size);
    return (uptr)p;
}
