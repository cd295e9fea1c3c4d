//! The split of real programs is justified; one that was tampered with is not.

use super::check_split;
use crate::Rejection;
use cfa::program::Program;
use lowering::property::{Check, Property};
use lowering::{LowerOptions, load_text};
use std::collections::BTreeSet;
use std::sync::Arc;
use syntax::driver::Options;
use syntax::types::DataModel;
use transform::regions::{PartId, Split, split_with_homes};

const PRELUDE: &str = "int input(void); void *malloc(unsigned long); void *memcpy(void *, const void *, unsigned long); \
     void *memset(void *, int, unsigned long); \
     struct pair { int a; int b; int c; }; struct node { struct node *next; int data; }; ";

fn programs(text: &str) -> Vec<(Program, Split)> {
    let text = format!("{PRELUDE}{text}");
    let load = |data_model| {
        let front = Options {
            data_model,
            ..Options::default()
        };
        let loaded = load_text("test.i", &text, &front, &LowerOptions::default());
        let program = loaded.unwrap_or_else(|failure| panic!("{failure}")).program;
        let split = split_with_homes(&program);
        (program, split)
    };
    [DataModel::Ilp32, DataModel::Lp64].map(load).into()
}

/// Programs whose split keeps many parts.
const PROGRAMS: [&str; 20] = [
    "int a, b; int main(void) { int *p = &a; *p = 1; p = &b; *p = 2; return a + b; }",
    "int main(void) { struct pair x[4]; for (int i = 0; i < 4; i++) { x[i].a = i; x[i].b = 2; x[i].c = 3; } return x[1].b; }",
    "int main(void) { struct node *list = 0; while (input()) { struct node *n = malloc(sizeof *n); n->next = list; \
     n->data = input(); list = n; } int sum = 0; while (list) { sum += list->data; list = list->next; } return sum; }",
    "int main(void) { struct pair x = {1, 2, 3}, y; memcpy(&y, &x, sizeof x); memset(&x, 0, sizeof x); return x.a + y.b; }",
    "int main(void) { int t[8], i = input(); if (i < 0 || i > 7) return 0; t[i] = 1; char c[4]; c[i & 3] = 2; return t[0] + c[0]; }",
    "int x; int main(void) { unsigned long a = (unsigned long)&x; a = (a + 15) / 16 * 16; *(int *)a = 5; return x; }",
    "int x, y; int main(void) { int *p; if (p == &x) *p = 5; y = 3; return x + y; }",
    "int main(void) { char a[8], b[8]; int n = input(); memcpy(a, b, n & 7); return a[1] + b[2]; }",
    "static int get(int *p, int n) { return n ? get(p + 1, n - 1) : *p; } int main(void) { int t[4] = {1, 2, 3, 4}; return get(t, 3); }",
    "int x, y; int main(void) { unsigned long p = input() ? (unsigned long)&x : 0, d = p - (unsigned long)&y; x = 3; \
     if (!p) *(int *)-d = 5; return x + y; }",
    "int x, y; int main(void) { unsigned long p = input() ? (unsigned long)&x : 0, n = (unsigned long)&y * 3; \
     unsigned long v = p + n / 3; if (!p) *(int *)v = 5; return x + y; }",
    "int t[64]; int main(void) { int *p = t; *(char *)&p = 4; *p = 7; t[1] = 3; return t[0] + t[1]; }",
    "int t[64], n; int main(void) { int *p = &t[1], *q = &t[5]; memcpy(&p, &q, input() & 7); *p = 7; return t[0] + t[1]; }",
    "struct pair t[3]; int main(void) { unsigned long a = (unsigned long)t; for (int i = input(); i; i--) a += 12; \
     *(int *)a = 1; t[0].b = 2; return t[0].a + t[1].b; }",
    "int *t[2], x, y; int main(void) { int *u[2], *p; u[input() & 1] = &x; p = u[0]; unsigned long d = (unsigned long)p - (unsigned long)&y; \
     x = 1; if (!p) *(int *)-d = 5; return x + y; }",
    "int *p, x, y; int main(void) { if (input()) p = &x; unsigned long n = input(); if ((unsigned long)&y < (unsigned long)p + n) \
     *(int *)n = 5; return x + y; }",
    "int x; int main(void) { unsigned long n = input(); char *q = malloc((unsigned long)&x), *r = malloc(n); \
     memset(r, 0, (unsigned long)&x); memset(q, 0, n); x = 1; *(int *)n = 5; return x; }",
    "unsigned long last; void f(void) { struct pair t[2]; t[0].a = t[0].b = t[0].c = 1; \
     if (last) *(int *)(last + ((unsigned long)t - last + 8) / 12 * 12) = 5; last = (unsigned long)t; t[1].b = t[0].c; } \
     int main(void) { f(); f(); return 0; }",
    "void free(void *); int main(void) { struct pair *p = malloc(12), *q = malloc(24), *r = input() ? p : q; r->a = 1; \
     unsigned long n = (unsigned long)&p->c; free(p); p = malloc(12); q->a = q->b = 2; p->c = 1; \
     if (n == (unsigned long)&q->a) *(int *)n = 5; return q->a + q->b + p->c; }",
    "int main(void) { struct pair t[3]; struct pair *p = t; for (; p != t + 3; p++) p->a = p->b = p->c = 1; return t[1].b; }",
];

#[test]
fn the_split_of_programs_is_justified() {
    for text in PROGRAMS {
        for (program, split) in programs(text) {
            assert_eq!(check_split(&program, &split.homes), Ok(()), "{text}");
        }
    }
}

#[test]
fn a_store_to_another_part_is_not() {
    let mut tampered = 0;
    for text in PROGRAMS {
        for (program, split) in programs(text) {
            let stores: Vec<_> = split.homes.stores.keys().copied().collect();
            for edge in stores {
                let own = split.homes.stores[&edge];
                if !split.homes.parts[own.0 as usize].is_read {
                    continue;
                }
                for other in 0..split.homes.parts.len() as u32 {
                    if other == own.0 {
                        continue;
                    }
                    let mut homes = split.homes.clone();
                    homes.stores.insert(edge, PartId(other));
                    let checked = check_split(&program, &homes);
                    assert!(matches!(checked, Err(Rejection::Unfinished(_))), "{text}");
                    tampered += 1;
                }
            }
        }
    }
    assert!(tampered > 20, "only {tampered} splits were tampered with");
}

#[test]
fn a_load_from_another_part_is_not() {
    for text in &PROGRAMS[..3] {
        for (program, split) in programs(text) {
            let loads = split.homes.loads.iter().enumerate();
            for (number, own) in loads.filter_map(|(number, own)| Some((number, (*own)?))) {
                let parts = split.homes.parts.len() as u32;
                let mut homes = split.homes.clone();
                homes.loads[number] = Some(PartId((own.0 + 1) % parts));
                if parts > 1 {
                    assert!(check_split(&program, &homes).is_err(), "{text}");
                }
            }
        }
    }
}

#[test]
fn a_copy_that_leaves_out_a_part_is_not() {
    for (program, split) in programs(PROGRAMS[3]) {
        let mut homes = split.homes.clone();
        for ranges in homes.ranges.values_mut() {
            ranges.clear();
        }
        assert!(check_split(&program, &homes).is_err());
    }
}

/// What a split that forgets how an address comes about would do: the object stays a variable.
#[test]
fn an_address_that_is_computed_is_followed() {
    for how in [
        "a = a * 3 / 3;",
        "double d = a; a = d;",
        "unsigned long b = 0; for (int i = 0; i < 64; i++) if (a >> i & 1) b |= 1ul << i; a = b;",
        "unsigned long b = input(); if (a != b) return 0; a = b;",
        "unsigned long b = (unsigned long)&y; while (b != a) b++; a = b;",
        "a = -(unsigned long)&y + a; a = a + (unsigned long)&y;",
        "unsigned long n = 0; for (unsigned long b = ~0ul / 2 + 1; b; b /= 2) if (a + (n | b) >= a) n |= b; a = ~n;",
        "unsigned long d; { int *t[2]; t[input() & 1] = &y; d = (unsigned long)t[0] - a; } a = -d;",
        "struct { unsigned long p, z; } s; s.p = a; s.z = 0; unsigned long v = *(unsigned long *)((char *)&s + 1); \
         v -= a; a = (v + (unsigned long)&x) << 8;",
        "unsigned long b = input(); char *q = malloc(a), *r = malloc(b); memset(q, 0, b); memset(r, 0, a); a = b;",
        "unsigned char c[sizeof a]; for (int i = 0; i < sizeof a; i++) c[i] = a >> (8 * i); a = 0; \
         for (int i = 0; i < sizeof a; i++) a |= (unsigned long)c[i] << (8 * i);",
    ] {
        let honest = "int x, y; int main(void) { x = 1; y = 2; *(int *)&x = 3; return x + y; }";
        let _ = programs(honest);
        let text = format!(
            "int x, y; int main(void) {{ unsigned long a = (unsigned long)&x; {how} *(int *)a = 5; return x + y; }}"
        );
        for (program, split) in programs(&text) {
            assert_eq!(check_split(&program, &split.homes), Ok(()), "{how}");
            // The store through `a` goes where the loads of `x` are.
            let read: Vec<_> = split.homes.loads.iter().flatten().collect();
            let stores = split.homes.stores.values();
            assert!(stores.into_iter().any(|part| read.contains(&part)), "{how}");
        }
    }
}

/// Where a check of memory safety is not asked for, executions end at it: it must ask for every
/// object that its pointer may lead to.
#[test]
fn conditions_of_memory_safety_ask_for_every_object() {
    const FREED: &str = "void free(void *); int x, y; int main(void) { ";
    for body in [
        "int *p = input() ? &x : &y; *p = 5; free(malloc(4)); return x;",
        "struct pair *p = malloc(12), *q = malloc(24), *r = input() ? p : q; r->a = 1; free(p); return 0;",
        "unsigned long a = (unsigned long)&x; a = a * 3 / 3; *(int *)a = 5; free(malloc(4)); return x;",
        "int *t[2] = {&x, &y}; *t[input() & 1] = 5; free(malloc(4)); return x;",
    ] {
        for (program, _) in programs(&format!("{FREED}{body} }}")) {
            let property = Property::Checks {
                checks: vec![Check::Deref, Check::Free],
                calls: Vec::new(),
            };
            let program = transform::safety::instrument(&program, &property);
            let none = transform::checks::only(&program, &BTreeSet::new());
            let homes = split_with_homes(&none).homes;
            assert_eq!(check_split(&none, &homes), Ok(()), "{body}");
            let watched = none.watched.as_deref().expect("it is instrumented");
            let mut forged = 0;
            for (at, relied) in watched.faults.relied.iter().enumerate() {
                for left_out in 0..relied.objects.len() {
                    let mut watched = watched.clone();
                    watched.faults.relied[at].objects.remove(left_out);
                    let gap = Program {
                        watched: Some(Arc::new(watched)),
                        ..none.clone()
                    };
                    let checked = check_split(&gap, &homes);
                    let Err(Rejection::Unfinished(why)) = checked else {
                        panic!("{body}: {checked:?}");
                    };
                    assert!(why.contains("does not ask for"), "{body}: {why}");
                    forged += 1;
                }
            }
            assert!(forged > 0, "{body}: nothing was relied on");
        }
    }
}

#[test]
fn a_region_that_does_not_begin_with_zeros_is_not() {
    for text in [
        "extern int t[4]; int main(void) { return t[input() & 3]; }",
        "int u[4]; int main(void) { int t[4], *p = input() ? t : u; return p[input() & 3]; }",
        "int u[4], *any(void); int main(void) { int *p = any(); if (input()) p = u; return p[input() & 3]; }",
        "int main(void) { int *p = malloc(16); return p[input() & 3]; }",
    ] {
        for (program, split) in programs(text) {
            let mut homes = split.homes.clone();
            for part in &mut homes.parts {
                part.begins_with_zeros = true;
            }
            assert!(check_split(&program, &homes).is_err(), "{text}");
        }
    }
    for (program, split) in programs("int u[4]; int main(void) { return u[input() & 3]; }") {
        assert!(split.homes.parts.iter().all(|part| part.begins_with_zeros));
        assert_eq!(check_split(&program, &split.homes), Ok(()));
    }
}

/// A number from outside may lead to memory outside, also where the value is a pointer otherwise.
#[test]
fn a_region_that_leaves_out_the_outside_is_not() {
    for text in [
        "unsigned long any(void); char x[4]; int main(void) { char *p = input() ? x : (char *)any(); return p ? *p : 0; }",
        "extern struct { char *p; } s; char x[4]; int main(void) { if (input()) s.p = x; return s.p ? *s.p : 0; }",
        "char *any(void); char x[4]; int main(void) { char *p = any(); if (input()) p = x; return p ? *p : 0; }",
        "struct text { char *p; } any(void); char x[4]; int main(void) { struct text t = any(), u; u = t; if (input()) u.p = x; \
         return u.p ? *u.p : 0; }",
    ] {
        for (program, split) in programs(text) {
            assert_eq!(check_split(&program, &split.homes), Ok(()), "{text}");
            let mut homes = split.homes.clone();
            for part in &mut homes.parts {
                part.reaches_outside = false;
            }
            assert!(check_split(&program, &homes).is_err(), "{text}");
        }
    }
}
