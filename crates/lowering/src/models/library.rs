//! The functions of the C library, and what a call of one means: the table in `library.txt`.
//!
//! A function that nobody knows is assumed to change nothing. Of a library function that is often
//! not true, so that each one has a class there, also those that are modelled elsewhere; a test
//! compares the table with the headers of the machine.

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

const TABLE: &str = include_str!("library.txt");

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// The result and all that it writes are what C says.
    Exact,
    /// Whatever the environment or the standard leaves open.
    Open,
    /// 0, or -1 for failure.
    Status,
    /// Not negative, or -1 for failure.
    Number,
    /// Any result, although the function determines it.
    Result,
    /// No model, and its calls cannot be left out.
    Unsupported,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub class: Class,
    /// How many parameters it declares; not said for names that only the headers' own code calls.
    params: Option<usize>,
    variadic: bool,
    /// The parameters whose objects it writes, each as large as its type says.
    pub writes: Vec<usize>,
    /// Why it is not supported.
    pub why: &'static str,
}

impl Entry {
    fn parse(line: &'static str) -> Option<(&'static str, Entry)> {
        let mut columns = line.split('\t');
        let (name, params) = (columns.next()?, columns.next()?);
        let class = match columns.next()? {
            "exact" => Class::Exact,
            "open" => Class::Open,
            "status" => Class::Status,
            "number" => Class::Number,
            "result" => Class::Result,
            "unsupported" => Class::Unsupported,
            _ => return None,
        };
        let note = columns.next();
        let writes = note.and_then(|note| note.strip_prefix("writes "));
        let numbers = |list: &str| -> Option<Vec<usize>> {
            list.split(',').map(|at| at.parse().ok()).collect()
        };
        let writes = match writes {
            Some(list) => numbers(list)?,
            None => Vec::new(),
        };
        let why = note.filter(|_| class == Class::Unsupported);
        let entry = Entry {
            class,
            params: params.trim_end_matches('+').parse().ok(),
            variadic: params.ends_with('+'),
            writes,
            why: why.unwrap_or("a library function without a model"),
        };
        Some((name, entry))
    }

    pub fn is_variadic(&self) -> bool {
        self.variadic
    }

    /// Whether a function of this name with so many parameters can be the library's.
    pub fn takes(&self, params: usize, variadic: bool) -> bool {
        let same = self.params.is_none_or(|known| known == params);
        same || self.variadic || variadic
    }
}

fn table() -> &'static FxHashMap<&'static str, Entry> {
    static KNOWN: OnceLock<FxHashMap<&'static str, Entry>> = OnceLock::new();
    KNOWN.get_or_init(|| TABLE.lines().filter_map(Entry::parse).collect())
}

/// What the table says of a function.
pub fn library(name: &str) -> Option<&'static Entry> {
    table().get(name)
}

/// Whether the name is one of a function of the library.
pub fn is_library(name: &str) -> bool {
    library(name).is_some()
}

/// Whether a function of the library gives results here that need not be its own: a violation that
/// depends on one is not believed.
pub fn is_a_guess(name: &str) -> bool {
    library(name).is_some_and(|entry| entry.class == Class::Result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn every_line_is_understood_and_stands_once() {
        let lines: Vec<&str> = TABLE
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let names: BTreeSet<&str> = lines
            .iter()
            .map(|line| Entry::parse(line).unwrap_or_else(|| panic!("{line}")).0)
            .collect();
        assert_eq!(names.len(), lines.len());
        assert!(names.len() > 3000);
    }

    /// What has a model says so, and what says that it has one has it.
    #[test]
    fn classes_and_models_agree() {
        let in_c: BTreeSet<&str> = super::super::PRELUDE
            .split(super::super::PREFIX)
            .skip(1)
            .filter_map(|text| text.split('(').next())
            .collect();
        for (&name, entry) in table() {
            let modelled = in_c.contains(name)
                || super::super::intrinsic(name).is_some()
                || super::super::ends_the_program(name);
            match entry.class {
                Class::Exact => assert!(modelled, "{name} has no model"),
                Class::Unsupported => assert!(!modelled, "{name} has a model"),
                Class::Status | Class::Number => assert!(!modelled, "{name} has a model"),
                Class::Open | Class::Result => {}
            }
        }
        // Names of other verifiers are listed elsewhere (`syntax::foreign`).
        let foreign = [
            "__concord",
            "__CPROVER_",
            "__ESBMC_",
            "__VERIFIER_",
            "klee_",
        ];
        let is_foreign = |name: &str| foreign.iter().any(|prefix| name.starts_with(prefix));
        for name in in_c.iter().filter(|name| !is_foreign(name)) {
            assert!(library(name).is_some(), "{name} is not in the table");
        }
    }

    #[test]
    fn functions_that_write_or_change_state_are_not_left_out() {
        for name in [
            "getresuid",
            "timespec_get",
            "regerror",
            "makecontext",
            "fesetround",
            "sigaction",
            "ioctl",
            "setlocale",
            "localtime_r",
            "wcstok",
            "raise",
            "fork",
            "getpwnam",
            "readv",
            "strtold",
        ] {
            let entry = library(name).unwrap_or_else(|| panic!("{name} is not in the table"));
            assert_eq!(entry.class, Class::Unsupported, "{name}");
        }
        assert_eq!(
            library("stat").map(|entry| &entry.writes[..]),
            Some(&[1][..])
        );
        assert_eq!(library("some_function_of_a_user"), None);
    }

    /// The headers whose functions the table lists.
    const HEADERS: &str = "aio alloca argp argz arpa/inet assert byteswap complex crypt ctype dirent dlfcn envz err errno error \
        execinfo fcntl fenv fmtmsg fnmatch fts ftw getopt glob grp iconv ifaddrs inttypes langinfo libgen libintl link locale malloc \
        math mcheck mntent monetary mqueue net/if netdb nl_types obstack poll printf pthread pty pwd regex resolv sched search \
        semaphore setjmp shadow signal spawn stdio stdio_ext stdlib string strings sys/epoll sys/eventfd sys/file sys/inotify \
        sys/ioctl sys/mman sys/mount sys/msg sys/prctl sys/ptrace sys/random sys/resource sys/select sys/sem sys/sendfile sys/shm \
        sys/signalfd sys/socket sys/stat sys/statfs sys/statvfs sys/sysinfo sys/time sys/timeb sys/timerfd sys/times sys/types \
        sys/uio sys/utsname sys/wait sys/xattr syslog termios threads time uchar ucontext ulimit unistd utime utmp utmpx wchar \
        wctype wordexp gnu/libc-version rpcsvc/ypclnt";

    /// What gcc says of each header's functions: name and prototype. Empty without gcc.
    fn prototypes() -> &'static [(String, String)] {
        static ALL: OnceLock<Vec<(String, String)>> = OnceLock::new();
        ALL.get_or_init(read_prototypes)
    }

    fn read_prototypes() -> Vec<(String, String)> {
        let folder = std::env::temp_dir().join(format!("concord-headers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let (source, list) = (folder.join("one.c"), folder.join("one.aux"));
        let mut all = Vec::new();
        for header in HEADERS.split_whitespace() {
            let text = format!("#include <{header}.h>\n");
            std::fs::write(&source, text).expect("a temporary file");
            let compiled = Command::new("gcc")
                .args(["-w", "-D_GNU_SOURCE", "-fsyntax-only", "-aux-info"])
                .args([&list, &source])
                .stderr(std::process::Stdio::null())
                .status();
            if !compiled.is_ok_and(|status| status.success()) || !Path::new(&list).exists() {
                continue;
            }
            let text = std::fs::read_to_string(&list).expect("gcc wrote it");
            all.extend(text.lines().filter_map(declared));
        }
        let _ = std::fs::remove_dir_all(&folder);
        if all.is_empty() {
            println!("SKIPPED: no gcc with glibc's headers");
        }
        all
    }

    /// A list of what is new with the machine's headers, so that the table stays complete.
    #[test]
    fn the_headers_declare_nothing_else() {
        let names = prototypes().iter().map(|(name, _)| name);
        let unknown: BTreeSet<&String> = names
            .filter(|name| library(name).is_none() && !name.starts_with("__builtin"))
            .collect();
        // Another glibc may have a few more; this one's are all here.
        assert!(unknown.len() < 40, "{unknown:?}");
    }

    /// Whoever is handed the address of something that is not const writes it, or says why not; and
    /// whoever gives an address may give one of those that it was handed. Without a model that must
    /// stand in the table.
    #[test]
    fn whatever_may_be_written_is_in_the_table() {
        // `munmap` takes memory away, `pthread_exit` never returns, the others read.
        let harmless = ["munmap", "pthread_exit", "epoll_ctl", "sem_getvalue"];
        // Files and folders are no objects of the program.
        let opaque = ["FILE *", "DIR *", "va_list"];
        let mut wrong = BTreeSet::new();
        for (name, prototype) in prototypes() {
            let Some(entry) = library(name) else {
                continue;
            };
            let modelled = super::super::intrinsic(name).is_some()
                || super::super::PRELUDE.contains(&format!("{}{name}(", super::super::PREFIX));
            if entry.class == Class::Unsupported || modelled || harmless.contains(&name.as_str()) {
                continue;
            }
            let Some((result, params)) = prototype.split_once(" (") else {
                continue;
            };
            for (index, param) in params.split(',').enumerate() {
                let is_written = param.contains('*')
                    && !param.contains("const")
                    && !opaque.iter().any(|opaque| param.contains(opaque));
                let is_listed = entry.writes.contains(&index);
                if is_written && !is_listed || is_listed && !is_written {
                    wrong.insert(format!("{name} writes {index}: {param}"));
                }
            }
            let gives = ["char *", "void *", "wchar_t *"];
            if params.contains('*') && gives.iter().any(|gives| result.contains(gives)) {
                wrong.insert(format!("{name} gives an address"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// The name in a line like `/* /usr/include/stdio.h:145:NC */ extern int remove (const char
    /// *);`, and what follows `extern`.
    fn declared(line: &str) -> Option<(String, String)> {
        let (_, prototype) = line.split_once("*/ extern ")?;
        let (head, _) = prototype.split_once(" (")?;
        let name = head.rsplit([' ', '*']).next()?;
        Some((name.to_owned(), prototype.to_owned()))
    }
}
