//! Random programs with and without memory errors, against AddressSanitizer.
//!
//! Each program takes one input of four values. gcc's program, compiled with the sanitizer, is
//! executed with all of them: it has an error exactly if the sanitizer stops one execution. Errors
//! are such that it finds every one: accesses just outside of objects, after `free`, after the end
//! of a block, through null; a second `free`, and one of what was not allocated.

use crate::gcc::{self, Model};
use crate::random::Random;
use crate::tally::{Tally, keep};
use crate::verifier::{Verdict, Verifier};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Values of the input: `0..INPUTS`.
const INPUTS: u64 = 4;

/// What AddressSanitizer ends a program with.
const STOPPED: i32 = 76;

/// Lost memory is not looked for: the sanitizer takes for held what lies on the stack.
const PROPERTY: &str =
    "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n";

pub struct Memory<'a> {
    pub verifier: &'a Verifier,
    pub work: PathBuf,
    pub kept: PathBuf,
    pub timeout: String,
}

impl Memory<'_> {
    /// Asks about one program.
    pub fn fight(&self, seed: u64, tally: &mut Tally) -> Result<(), String> {
        tally.programs += 1;
        let model = if seed.is_multiple_of(2) {
            Model::Lp64
        } else {
            Model::Ilp32
        };
        let name = format!("memory-{seed}.c");
        let source = self.work.join(&name);
        std::fs::write(&source, program(seed)).map_err(|error| error.to_string())?;
        let Some(has_error) = self.truth(&source, model)? else {
            tally.unusable("an execution does not end");
            return Ok(());
        };
        let property = gcc::helper(&self.work, "memory.prp", PROPERTY)?;
        let property = property.display().to_string();
        let options = ["--timeout", self.timeout.as_str(), "--spec", &property];
        let answer = self.verifier.check(&[&source], model, &options)?;
        let wrong = tally.count(&name, &answer, !has_error);
        if wrong || !answer.complaints.is_empty() {
            keep(&self.kept, &name, &source)?;
        }
        if answer.verdict == Verdict::Refused {
            return Err(answer.reason);
        }
        Ok(())
    }

    /// Whether the sanitizer stops one of the executions.
    fn truth(&self, source: &std::path::Path, model: Model) -> Result<Option<bool>, String> {
        let binary = self.work.join("memory");
        let options = ["-DEXECUTED", "-fsanitize=address"];
        gcc::compile(&[source], &binary, model, &options)?;
        let mut has_error = false;
        for input in 0..INPUTS {
            let mut command = Command::new(&binary);
            let options = format!(
                "exitcode={STOPPED}:detect_leaks=0:detect_stack_use_after_return=1:max_malloc_fill_size=0"
            );
            command
                .env("ASAN_OPTIONS", options)
                .arg(input.to_string())
                .current_dir(&self.work);
            match gcc::ended(&mut command, &self.work, Duration::from_secs(5)) {
                None => return Ok(None),
                Some(ended) if ended.status == STOPPED => has_error = true,
                Some(ended) if ended.status < 0 => return Ok(None),
                Some(_) => {}
            }
        }
        Ok(Some(has_error))
    }
}

/// The text of the program.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed, "memory");
    let mut body = String::new();
    let mut writer = Writer {
        random: &mut random,
        out: &mut body,
        sizes: [0; 3],
    };
    let statements = writer.random.between(3, 7);
    for _ in 0..statements {
        writer.statement();
    }
    // The variables of `main` that hold memory are freed or not, which is no error here.
    format!(
        "#include <stdlib.h>\n#include <string.h>\n\
         struct node {{ struct node *next; int value; }};\n\
         unsigned __VERIFIER_nondet_uint(void);\n\
         /* The sanitizer watches the space behind variables, not that before the first one. */\n\
         int before[8] = {{1}}, global[4] = {{1}}, after[8] = {{1}};\nint *kept = global;\n\
         static void set(int *at, int value) {{ *at = value; }}\n\
         static int get(int *at, int index) {{ return at[index]; }}\n\
         static int *local(int *outer, int inner) {{ int x = 3; int *p = &x; return inner ? p : outer; }}\n\
         #ifdef EXECUTED\nstatic unsigned input;\nint checked(void);\n\
         unsigned __VERIFIER_nondet_uint(void) {{ return input; }}\n\
         int main(int argc, char **argv) {{ input = atoi(argv[1]); return checked(); }}\n\
         #define main checked\n#endif\n\
         int main(void)\n{{\n    unsigned k = __VERIFIER_nondet_uint();\n    if (k > {})\n        return 0;\n    \
         int a[3] = {{0}}, b[5] = {{0}}, sum = 0;\n    int *p = a, *q = b, *r = 0;\n    char text[4] = \"ab\";\n    \
         struct node *list = 0;\n{body}    return sum & 1;\n}}\n",
        INPUTS - 1
    )
}

struct Writer<'a> {
    random: &'a mut Random,
    out: &'a mut String,
    /// Elements of what the pointers point to, as far as they come from an allocation.
    sizes: [i64; 3],
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "    {text}");
    }

    fn pointer(&mut self) -> (usize, &'static str) {
        let which = self.random.below(3);
        (which, ["p", "q", "r"][which])
    }

    /// An index that is right more often than not.
    fn index(&mut self, size: i64) -> String {
        let last = size.max(1) - 1;
        match self.random.below(8) {
            0 => format!("{}", last + self.random.between(0, 1)),
            1 => format!("k + {}", (last - 3).max(0)),
            2 => "(int)k - 1".into(),
            3 => format!("k % {}", size.max(1) + self.random.between(0, 1)),
            _ => format!("{}", self.random.between(0, last)),
        }
    }

    fn statement(&mut self) {
        let (which, name) = self.pointer();
        let size = match self.sizes[which] {
            0 => [3, 5, 4][which],
            size => size,
        };
        let index = self.index(size);
        match self.random.below(19) {
            0 | 1 => {
                let count = self.random.between(1, 5);
                self.line(&format!("{name} = malloc({count} * sizeof(int));"));
                self.line(&format!("memset({name}, 0, {count} * sizeof(int));"));
                self.sizes[which] = count;
            }
            2 => {
                let when = self.random.below(9);
                self.line(&format!("if (k == {when}) {{ free({name}); }}"));
            }
            3 if self.sizes[which] > 0 => {
                let null = self.random.percent(60);
                let then = if null {
                    format!(" {name} = 0;")
                } else {
                    String::new()
                };
                self.line(&format!("free({name});{then}"));
            }
            4 | 5 => self.line(&format!("{name}[{index}] = 1;")),
            6 | 7 => self.line(&format!("if ({name}) sum += {name}[{index}];")),
            8 => self.line(&format!("set({name} + {index}, 2);")),
            9 => self.line(&format!("if ({name}) sum += get({name}, {index});")),
            10 => {
                let (other, from) = self.pointer();
                self.line(&format!("{name} = {from};"));
                self.sizes[which] = match self.sizes[other] {
                    0 => [3, 5, 4][other],
                    size => size,
                };
            }
            11 => {
                self.line(&format!("{name} = kept;"));
                self.sizes[which] = 4;
            }
            12 => {
                let index = self.index(3);
                self.line(&format!("a[{index}] = k;"));
            }
            13 => {
                let bytes = self.random.between(2, 4) + i64::from(self.random.percent(20));
                self.line(&format!("memcpy(text, \"abcdefgh\", {bytes});"));
                self.line("sum += text[k];");
            }
            14 => {
                let count = self.random.between(1, 3);
                self.line(&format!(
                    "for (int i = 0; i < {count}; i++) {{ struct node *n = malloc(sizeof *n); n->next = list; \
                     n->value = i; list = n; }}"
                ));
            }
            15 => self.line("for (struct node *n = list; n; n = n->next) sum += n->value;"),
            16 => {
                let wrong = self.random.percent(25);
                let keep = if wrong { "" } else { " list = 0;" };
                self.line(&format!(
                    "for (struct node *n = list; n;) {{ struct node *next = n->next; free(n); n = next; }}{keep}"
                ));
            }
            17 => {
                let inner = self.random.below(8);
                self.line(&format!(
                    "{{ int y = 1; sum += *local(&y, k == {inner}); }}"
                ));
            }
            _ => {
                let count = self.random.between(2, 4) + i64::from(self.random.percent(30));
                self.line(&format!(
                    "for (int i = 0; i < {count}; i++) if ({name}) {name}[i] = i;"
                ));
            }
        }
    }
}
