//! What C's and POSIX's functions write, of those that have no model of their own.
//!
//! A function that nobody knows is assumed to change nothing. Of a library function that is not true, so that each one that
//! writes through its arguments, keeps a pointer, or calls back is named here.

/// The parameters whose objects the function writes, each as large as its type says; the rest of what it does is to return
/// any value.
pub(crate) fn outputs(name: &str) -> Option<&'static [usize]> {
    Some(match name {
        "stat" | "lstat" | "fstat" | "stat64" | "lstat64" | "fstat64" | "statfs" | "fstatfs"
        | "statvfs" | "fstatvfs" | "clock_gettime" | "clock_getres" | "getrusage" | "getrlimit"
        | "tcgetattr" | "nanosleep" | "getitimer" | "fgetpos" | "waitpid" | "sem_getvalue"
        | "sigwait" | "timer_gettime" => &[1],
        "times" | "uname" | "sysinfo" | "ftime" | "wait" | "mktime" | "timegm" | "timelocal"
        | "sigemptyset" | "sigfillset" | "sigaddset" | "sigdelset" | "sigpending" | "rand_r"
        | "cfmakeraw" | "cfsetispeed" | "cfsetospeed" | "cfsetspeed" => &[0],
        "setitimer" | "sigprocmask" | "pthread_sigmask" | "waitid" | "prlimit" => &[2],
        "select" => &[1, 2, 3, 4],
        "pselect" => &[1, 2, 3],
        "wait3" | "frexp" | "frexpf" | "frexpl" | "lgamma_r" | "lgammaf_r" | "modfl" => {
            if name == "wait3" { &[0, 2] } else { &[1] }
        }
        "wait4" => &[1, 3],
        "sincos" | "sincosf" | "sincosl" => &[1, 2],
        "remquo" | "remquof" | "remquol" => &[2],
        _ => return None,
    })
}

/// Why a library function cannot be left out and is not modelled.
pub(crate) fn unsupported(name: &str) -> Option<&'static str> {
    Some(match name {
        "signal" | "sigaction" | "__sysv_signal" | "bsd_signal" | "sysv_signal" | "sigset"
        | "sigaltstack" | "sigsuspend" | "sigwaitinfo" | "sigtimedwait" => "signal handlers",
        "pthread_create"
        | "thrd_create"
        | "fork"
        | "vfork"
        | "clone"
        | "pthread_join"
        | "pthread_tryjoin_np"
        | "thrd_join"
        | "pthread_once"
        | "call_once"
        | "pthread_key_create"
        | "pthread_getspecific"
        | "pthread_setspecific"
        | "tss_create"
        | "tss_get"
        | "tss_set"
        | "pthread_cleanup_push"
        | "pthread_atfork"
        | "posix_spawn"
        | "posix_spawnp" => "threads and processes",
        "atexit" | "on_exit" | "at_quick_exit" | "__cxa_atexit" => "functions that run at exit",
        "getsubopt" | "argp_parse" | "dirname" | "basename" | "__xpg_basename" => {
            "a library function that changes its text"
        }
        "ioctl" | "fcntl" | "fcntl64" | "getsockopt" | "accept" | "accept4" | "getsockname"
        | "getpeername" | "recvfrom" | "recvmsg" | "recvmmsg" | "getaddrinfo" | "getnameinfo"
        | "poll" | "ppoll" | "epoll_wait" | "epoll_pwait" | "readv" | "preadv"
        | "process_vm_readv" | "sysctl" | "syscall" | "aio_read" | "mq_receive" | "msgrcv"
        | "pread" | "pread64" | "pipe2" | "socketpair" | "readlinkat" | "fstatat" | "readdir_r"
        | "getdents" => "a system call that writes memory",
        "setvbuf" | "setbuf" | "setbuffer" | "setlinebuf" | "open_memstream" | "fmemopen"
        | "open_wmemstream" | "fopencookie" => "a buffer that the library keeps",
        "scandir" | "ftw" | "nftw" | "fts_open" | "glob" | "wordexp" | "regexec" | "tsearch"
        | "tfind" | "tdelete" | "twalk" | "lfind" | "lsearch" | "hsearch" | "insque" | "remque"
        | "qsort_r" | "bsearch_s" | "qsort_s" => {
            "a library function that calls back or keeps pointers"
        }
        "mbstowcs" | "wcstombs" | "mbtowc" | "wctomb" | "mbrtowc" | "wcrtomb" | "mbsrtowcs"
        | "wcsrtombs" | "vswprintf" | "swscanf" | "wscanf" | "fwscanf" | "wcscpy" | "wcsncpy"
        | "wcscat" | "wcsncat" | "wmemcpy" | "wmemmove" | "wmemset" | "wmempcpy" | "wcstol"
        | "wcstoul" | "wcstoll" | "wcstoull" | "wcstod" | "wcstof" | "wcstold" | "wcstok"
        | "wcsxfrm" | "wcsftime" | "fgetws" | "wcsdup" | "c16rtomb" | "c32rtomb" | "mbrtoc16"
        | "mbrtoc32" => "wide strings",
        "vscanf" | "vfscanf" | "vsscanf" | "__isoc99_vscanf" | "__isoc99_vfscanf"
        | "__isoc99_vsscanf" | "strptime" | "strfmon" | "strxfrm" | "strtold" | "memfrob"
        | "strfry" | "swab" | "getpass" | "cuserid" | "ctermid" | "tmpnam" | "tmpnam_r"
        | "mkstemp" | "mkdtemp" | "mktemp" | "mkostemp" | "crypt_r" | "iconv" | "initstate"
        | "setstate" | "initstate_r" | "srandom_r" | "random_r" | "drand48_r" | "erand48"
        | "nrand48" | "jrand48" | "seed48" | "lcong48" | "confstr" | "strerror_r"
        | "__xpg_strerror_r" | "ctime_r" | "asctime_r" | "localtime_r" | "gmtime_r"
        | "getpwnam_r" | "getpwuid_r" | "getgrnam_r" | "getgrgid_r" | "getgrouplist"
        | "gethostbyname_r" | "inet_pton" | "inet_ntop" | "inet_aton" | "getdomainname"
        | "fread_unlocked" | "fgets_unlocked" | "getw" | "ptsname_r" | "getloadavg"
        | "sched_getaffinity" | "sched_getparam" => "a library function without a model",
        _ => return None,
    })
}

/// Models whose result may be any, although the program determines it.
pub(crate) fn is_a_guess(name: &str) -> bool {
    matches!(
        name,
        "strtod" | "strtof" | "strftime" | "strerror" | "asprintf" | "vasprintf"
    )
}

/// Functions of the library, of which it is known what they write.
pub(crate) fn is_library(name: &str) -> bool {
    outputs(name).is_some() || unsupported(name).is_some()
}
