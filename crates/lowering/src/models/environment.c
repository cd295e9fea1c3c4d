/* What the program hears from outside: files, the clock, the environment. The bytes are any bytes. */

extern char __concord_any_char(void);
extern int __concord_any_int(void);
extern long __concord_any_long(void);
extern unsigned long __concord_any_size(void);
extern double __concord_any_double(void);
extern int __concord_unusual(void);
/* The function that calls it is not supported in this case. */
extern void __concord_unsupported(void);
/* `malloc` and `free`, whatever the program makes of those names. */
extern void *__concord_new_bytes(unsigned long count);
extern void __concord_drop_bytes(void *bytes);

/* Every function that is not the program's own may set it. */
static int __concord_errno;

static int *__concord_model___errno_location(void)
{
    return &__concord_errno;
}

/* A call that works may set it, but never to zero (C11 7.5). */
static void __concord_model___concord_touch_errno(void)
{
    int error = __concord_any_int();
    if (error <= 0 && error != __concord_errno)
        __builtin_unreachable();
    __concord_errno = error;
}

/* A call that fails says why. */
static int __concord_model___concord_fail(void)
{
    int error = __concord_any_int();
    if (error <= 0)
        __builtin_unreachable();
    __concord_errno = error;
    return -1;
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

/* The character stands nowhere among the first ones. */
static void __concord_model___concord_without(const char *text, unsigned long length, char c)
{
    unsigned long i;
    for (i = 0; i < length; i++)
        if (text[i] == c)
            __builtin_unreachable();
}

/* At least one character, none of them white space. */
static void __concord_model___concord_any_word(char *target, unsigned long most)
{
    unsigned long length = __concord_model___concord_any_text(target, most), i;
    if (length == 0)
        __builtin_unreachable();
    for (i = 0; i < length; i++)
        if (target[i] == ' ' || (target[i] >= '\t' && target[i] <= '\r'))
            __builtin_unreachable();
}

/* Characters of a set that is not computed here. */
static void __concord_model___concord_guess_scanf(char *target, unsigned long most)
{
    if (__concord_model___concord_any_text(target, most) == 0)
        __builtin_unreachable();
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

/* A text that stays the library's: it is not freed. */
static char *__concord_model___concord_kept_text(void)
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

/* Something is written to a file that is not followed. */
static void __concord_model___concord_file_output(void)
{
}

static long __concord_model___concord_some_bytes(void *target, unsigned long count)
{
    long got = __concord_any_long();
    if (got < 0)
        return __concord_model___concord_fail();
    __concord_model___concord_touch_errno();
    if ((unsigned long)got > count)
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
    __concord_model___concord_touch_errno();
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
    unsigned long length;
    __concord_model___concord_touch_errno();
    if (size <= 0 || __concord_any_char())
        return 0;
    length = __concord_model___concord_any_text(target, size - 1);
    if (length == 0 && size > 1)
        __builtin_unreachable();
    if (length > 0)
        __concord_model___concord_without(target, length - 1, '\n');
    return target;
}

static char *__concord_model_gets(char *target)
{
    __concord_model___concord_touch_errno();
    if (__concord_any_char())
        return 0;
    __concord_model___concord_without(target, __concord_model___concord_any_text(target, 131072), '\n');
    return target;
}

static long __concord_model_getdelim(char **line, unsigned long *size, int end, void *file)
{
    unsigned long length = __concord_any_size();
    __concord_model___concord_touch_errno();
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
    __concord_model___concord_without(*line, length - 1, end);
    (*line)[length] = 0;
    return length;
}

static long __concord_model_getline(char **line, unsigned long *size, void *file)
{
    return __concord_model_getdelim(line, size, '\n', file);
}

static char *__concord_model_getcwd(char *target, unsigned long size)
{
    __concord_model___concord_touch_errno();
    if (!target)
        return __concord_model___concord_new_text();
    if (size == 0)
        return 0;
    /* Where a result is guessed, so is what is there afterwards: it is written in any case. */
    __concord_model___concord_any_text(target, size - 1);
    return __concord_any_char() ? target : 0;
}

static char *__concord_model_realpath(const char *path, char *target)
{
    __concord_model___concord_touch_errno();
    if (!target)
        return __concord_model___concord_new_text();
    /* PATH_MAX bytes. */
    __concord_model___concord_any_text(target, 4095);
    return __concord_any_char() ? target : 0;
}

static int __concord_model___concord_text_or_error(char *target, unsigned long size)
{
    if (size > 0)
        __concord_model___concord_any_text(target, size - 1);
    __concord_model___concord_touch_errno();
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
    return __concord_model___concord_kept_text();
}

static char *__concord_model_getenv(const char *name)
{
    if (__concord_environment_known)
        return __concord_model___concord_guess_getenv();
    __concord_environment_known = 1;
    return __concord_model___concord_kept_text();
}

static char *__concord_model_secure_getenv(const char *name)
{
    return __concord_model_getenv(name);
}

static int __concord_model___concord_any_status(void)
{
    if (__concord_any_char())
        return __concord_model___concord_fail();
    __concord_model___concord_touch_errno();
    return 0;
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
    int i;
    for (i = 0; i < 6; i++)
        __concord_model___concord_any_text(names + 65 * i, 64);
    return __concord_model___concord_any_status();
}

/* Clocks that nobody sets never go back: of them only the first time is free. */
static int __concord_clock_was_read, __concord_time_was_taken;

static long __concord_model___concord_guess_clock_gettime(void)
{
    return __concord_any_long();
}

static long __concord_model___concord_guess_clock(void)
{
    return __concord_any_long();
}

static long __concord_model_clock(void)
{
    long ticks = __concord_time_was_taken ? __concord_model___concord_guess_clock() : __concord_any_long();
    __concord_time_was_taken = 1;
    if (ticks < -1)
        __builtin_unreachable();
    return ticks;
}

static int __concord_model_clock_gettime(int clock, long *now)
{
    int status = __concord_model___concord_any_status();
    if (status == 0) {
        int is_set = clock == 0 || clock == 5 || clock == 11;
        if (is_set || !__concord_clock_was_read) {
            now[0] = __concord_any_long();
            now[1] = __concord_any_long();
        } else {
            now[0] = __concord_model___concord_guess_clock_gettime();
            now[1] = __concord_model___concord_guess_clock_gettime();
        }
        if (!is_set) {
            __concord_clock_was_read = 1;
            if (now[0] < 0)
                __builtin_unreachable();
        }
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
    __concord_model___concord_touch_errno();
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
    unsigned long length;
    if (size == 0)
        return 0;
    length = __concord_model___concord_any_text(target, size - 1);
    return __concord_any_char() ? length : 0;
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

/* Numbers of files: always the least one that is free. Of the first eight it is known which ones are
   open (a bit each; at first any of them may be), of the others that all below
   `__concord_least_file` are. */
static unsigned char __concord_open_files;
static int __concord_files_known, __concord_least_file;

static void __concord_model___concord_learn_files(void)
{
    if (!__concord_files_known) {
        __concord_open_files = __concord_any_char();
        __concord_least_file = 8;
        __concord_files_known = 1;
    }
}

static int __concord_model___concord_new_file(void)
{
    int file;
    __concord_model___concord_learn_files();
    if (__concord_any_char())
        return __concord_model___concord_fail();
    __concord_model___concord_touch_errno();
    if (__concord_open_files != 255) {
        file = __builtin_ctz(~__concord_open_files);
        __concord_open_files |= 1 << file;
        return file;
    }
    file = __concord_any_int();
    if (file < __concord_least_file || file == 2147483647)
        __builtin_unreachable();
    __concord_least_file = file + 1;
    return file;
}

static int __concord_model___concord_is_open(int file)
{
    __concord_model___concord_learn_files();
    if (file >= 8)
        return __concord_any_char() != 0;
    return file >= 0 && __concord_open_files >> file & 1;
}

static int __concord_model_close(int file)
{
    if (!__concord_model___concord_is_open(file))
        return __concord_model___concord_fail();
    if (file < 8)
        __concord_open_files &= ~(1 << file);
    else if (file < __concord_least_file)
        __concord_least_file = file;
    return __concord_model___concord_any_status();
}

static int __concord_model_dup(int file)
{
    if (!__concord_model___concord_is_open(file))
        return __concord_model___concord_fail();
    return __concord_model___concord_new_file();
}

static int __concord_model___concord_file_as(int file, int wanted)
{
    if (wanted < 0 || !__concord_model___concord_is_open(file) || __concord_any_char())
        return __concord_model___concord_fail();
    if (wanted < 8)
        __concord_open_files |= 1 << wanted;
    __concord_model___concord_touch_errno();
    return wanted;
}

static int __concord_model_dup2(int file, int wanted)
{
    return __concord_model___concord_file_as(file, wanted);
}

static int __concord_model_dup3(int file, int wanted, int flags)
{
    if (file == wanted)
        return __concord_model___concord_fail();
    return __concord_model___concord_file_as(file, wanted);
}

static int __concord_model_pipe(int *ends)
{
    int one = __concord_model___concord_new_file(), other;
    if (one < 0)
        return -1;
    other = __concord_model___concord_new_file();
    if (other < 0 || other == one)
        __builtin_unreachable();
    ends[0] = one;
    ends[1] = other;
    return 0;
}

static int __concord_model_open(const char *path, int flags, ...)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_open64(const char *path, int flags, ...)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_openat(int folder, const char *path, int flags, ...)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_openat64(int folder, const char *path, int flags, ...)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_creat(const char *path, unsigned int mode)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_creat64(const char *path, unsigned int mode)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_socket(int domain, int type, int protocol)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_eventfd(unsigned int count, int flags)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_memfd_create(const char *name, unsigned int flags)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_shm_open(const char *name, int flags, unsigned int mode)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_epoll_create(int size)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_epoll_create1(int flags)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_inotify_init(void)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_inotify_init1(int flags)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_posix_openpt(int flags)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_timerfd_create(int clock, int flags)
{
    return __concord_model___concord_new_file();
}

static int __concord_model_pidfd_open(int process, unsigned int flags)
{
    return __concord_model___concord_new_file();
}

/* Locks. Whoever takes one that is held already may wait for ever: which ones are held is not told
   apart. */

static int __concord_locks_held;

static int __concord_model___concord_guess_lock(void *lock, unsigned long size)
{
    __concord_model___concord_any_bytes(lock, size);
    return __concord_any_int();
}

static int __concord_model___concord_take_lock(void *lock, unsigned long size)
{
    if (__concord_locks_held > 0 && __concord_model___concord_guess_lock(lock, size))
        __builtin_unreachable();
    __concord_locks_held++;
    return __concord_model___concord_guess_lock(lock, size);
}

static int __concord_model___concord_try_lock(void *lock, unsigned long size)
{
    __concord_locks_held++;
    return __concord_model___concord_guess_lock(lock, size);
}

static int __concord_model___concord_leave_lock(void *lock, unsigned long size)
{
    if (__concord_locks_held > 0)
        __concord_locks_held--;
    return __concord_model___concord_guess_lock(lock, size);
}

static int __concord_model_pthread_mutex_lock(void *lock)
{
    return __concord_model___concord_take_lock(lock, sizeof(long) == 8 ? 40 : 24);
}

static int __concord_model_pthread_mutex_trylock(void *lock)
{
    return __concord_model___concord_try_lock(lock, sizeof(long) == 8 ? 40 : 24);
}

static int __concord_model_pthread_mutex_unlock(void *lock)
{
    return __concord_model___concord_leave_lock(lock, sizeof(long) == 8 ? 40 : 24);
}

static int __concord_model_mtx_lock(void *lock)
{
    return __concord_model___concord_take_lock(lock, sizeof(long) == 8 ? 40 : 24);
}

static int __concord_model_mtx_trylock(void *lock)
{
    return __concord_model___concord_try_lock(lock, sizeof(long) == 8 ? 40 : 24);
}

static int __concord_model_mtx_unlock(void *lock)
{
    return __concord_model___concord_leave_lock(lock, sizeof(long) == 8 ? 40 : 24);
}

static int __concord_model_pthread_rwlock_rdlock(void *lock)
{
    return __concord_model___concord_take_lock(lock, sizeof(long) == 8 ? 56 : 32);
}

static int __concord_model_pthread_rwlock_wrlock(void *lock)
{
    return __concord_model___concord_take_lock(lock, sizeof(long) == 8 ? 56 : 32);
}

static int __concord_model_pthread_rwlock_tryrdlock(void *lock)
{
    return __concord_model___concord_try_lock(lock, sizeof(long) == 8 ? 56 : 32);
}

static int __concord_model_pthread_rwlock_trywrlock(void *lock)
{
    return __concord_model___concord_try_lock(lock, sizeof(long) == 8 ? 56 : 32);
}

static int __concord_model_pthread_rwlock_unlock(void *lock)
{
    return __concord_model___concord_leave_lock(lock, sizeof(long) == 8 ? 56 : 32);
}

static int __concord_model_pthread_spin_lock(void *lock)
{
    return __concord_model___concord_take_lock(lock, 4);
}

static int __concord_model_pthread_spin_trylock(void *lock)
{
    return __concord_model___concord_try_lock(lock, 4);
}

static int __concord_model_pthread_spin_unlock(void *lock)
{
    return __concord_model___concord_leave_lock(lock, 4);
}

/* Where a file stands depends on what was done with it before. */
static long __concord_model___concord_guess_lseek(void)
{
    return __concord_any_long();
}

static long __concord_model_lseek(int file, long offset, int from)
{
    if (from == 0) {
        if (offset < 0 || __concord_any_char())
            return __concord_model___concord_fail();
        __concord_model___concord_touch_errno();
        return offset;
    }
    offset = __concord_model___concord_guess_lseek();
    if (offset < 0)
        return __concord_model___concord_fail();
    __concord_model___concord_touch_errno();
    return offset;
}

/* Memory without a file is zero at first. */
static void *__concord_model___concord_map(unsigned long size, int flags)
{
    void *bytes;
    /* Memory that others see, or in place of what was there. */
    if ((flags & 0x33) != 0x22 || flags & 0x100000)
        __concord_unsupported();
    if (size == 0 || __concord_any_char()) {
        __concord_model___concord_fail();
        return (void *)-1l;
    }
    bytes = __builtin_calloc(size, 1);
    if (!bytes)
        return (void *)-1l;
    __concord_model___concord_touch_errno();
    return bytes;
}

static void *__concord_model_mmap(void *wish, unsigned long size, int rights, int flags, int file, long offset)
{
    return __concord_model___concord_map(size, flags);
}

static void *__concord_model_mmap64(void *wish, unsigned long size, int rights, int flags, int file, long long offset)
{
    return __concord_model___concord_map(size, flags);
}

static int __concord_model_getgroups(int size, unsigned int *target)
{
    int got = __concord_any_int();
    if (size < 0 || got < 0)
        return __concord_model___concord_fail();
    __concord_model___concord_touch_errno();
    if (size > 0 && got > size)
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
    __concord_model___concord_touch_errno();
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
    if (written < 0)
        return __concord_model___concord_fail();
    __concord_model___concord_touch_errno();
    if ((unsigned long)written > count)
        __builtin_unreachable();
    return written;
}

static unsigned long __concord_model_fwrite(const void *source, unsigned long size, unsigned long count, void *file)
{
    unsigned long written = __concord_any_size();
    __concord_model___concord_touch_errno();
    if (written > count || (size == 0 && written > 0))
        __builtin_unreachable();
    return written;
}
