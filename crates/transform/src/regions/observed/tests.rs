use super::{Observation, observed_addresses};
use lowering::{LowerOptions, load_text};
use syntax::driver::Options;
use syntax::types::DataModel;

/// What the body of `main` observes, in both data models.
fn observed(body: &str) -> Vec<Observation> {
    observed_in("", body)
}

/// The same with functions before it.
fn observed_in(functions: &str, body: &str) -> Vec<Observation> {
    let text = format!(
        "void *malloc(unsigned long); void *realloc(void *, unsigned long); void free(void *);\n\
         void *memset(void *, int, unsigned long); int input(void);\n\
         struct node {{ struct node *next; int data; }};\n{functions}\n\
         int main(void) {{ {body} return 0; }}"
    );
    let list = [DataModel::Ilp32, DataModel::Lp64].map(|model| {
        let front = Options {
            data_model: model,
            ..Options::default()
        };
        let loaded = load_text("test.i", &text, &front, &LowerOptions::default());
        let loaded = loaded.unwrap_or_else(|failure| panic!("{failure}"));
        let places = observed_addresses(&loaded.program);
        let mut kinds: Vec<_> = places.into_iter().map(|(_, how)| how).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    });
    assert_eq!(list[0], list[1], "{body}");
    list[0].clone()
}

#[test]
fn what_may_be_null_instead_of_a_pointer_is_a_number() {
    let body = "int a[4]; int *q = input() ? a : 0; unsigned long d = (unsigned long)a - (unsigned long)q; \
                if (!q && d == input()) return 1;";
    assert!(!observed(body).is_empty());
    let body = "int a[4]; int *q = input() ? a : 0; if ((unsigned long)a < (unsigned long)q + 500000) return 1;";
    assert_eq!(observed(body), [Observation::Order]);
    let body = "int a[4]; int *q = input() ? a : 0; if (q && (unsigned long)a < (unsigned long)q + 8) return 1;";
    assert_eq!(observed(body), []);
}

#[test]
fn pointers_moved_from_one_parameter_are_in_one_object() {
    let fill =
        "void fill(char *p, unsigned long n) { char *end = p + n; while (p < end) *p++ = 7; }";
    let calls = "char a[4], b[4]; fill(a, 4); fill(b, 4);";
    assert_eq!(observed_in(fill, calls), []);
    // From two parameters, or from elsewhere in between.
    let two = "int less(char *p, char *q) { return p < q; }";
    let called = "char a[4], b[4]; if (less(a, b) || less(b, a)) return 1;";
    assert_eq!(observed_in(two, called), [Observation::Order]);
    let kept = "char *kept; int less(char *p) { char *q = p; if (kept) q = kept; kept = p; return p < q; }";
    let called = "char a[4], b[4]; if (less(a) || less(b)) return 1;";
    assert_eq!(observed_in(kept, called), [Observation::Order]);
    let deep = "int less(char *p, char *q, int n) { if (n) return less(q, p, n - 1); char *r = q; return p < r; }";
    let called = "char a[4], b[4]; if (less(a, b, 3)) return 1;";
    assert_eq!(observed_in(deep, called), [Observation::Order]);
}

#[test]
fn the_distance_of_what_is_not_null_is_none_from_null() {
    let find = "char *find(char *s) { for (; *s; s++) if (*s == 44) return s; return 0; }";
    let tested = "char a[4] = {1, 44}; char *c = find(a); if (c && c - a > 2) return 1;";
    assert_eq!(observed_in(find, tested), []);
    for open in [
        "char a[4] = {1, 44}; char *c = find(a); if (c - a > 2) return 1;",
        "char a[4] = {1, 44}; char *c = find(a); if (c) c = find(a); if (c - a > 2) return 1;",
        "char a[4] = {1, 44}; char *c = find(a); if (!c && c - a > 2) return 1;",
        "char a[4] = {1, 44}; char *c = find(a); if (c) { c = 0; if (c - a > 2) return 1; c = find(a); }",
    ] {
        assert_eq!(observed_in(find, open), [Observation::Distance], "{open}");
    }
    let failing =
        "char *find(char *s) { for (; *s; s++) if (*s == 44) return s; return (char *)-1; }";
    assert_eq!(observed_in(failing, tested), [Observation::Distance]);
    let moved = "char *find(char *s) { for (; *s; s++) if (*s == 44) return s; return 0; }";
    let tested = "char a[4] = {1, 44}; char *c = find(a) + 1; if (c && c - a > 2) return 1;";
    assert_eq!(observed_in(moved, tested), [Observation::Distance]);
}

#[test]
fn alignment_is_the_same_with_every_placement() {
    for body in [
        "struct { char c; int f; } s; if ((unsigned long)&s.f % 4) return 1;",
        "struct { char c; int f; } s; if ((unsigned long)&s.f & 3) return 1;",
        "int a[4]; char *p = (char *)a + input(); if (((unsigned long)p & 3) == 1) return 1;",
        "int *p = input() ? malloc(8) : malloc(4); if ((unsigned long)p & 7) return 1;",
    ] {
        assert_eq!(observed(body), [], "{body}");
    }
    for body in [
        "char c; if ((unsigned long)&c % 2) return 1;",
        "int a; if ((unsigned long)&a & 4) return 1;",
        "int a; char c; char *p = input() ? (char *)&a : &c; if ((unsigned long)p & 3) return 1;",
        "int a; unsigned long n = (unsigned long)&a >> 4; if (n & 3) return 1;",
        "int a; if ((unsigned long)&a & ~3ul) return 1;",
    ] {
        assert_eq!(observed(body), [Observation::Arithmetic], "{body}");
    }
}

#[test]
fn what_depends_on_the_placement_is_found() {
    for (body, how) in [
        ("int a, b; if (&a < &b) return 1;", Observation::Order),
        (
            "int a, b; int *p = input() ? &a : &b, *q = &b; if (p <= q) return 1;",
            Observation::Order,
        ),
        (
            "int a; if ((long)&a < input()) return 1;",
            Observation::Order,
        ),
        (
            "int a, b; long d = (char *)&a - (char *)&b; if (d > 4) return 1;",
            Observation::Distance,
        ),
        (
            "int a; if ((unsigned long)&a % 3) return 1;",
            Observation::Arithmetic,
        ),
        (
            "if ((unsigned long)main < (unsigned long)input) return 1;",
            Observation::Order,
        ),
        (
            "if (((unsigned long)main & 255) == 1) return 1;",
            Observation::Arithmetic,
        ),
        (
            "int a; unsigned long b = (unsigned long)&a, n = input(); if (b + n < b) return 1;",
            Observation::Order,
        ),
        (
            "int a; unsigned long n = input(); if ((unsigned long)&a + n == 0) return 1;",
            Observation::Number,
        ),
        (
            "int a, b; int *p = &a; *(char *)&p = 4; if (p == &b) return 1;",
            Observation::Arithmetic,
        ),
        (
            "int a; unsigned long b; if ((b & 255) == 1 && b == (unsigned long)&a) return 1;",
            Observation::Number,
        ),
        (
            "int a; if ((unsigned char)(unsigned long)&a == 7) return 1;",
            Observation::Arithmetic,
        ),
        (
            "int a; int *p = &a; char *c = (char *)&p; if (c[input()] == 7) return 1;",
            Observation::Arithmetic,
        ),
        (
            "int a; union { int *p; short s; } u; u.p = &a; if (u.s > 0) return 1;",
            Observation::Order,
        ),
        (
            "int a; if ((unsigned long)&a == input()) return 1;",
            Observation::Number,
        ),
        (
            "int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) return 1;",
            Observation::Reused,
        ),
        (
            "int a, b; if (&a + 1 == &b) return 1;",
            Observation::Adjacent,
        ),
        (
            "int a[4], b[4]; int *p = input() ? a : b; *p = 1; if (a + (input() & 7) == b) return 1;",
            Observation::Adjacent,
        ),
        (
            "char *a = malloc(16), *b = malloc(8), *c = input() ? a : b; *c = 1; if (a + input() == b) return 1;",
            Observation::Adjacent,
        ),
        (
            "int *p = malloc(4), *q = realloc(p, 8); if (p == q) return 1;",
            Observation::Reused,
        ),
        (
            "unsigned long last = 0; for (int i = 0; i < 3; i++) { int x; if (last < (unsigned long)&x) return 1; \
             last = (unsigned long)&x; }",
            Observation::Order,
        ),
        (
            "char *last = 0; for (int i = 0; i < 3; i++) { char x[2]; if (last && x - last > 4) return 1; last = x; }",
            Observation::Distance,
        ),
        (
            "if ((unsigned long)main + 11 == (unsigned long)input) return 1;",
            Observation::Distance,
        ),
        (
            "int a; char *p = malloc((unsigned long)&a); p[9] = 1;",
            Observation::Arithmetic,
        ),
        (
            "int a; char *p = malloc(input()); memset(p, 0, (unsigned long)&a);",
            Observation::Arithmetic,
        ),
        (
            "int *p = malloc(4); unsigned long n = (unsigned long)p; free(p); p = malloc(4); \
             if (n == (unsigned long)p) *(int *)n = 5;",
            Observation::Arithmetic,
        ),
        (
            "char *a = \"x\", *b = \"x\"; if (a == b) return 1;",
            Observation::Literals,
        ),
    ] {
        assert!(
            observed(body).contains(&how),
            "{body}: {:?}",
            observed(body)
        );
    }
}

#[test]
fn ordinary_programs_observe_nothing() {
    for body in [
        "int (*f)(void) = input() ? main : 0; if (f == main) return f();",
        "int a[9]; int *end = a + 9; for (int *p = a; p < end; p++) *p = 1; return end - a;",
        "for (int i = 0; i < 3; i++) { int t[3]; for (int *p = t; p < t + 3; p++) *p = 1; \
         for (int *p = t; p != t + 3; p++) *p = 2; }",
        "int *p = malloc(4); unsigned long n = (unsigned long)p; *(int *)n = 5; free(p); p = malloc(4); *p = 1;",
        "int a; int *p = input() ? &a : 0; if (p) return 1; if (p == &a && p != 0) return 2;",
        "int a; unsigned long n = (unsigned long)&a; int *p = (int *)n; *p = 1; return a;",
        "struct node *list = 0; while (input()) { struct node *n = malloc(sizeof *n); n->next = list; \
         n->data = input(); list = n; } while (list) { struct node *n = list->next; \
         if (list->data % 3 == 1) return 1; free(list); list = n; }",
        "struct node head; head.next = &head; struct node *p = head.next; if (p != &head) return 1;",
        "int a; void *p = input() ? (void *)&a : (void *)-12L; if ((unsigned long)p >= -4095UL) return 1;",
    ] {
        assert_eq!(observed(body), [], "{body}");
    }
}
