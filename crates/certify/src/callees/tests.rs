use super::*;
use crate::no_way;
use crate::tests::program;

/// Calls that cannot happen are not in the program any more: no way leads to the error.
fn is_unreachable(text: &str) -> bool {
    no_way::check(&without_impossible_callees(&program(text))).is_ok()
}

const FUNCTIONS: &str = "
    void good(void) {}
    void bad(void) { reach_error(); }
    void other(int a, char *b) { reach_error(); }
    typedef void (*plain)(void);
    void use(plain p) { p(); }
    unsigned long __VERIFIER_nondet_ulong(void);
    void __VERIFIER_assume(int);
    void *memcpy(void *, const void *, unsigned long);
    void *malloc(unsigned long);
    void (*unused[2])(void) = { bad, (plain)other };
";

#[test]
fn functions_that_a_pointer_never_gets_are_not_called() {
    for text in [
        "int main(void) { plain p = __VERIFIER_nondet_int() ? good : 0; if (p) p(); return 0; }",
        "int main(void) { use(good); return 0; }",
        "struct ops { plain open; plain close; } ops = { good, bad };
         int main(void) { struct ops *it = &ops; it->open(); return 0; }",
        "struct ops { long n; plain open; } ops;
         int main(void) { ops.open = good; ops.n = __VERIFIER_nondet_int(); struct ops copy = ops;
             copy.open(); return 0; }",
        "extern plain hook; int main(void) { hook(); return 0; }",
        "struct ops { plain open; }; struct ops *find(void);
         int main(void) { struct ops *it = find(); it->open(); return 0; }",
        "int main(void) { plain *p = malloc(sizeof *p); *p = good; (*p)(); return 0; }",
        "int main(void) { plain p = good; if (p == bad) return 0; p(); return 0; }",
    ] {
        assert!(is_unreachable(&format!("{FUNCTIONS}{text}")), "{text}");
    }
}

#[test]
fn functions_that_a_pointer_may_get_are_called() {
    for text in [
        "int main(void) { plain p = __VERIFIER_nondet_int() ? good : bad; p(); return 0; }",
        "int main(void) { use(good); use(bad); return 0; }",
        "int main(void) { plain p = (plain)__VERIFIER_nondet_ulong(); if (p == bad) p(); return 0; }",
        "int main(void) { plain p; if (p == bad) p(); return 0; }",
        "int main(void) { unsigned long n = (unsigned long)bad; n = n * 3 / 3; ((plain)n)(); return 0; }",
        "int main(void) { plain p = bad, q; for (int i = 0; i < 8; i++) ((char *)&q)[i] = ((char *)&p)[i];
             q(); return 0; }",
        "int main(void) { plain p = bad, q; memcpy(&q, &p, sizeof p); q(); return 0; }",
        "union both { plain p; unsigned short half[4]; };
         int main(void) { union both a, b; a.p = bad; b.p = good;
             for (int i = 0; i < 4; i++) b.half[i] = a.half[i]; b.p(); return 0; }",
        "int main(void) { plain *p = malloc(sizeof *p); *p = bad; plain q = *p; q(); return 0; }",
        "int main(void) { unsigned i = __VERIFIER_nondet_int() & 1; unused[i](); return 0; }",
        "plain pick(int n) { return n ? good : bad; } int main(void) { pick(__VERIFIER_nondet_int())(); return 0; }",
        "struct s { plain p; }; struct s make(void) { struct s it = { bad }; return it; }
         int main(void) { make().p(); return 0; }",
        "int main(void) { plain p = (plain)__VERIFIER_nondet_ulong();
             __VERIFIER_assume(p == bad); p(); return 0; }",
        "plain find(void); int main(void) { plain p = find(); if (p == bad) p(); return 0; }",
        "int main(void) { ((plain)((unsigned long)bad * 3 / 3))(); return 0; }",
        "struct ops { plain open; }; struct ops *find(void);
         int main(void) { struct ops *it = find(); if (it->open == bad) it->open(); return 0; }",
        "int main(void) { unsigned long n = 0; while (n != (unsigned long)bad) n++; ((plain)n)(); return 0; }",
        "int main(void) { plain p = good; plain *q = &p; *q = bad; p(); return 0; }",
        "int main(void) { double d = (double)(unsigned long)bad; ((plain)(unsigned long)d)(); return 0; }",
        "int main(void) { unsigned long lo = (unsigned long)bad & 0xffffffff, hi = (unsigned long)bad >> 32;
             ((plain)(hi << 32 | lo))(); return 0; }",
    ] {
        assert!(!is_unreachable(&format!("{FUNCTIONS}{text}")), "{text}");
    }
}
