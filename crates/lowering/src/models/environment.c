/* What the program hears from outside: files, the clock, the environment. The bytes are any bytes. */

extern char __concord_any_char(void);
extern int __concord_any_int(void);
extern long __concord_any_long(void);
extern unsigned long __concord_any_size(void);
extern double __concord_any_double(void);
/* `malloc` and `free`, whatever the program makes of those names. */
extern void *__concord_new_bytes(unsigned long count);
extern void __concord_drop_bytes(void *bytes);

/* Every function that is not the program's own may set it. */
static int __concord_errno;

static int *__concord_model___errno_location(void)
{
    return &__concord_errno;
}


static void __concord_model___concord_any_bytes(void *target, unsigned long count)
{
    if (count > 0) {
        void *bytes = __concord_new_bytes(count);
        if (!bytes)
            __builtin_unreachable();
        __builtin_memcpy(target, bytes, count);
        __concord_drop_bytes(bytes);
    }
}

/* Any text of at most `most` characters, terminated. */
static unsigned long __concord_model___concord_any_text(char *target, unsigned long most)
{
    unsigned long length = __concord_any_size();
    if (length > most)
        __builtin_unreachable();
    __concord_model___concord_any_bytes(target, length);
    target[length] = 0;
    return length;
}

/* As above, of characters that are so many bytes wide, in an object for `limit` of them. */
static int __concord_model___concord_any_wide_text(void *target, unsigned long limit, unsigned long size)
{
    unsigned long length = __concord_any_size(), i;
    unsigned char *bytes = target;
    if (limit == 0)
        return -1;
    if (length >= limit)
        __builtin_unreachable();
    __concord_model___concord_any_bytes(target, length * size);
    for (i = 0; i < size; i++)
        bytes[length * size + i] = 0;
    return (int)length;
}

/* A new text from outside; null if there is none. */
static char *__concord_model___concord_new_text(void)
{
    unsigned long length = __concord_any_size();
    char *text;
    if (length >= 131072)
        return 0;
    text = __concord_new_bytes(length + 1);
    if (text)
        text[length] = 0;
    return text;
}

static long __concord_model___concord_some_bytes(void *target, unsigned long count)
{
    long got = __concord_any_long();
    __concord_errno = __concord_any_int();
    if (got < -1 || (got > 0 && (unsigned long)got > count))
        __builtin_unreachable();
    if (got > 0)
        __concord_model___concord_any_bytes(target, got);
    return got;
}

static long __concord_model_read(int file, void *target, unsigned long count)
{
    return __concord_model___concord_some_bytes(target, count);
}

static long __concord_model_recv(int file, void *target, unsigned long count, int flags)
{
    return __concord_model___concord_some_bytes(target, count);
}

static long __concord_model_readlink(const char *path, char *target, unsigned long count)
{
    return __concord_model___concord_some_bytes(target, count);
}

static long __concord_model_getrandom(void *target, unsigned long count, unsigned int flags)
{
    return __concord_model___concord_some_bytes(target, count);
}

static int __concord_model_getentropy(void *target, unsigned long count)
{
    return __concord_model___concord_some_bytes(target, count) < 0 ? -1 : 0;
}

static unsigned long __concord_model_fread(void *target, unsigned long size, unsigned long count, void *file)
{
    unsigned long got = __concord_any_size(), bytes;
    __concord_errno = __concord_any_int();
    if (got > count || size == 0 && got > 0)
        __builtin_unreachable();
    /* An element that was read in part has any bytes. */
    bytes = got < count ? __concord_any_size() : got * size;
    if (bytes < got * size || bytes > count * size)
        __builtin_unreachable();
    __concord_model___concord_any_bytes(target, bytes);
    return got;
}

static char *__concord_model_fgets(char *target, int size, void *file)
{
    __concord_errno = __concord_any_int();
    if (size <= 0 || __concord_any_char())
        return 0;
    __concord_model___concord_any_text(target, size - 1);
    return target;
}

static char *__concord_model_gets(char *target)
{
    __concord_errno = __concord_any_int();
    if (__concord_any_char())
        return 0;
    __concord_model___concord_any_text(target, 131072);
    return target;
}

static long __concord_model_getdelim(char **line, unsigned long *size, int end, void *file)
{
    unsigned long length = __concord_any_size();
    __concord_errno = __concord_any_int();
    if (length == 0 || length >= 131072)
        return -1;
    if (!*line || *size < length + 1) {
        /* At least what is needed. */
        unsigned long room = __concord_any_size();
        if (room <= length || room > 262144)
            __builtin_unreachable();
        *line = __builtin_realloc(*line, room);
        *size = room;
    }
    __concord_model___concord_any_bytes(*line, length);
    (*line)[length] = 0;
    return length;
}

static long __concord_model_getline(char **line, unsigned long *size, void *file)
{
    return __concord_model_getdelim(line, size, '\n', file);
}

static char *__concord_model_getcwd(char *target, unsigned long size)
{
    __concord_errno = __concord_any_int();
    if (!target)
        return __concord_model___concord_new_text();
    if (size == 0 || __concord_any_char())
        return 0;
    __concord_model___concord_any_text(target, size - 1);
    return target;
}

static char *__concord_model_realpath(const char *path, char *target)
{
    __concord_errno = __concord_any_int();
    if (!target)
        return __concord_model___concord_new_text();
    if (__concord_any_char())
        return 0;
    /* PATH_MAX bytes. */
    __concord_model___concord_any_text(target, 4095);
    return target;
}

static int __concord_model___concord_text_or_error(char *target, unsigned long size)
{
    if (size > 0)
        __concord_model___concord_any_text(target, size - 1);
    __concord_errno = __concord_any_int();
    return __concord_any_int();
}

static int __concord_model_gethostname(char *target, unsigned long size)
{
    return __concord_model___concord_text_or_error(target, size);
}

static int __concord_model_ttyname_r(int file, char *target, unsigned long size)
{
    return __concord_model___concord_text_or_error(target, size);
}

static int __concord_model_getlogin_r(char *target, unsigned long size)
{
    return __concord_model___concord_text_or_error(target, size);
}

/* Something is known of the environment: what a variable is has been asked or said. */
static int __concord_environment_known;

/* The text that was told before, for all that is known here. */
static char *__concord_model___concord_guess_getenv(void)
{
    return __concord_model___concord_new_text();
}

static char *__concord_model_getenv(const char *name)
{
    if (__concord_environment_known)
        return __concord_model___concord_guess_getenv();
    __concord_environment_known = 1;
    return __concord_model___concord_new_text();
}

static char *__concord_model_secure_getenv(const char *name)
{
    return __concord_model_getenv(name);
}

static int __concord_model___concord_any_status(void)
{
    int status = __concord_any_int();
    __concord_errno = __concord_any_int();
    if (status != 0 && status != -1)
        __builtin_unreachable();
    return status;
}

static int __concord_model_setenv(const char *name, const char *value, int overwrite)
{
    __concord_environment_known = 1;
    return __concord_model___concord_any_status();
}

static int __concord_model_unsetenv(const char *name)
{
    __concord_environment_known = 1;
    return __concord_model___concord_any_status();
}

static int __concord_model_clearenv(void)
{
    __concord_environment_known = 1;
    return __concord_model___concord_any_status();
}

/* Who the process is stays as it is, until it becomes somebody else. */

static int __concord_users_known, __concord_groups_known;
static unsigned int __concord_user, __concord_effective_user, __concord_group, __concord_effective_group;

static void __concord_model___concord_learn_users(void)
{
    if (!__concord_users_known) {
        __concord_user = __concord_any_int();
        __concord_effective_user = __concord_any_int();
        __concord_users_known = 1;
    }
}

static void __concord_model___concord_learn_groups(void)
{
    if (!__concord_groups_known) {
        __concord_group = __concord_any_int();
        __concord_effective_group = __concord_any_int();
        __concord_groups_known = 1;
    }
}

static unsigned int __concord_model_getuid(void)
{
    __concord_model___concord_learn_users();
    return __concord_user;
}

static unsigned int __concord_model_geteuid(void)
{
    __concord_model___concord_learn_users();
    return __concord_effective_user;
}

static unsigned int __concord_model_getgid(void)
{
    __concord_model___concord_learn_groups();
    return __concord_group;
}

static unsigned int __concord_model_getegid(void)
{
    __concord_model___concord_learn_groups();
    return __concord_effective_group;
}

/* Which of them change depends on who it was before. */
static int __concord_model___concord_other_user(void)
{
    int status = __concord_model___concord_any_status();
    if (status == 0)
        __concord_users_known = 0;
    return status;
}

static int __concord_model___concord_other_group(void)
{
    int status = __concord_model___concord_any_status();
    if (status == 0)
        __concord_groups_known = 0;
    return status;
}

static int __concord_model_setuid(unsigned int id)
{
    return __concord_model___concord_other_user();
}

static int __concord_model_seteuid(unsigned int id)
{
    return __concord_model___concord_other_user();
}

static int __concord_model_setreuid(unsigned int real, unsigned int effective)
{
    return __concord_model___concord_other_user();
}

static int __concord_model_setresuid(unsigned int real, unsigned int effective, unsigned int saved)
{
    return __concord_model___concord_other_user();
}

static int __concord_model_setgid(unsigned int id)
{
    return __concord_model___concord_other_group();
}

static int __concord_model_setegid(unsigned int id)
{
    return __concord_model___concord_other_group();
}

static int __concord_model_setregid(unsigned int real, unsigned int effective)
{
    return __concord_model___concord_other_group();
}

static int __concord_model_setresgid(unsigned int real, unsigned int effective, unsigned int saved)
{
    return __concord_model___concord_other_group();
}

static int __concord_model_uname(char *names)
{
    int status = __concord_model___concord_any_status(), i;
    if (status == 0)
        for (i = 0; i < 6; i++)
            __concord_model___concord_any_text(names + 65 * i, 64);
    return status;
}

static int __concord_model_clock_gettime(int clock, long *now)
{
    int status = __concord_model___concord_any_status();
    if (status == 0) {
        now[0] = __concord_any_long();
        now[1] = __concord_any_long();
        if (now[1] < 0 || now[1] > 999999999)
            __builtin_unreachable();
    }
    return status;
}

static int __concord_model_clock_getres(int clock, long *least)
{
    int status = __concord_model___concord_any_status();
    if (status == 0 && least) {
        least[0] = __concord_any_long();
        least[1] = __concord_any_long();
        if (least[1] < 0 || least[1] > 999999999)
            __builtin_unreachable();
    }
    return status;
}

static char *__concord_model_strerror(int number)
{
    static char text[256];
    __concord_model___concord_any_text(text, 255);
    return text;
}

/* An entry of a folder; the next call overwrites it. The name is terminated in both layouts. */
static void *__concord_model___concord_any_entry(void)
{
    static char entry[280];
    __concord_errno = __concord_any_int();
    if (__concord_any_char())
        return 0;
    __concord_model___concord_any_bytes(entry, 280);
    entry[266] = entry[274] = 0;
    return entry;
}

static void *__concord_model_readdir(void *folder)
{
    return __concord_model___concord_any_entry();
}

static void *__concord_model_readdir64(void *folder)
{
    return __concord_model___concord_any_entry();
}

static long __concord_model_time(long *target)
{
    long now = __concord_any_long();
    if (target)
        *target = now;
    return now;
}

static int __concord_model_gettimeofday(long *now, int *zone)
{
    if (now) {
        now[0] = __concord_any_long();
        now[1] = __concord_any_long();
        if (now[1] < 0 || now[1] > 999999)
            __builtin_unreachable();
    }
    if (zone) {
        zone[0] = __concord_any_int();
        zone[1] = __concord_any_int();
    }
    return 0;
}

static unsigned long __concord_model_strftime(char *target, unsigned long size, const char *format, const void *time)
{
    if (size == 0 || __concord_any_char())
        return 0;
    return __concord_model___concord_any_text(target, size - 1);
}

static int __concord_model_posix_memalign(void **target, unsigned long align, unsigned long size)
{
    void *bytes;
    if (align % sizeof(void *) || align == 0 || (align & (align - 1)))
        return 22;
    bytes = __builtin_malloc(size);
    if (!bytes)
        return 12;
    *target = bytes;
    return 0;
}

static int __concord_model_pipe(int *ends)
{
    __concord_errno = __concord_any_int();
    if (__concord_any_char())
        return -1;
    ends[0] = __concord_any_int();
    ends[1] = __concord_any_int();
    return 0;
}

static int __concord_model_getgroups(int size, unsigned int *target)
{
    int got = __concord_any_int();
    __concord_errno = __concord_any_int();
    if (got < -1 || (size > 0 && got > size))
        __builtin_unreachable();
    if (size > 0 && got > 0)
        __concord_model___concord_any_bytes(target, got * sizeof(unsigned int));
    return got;
}

static double __concord_model_modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __builtin_copysign(x == *whole ? 0.0 : x - *whole, x);
}

static float __concord_model_modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(x == *whole ? 0.0f : x - *whole, x);
}

/* Results within the bounds that C and POSIX give. */

/* A sequence that starts again repeats itself. `drawn`: numbers were taken; `again`: a seed was set since. */
static int __concord_rand_drawn, __concord_rand_again;
static int __concord_rand48_drawn, __concord_rand48_again;

static int __concord_model___concord_guess_rand(void)
{
    return __concord_any_int();
}

static int __concord_model___concord_guess_random(void)
{
    return __concord_any_int();
}

static int __concord_model___concord_guess_lrand48(void)
{
    return __concord_any_int();
}

static double __concord_model___concord_guess_drand48(void)
{
    return __concord_any_double();
}

static void __concord_model_srand(unsigned int seed)
{
    if (__concord_rand_drawn)
        __concord_rand_again = 1;
}

/* glibc's two functions have one state. */
static void __concord_model_srandom(unsigned int seed)
{
    __concord_model_srand(seed);
}

static void __concord_model_srand48(long seed)
{
    if (__concord_rand48_drawn)
        __concord_rand48_again = 1;
}

static int __concord_model_rand(void)
{
    int n = __concord_rand_again ? __concord_model___concord_guess_rand() : __concord_any_int();
    __concord_rand_drawn = 1;
    if (n < 0)
        __builtin_unreachable();
    return n;
}

static long __concord_model_random(void)
{
    int n = __concord_rand_again ? __concord_model___concord_guess_random() : __concord_any_int();
    __concord_rand_drawn = 1;
    if (n < 0)
        __builtin_unreachable();
    return n;
}

static long __concord_model_lrand48(void)
{
    int n = __concord_rand48_again ? __concord_model___concord_guess_lrand48() : __concord_any_int();
    __concord_rand48_drawn = 1;
    if (n < 0)
        __builtin_unreachable();
    return n;
}

static long __concord_model_mrand48(void)
{
    int n = __concord_rand48_again ? __concord_model___concord_guess_lrand48() : __concord_any_int();
    __concord_rand48_drawn = 1;
    return n;
}

static double __concord_model_drand48(void)
{
    double x = __concord_rand48_again ? __concord_model___concord_guess_drand48() : __concord_any_double();
    __concord_rand48_drawn = 1;
    if (!(x >= 0 && x < 1))
        __builtin_unreachable();
    return x;
}

static int __concord_model___concord_any_character(void)
{
    int c = __concord_any_int();
    __concord_errno = __concord_any_int();
    if (c < -1 || c > 255)
        __builtin_unreachable();
    return c;
}

static int __concord_model_getchar(void)
{
    return __concord_model___concord_any_character();
}

static int __concord_model_fgetc(void *file)
{
    return __concord_model___concord_any_character();
}

static int __concord_model_getc(void *file)
{
    return __concord_model___concord_any_character();
}

static int __concord_model__IO_getc(void *file)
{
    return __concord_model___concord_any_character();
}

static long __concord_model_write(int file, const void *source, unsigned long count)
{
    long written = __concord_any_long();
    __concord_errno = __concord_any_int();
    if (written < -1 || (written > 0 && (unsigned long)written > count))
        __builtin_unreachable();
    return written;
}

static unsigned long __concord_model_fwrite(const void *source, unsigned long size, unsigned long count, void *file)
{
    unsigned long written = __concord_any_size();
    __concord_errno = __concord_any_int();
    if (written > count || (size == 0 && written > 0))
        __builtin_unreachable();
    return written;
}
