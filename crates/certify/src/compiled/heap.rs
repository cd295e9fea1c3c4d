//! Allocation in the harness: memory is there, and holds what it held in the execution.

use super::library::is_harmless;
use super::text::{Writer, line};
use lowering::property::Check;
use std::fmt::Write;

impl Writer<'_> {
    /// Memory from the heap is there, and zero.
    pub(super) fn memory_functions(&mut self) {
        let undefined = |name: &str| self.symbols.undefined.contains(name);
        let counts = self.counts_objects();
        if counts {
            self.count_objects();
        }
        let families = ["malloc", "calloc", "realloc"];
        let wrapped: Vec<&'static str> = families
            .into_iter()
            .filter(|name| undefined(name))
            .collect();
        let others: [(&str, &str, &str); 13] = [
            ("kmalloc", "unsigned long size", "1, size"),
            ("__kmalloc", "unsigned long size", "1, size"),
            ("vmalloc", "unsigned long size", "1, size"),
            ("kvmalloc", "unsigned long size", "1, size"),
            ("kzalloc", "unsigned long size", "1, size"),
            ("vzalloc", "unsigned long size", "1, size"),
            ("kvzalloc", "unsigned long size", "1, size"),
            (
                "devm_kmalloc",
                "void *device, unsigned long size",
                "1, size",
            ),
            (
                "devm_kzalloc",
                "void *device, unsigned long size",
                "1, size",
            ),
            (
                "kcalloc",
                "unsigned long count, unsigned long size",
                "count, size",
            ),
            (
                "kmalloc_array",
                "unsigned long count, unsigned long size",
                "count, size",
            ),
            (
                "aligned_alloc",
                "unsigned long align, unsigned long size",
                "1, size",
            ),
            (
                "memalign",
                "unsigned long align, unsigned long size",
                "1, size",
            ),
        ];
        // Aligned memory is the library's affair.
        let others: Vec<_> = others
            .into_iter()
            .filter(|(name, ..)| undefined(name) && !is_harmless(name))
            .collect();
        let frees = ["kfree", "vfree", "kvfree", "kzfree", "devm_kfree"];
        if !wrapped.is_empty() || !others.is_empty() {
            let calloc = if wrapped.contains(&"calloc") {
                "__real_calloc"
            } else {
                "calloc"
            };
            // `realloc` may make what follows the object a part of it.
            let (filled, beyond) = match self.feed.filling {
                // Large objects would be touched for nothing.
                0 => ("new".to_owned(), "new".to_owned()),
                byte => (
                    format!("harness_filled(new, 0, {byte})"),
                    format!("harness_filled(new, count * size, {byte})"),
                ),
            };
            line!(
                self.out,
                "\nextern void *{calloc}(unsigned long, unsigned long);\n\
                 extern unsigned long malloc_usable_size(void *);\n\n\
                 static inline void *harness_filled(void *new, unsigned long from, int byte)\n{{\n    \
                 if (new)\n        __builtin_memset((char *)new + from, byte, malloc_usable_size(new) - from);\n    \
                 return new;\n}}\n\n\
                 static void *harness_there(void *new, unsigned long size)\n{{\n    if (!new && size)\n        \
                 harness_cannot(\"there is not enough memory\");\n    {}return new;\n}}\n\n\
                 static void *harness_zeros(unsigned long count, unsigned long size)\n{{\n    \
                 if (size && count > -1ul / size)\n        return 0;\n    \
                 return harness_there({calloc}(count, size), count * size);\n}}\n\n\
                 /* New memory holds what it held in the execution. */\n\
                 static void *harness_bytes(unsigned long count, unsigned long size)\n{{\n    \
                 void *new = harness_zeros(count, size);\n    return {filled};\n}}\n\n\
                 static inline void *harness_cleared(unsigned long count, unsigned long size)\n{{\n    \
                 void *new = harness_zeros(count, size);\n    return {beyond};\n}}",
                if counts {
                    "harness_objects += new != 0;\n    "
                } else {
                    ""
                },
            );
        }
        for name in &wrapped {
            let fails = self.failures(name);
            let (params, result) = match *name {
                "malloc" => ("unsigned long size", "harness_bytes(1, size)"),
                "calloc" => (
                    "unsigned long count, unsigned long size",
                    "harness_cleared(count, size)",
                ),
                _ => ("void *old, unsigned long size", "harness_moved(old, size)"),
            };
            if *name == "realloc" {
                let released = if counts {
                    "harness_objects -= old != 0;\n    "
                } else {
                    ""
                };
                line!(
                    self.out,
                    "\nextern void *__real_realloc(void *, unsigned long);\n\n\
                     /* What is added is new memory. */\n\
                     static void *harness_moved(void *old, unsigned long size)\n{{\n    \
                     {released}if (!size)\n        return __real_realloc(old, size);\n    \
                     unsigned long kept = old ? malloc_usable_size(old) : 0;\n    \
                     void *new = harness_bytes(1, size);\n    \
                     if (old)\n        __builtin_memcpy(new, old, kept < size ? kept : size);\n    \
                     if (old)\n        __real_realloc(old, 0);\n    return new;\n}}"
                );
            }
            line!(
                self.out,
                "void *__wrap_{name}({params}) {{ {fails}return {result}; }}"
            );
            self.defined.insert((*name).into());
        }
        for (name, params, args) in others {
            let fails = self.failures(name);
            let new = match name.contains("zalloc") || name == "kcalloc" {
                true => "harness_zeros",
                false => "harness_bytes",
            };
            line!(
                self.out,
                "void *{name}({params}) {{ {fails}return {new}({args}); }}"
            );
            self.defined.insert(name.into());
        }
        for name in frees {
            if self.takes(name) {
                line!(self.out, "void {name}(void) {{}}");
            }
        }
        self.wrapped = wrapped;
        if counts && self.symbols.undefined.contains("free") {
            line!(
                self.out,
                "extern void __real_free(void *);\n\
                 void __wrap_free(void *old) {{ harness_objects -= old != 0; __real_free(old); }}"
            );
            self.wrapped.push("free");
            self.defined.insert("free".into());
        }
    }

    /// Does the property ask what is left at the end?
    pub(super) fn counts_objects(&self) -> bool {
        let property = &self.build.property;
        property.has(Check::Memtrack) || property.has(Check::Memcleanup)
    }

    /// Objects of the heap that live when the program ends.
    fn count_objects(&mut self) {
        line!(
            self.out,
            "\n__attribute__((destructor)) static void harness_count(void)\n{{\n    \
             if (harness_objects > 0)\n        \
             harness_violated(\"memory is not freed\");\n}}"
        );
        if self.build.property.has(Check::Memcleanup) {
            line!(
                self.out,
                "\n/* `abort` is an end, too. */\n\
                 extern void (*signal(int, void (*)(int)))(int);\n\
                 static void harness_aborted(int number) {{ harness_count(); _exit(128 + number); }}\n\
                 __attribute__((constructor)) static void harness_before(void) {{ signal(6, harness_aborted); }}"
            );
        }
    }

    /// Where allocation may fail, the calls that do are inputs.
    fn failures(&mut self, name: &str) -> String {
        let Some(values) = self.feed.calls.get(name) else {
            return String::new();
        };
        let list: Vec<&str> = values
            .iter()
            .map(|(_, bits)| if *bits != 0 { "1" } else { "0" })
            .collect();
        line!(
            self.out,
            "static int {name}_fails(void)\n{{\n    static const char fails[] = {{{}}};\n    static unsigned taken;\n    \
             return taken < {} && fails[taken++];\n}}",
            list.join(", "),
            list.len()
        );
        format!("if ({name}_fails()) return 0; ")
    }
}
