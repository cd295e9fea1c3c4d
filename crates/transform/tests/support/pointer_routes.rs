//! The ways of pointers in [`super::pointers`]: each gives back what it was given.

use super::pointers::Writer;
use std::fmt::Write;

impl Writer {
    /// Sends a pointer some way; the name of what arrives.
    pub(super) fn route(&mut self, ty: &str, pointer: &str) -> String {
        let k = self.number();
        let arrived = format!("p{k}");
        if self.random.below(3) == 0 {
            let text = self.pointer_route(k, ty, pointer);
            for line in text.lines() {
                self.line(line.trim());
            }
            return arrived;
        }
        self.line(&format!("W a{k} = (W)({pointer});"));
        self.line(&format!("W b{k} = 0;"));
        let text = self.word_route(k);
        for line in text.lines() {
            self.line(line.trim());
        }
        self.line(&format!("{ty} *p{k} = ({ty} *)b{k};"));
        arrived
    }

    /// Statements that declare `p{k}` with the pointer's value.
    fn pointer_route(&mut self, k: u32, ty: &str, pointer: &str) -> String {
        let index = self.index(3);
        match self.random.below(25) {
            0 => format!(
                "struct box x{k} = {{1, {pointer}, 2}}, y{k};\ny{k} = x{k};\n{ty} *p{k} = y{k}.data;"
            ),
            1 => format!(
                "union word u{k}[3] = {{{{&other}}, {{others}}, {{&third}}}}, v{k}[3];\n\
                 u{k}[{index}].p = {pointer};\n\
                 for (unsigned i = 0; i < sizeof(W) / 2; i++) v{k}[m].s[i] = u{k}[{index}].s[i];\n\
                 {ty} *p{k} = v{k}[m].p;"
            ),
            2 => format!(
                "union word u{k}[3];\nu{k}[{index}].p = {pointer};\n\
                 union word v{k} = u{k}[{index}];\n{ty} *p{k} = ({ty} *)v{k}.w;"
            ),
            3 => format!(
                "{ty} *x{k} = {pointer};\n{ty} *p{k};\ncopy_bytes(&p{k}, &x{k}, sizeof p{k});"
            ),
            4 => format!(
                "{ty} *x{k} = {pointer};\nunsigned char b{k}[3 * sizeof(W)];\n\
                 memcpy(b{k} + {index} * sizeof(W), &x{k}, sizeof x{k});\n\
                 memmove(b{k}, b{k} + {index} * sizeof(W), sizeof(W));\n\
                 {ty} *p{k};\nmemcpy(&p{k}, b{k}, sizeof p{k});"
            ),
            5 => format!(
                "struct node e{k} = {{0, {pointer}}}, d{k} = {{&e{k}, &other}};\n\
                 struct node *f{k} = &d{k};\nwhile (f{k}->next) f{k} = f{k}->next;\n\
                 {ty} *p{k} = f{k}->data;"
            ),
            6 => format!(
                "void *t{k}[3] = {{&other, &others[1], &third}};\nt{k}[{index}] = {pointer};\n\
                 {ty} *p{k} = t{k}[{index}];"
            ),
            7 => format!(
                "struct box x{k} = {{1, {pointer}, 2}};\nint *i{k} = &x{k}.id;\n\
                 struct box *o{k} = (struct box *)((char *)i{k} - __builtin_offsetof(struct box, id));\n\
                 {ty} *p{k} = o{k}->data;"
            ),
            8 => format!("void *x{k};\nput(&x{k}, {pointer});\n{ty} *p{k} = x{k};"),
            9 => {
                let _ = writeln!(self.end, "    free(h{k});");
                format!(
                    "void **h{k} = malloc(sizeof *h{k});\n*h{k} = {pointer};\n\
                     h{k} = realloc(h{k}, 3 * sizeof *h{k});\nh{k}[2] = &other;\n{ty} *p{k} = h{k}[0];"
                )
            }
            10 => format!("{ty} *p{k} = ({ty} *)((char *)({pointer}) + sizeof({ty})) - 1;"),
            11 => format!("{ty} *p{k} = same({pointer});"),
            12 => format!("{ty} *p{k} = deep((char *)({pointer}), 1);"),
            13 => format!("kept_pointer = {pointer};\n{ty} *p{k} = kept_pointer;"),
            14 => {
                let _ = writeln!(
                    self.functions,
                    "static void set{k}({ty} **to, {ty} *p, unsigned n)\n{{\n    if (n)\n        \
                     set{k}(to, p, n - 1);\n    else\n        *to = p;\n}}"
                );
                format!("{ty} *p{k};\nset{k}(&p{k}, {pointer}, n);")
            }
            15 => format!(
                "struct {{ int a; union word w[2]; }} s{k}, o{k};\ns{k}.w[n & 1].p = {pointer};\n\
                 memcpy(&o{k}, &s{k}, sizeof s{k});\n{ty} *p{k} = o{k}.w[n & 1].p;"
            ),
            16 | 17 => {
                let cut = 1 + self.random.below(3);
                let at = self.random.below(4);
                format!(
                    "{ty} *x{k} = {pointer};\nunsigned char c{k}[16];\n\
                     memcpy(c{k} + {at} + n, &x{k}, {cut});\n\
                     memcpy(c{k} + {at} + n + {cut}, (char *)&x{k} + {cut}, sizeof x{k} - {cut});\n\
                     {ty} *p{k};\nmemcpy(&p{k}, c{k} + {at} + n, sizeof p{k});"
                )
            }
            18 => {
                let cut = 1 + self.random.below(3);
                format!(
                    "{ty} *x{k} = {pointer}, *p{k};\nmemcpy(&p{k}, &x{k}, {cut});\n\
                     memcpy((char *)&p{k} + {cut}, (char *)&x{k} + {cut}, sizeof x{k} - {cut});"
                )
            }
            19 => format!(
                "struct tight x{k} = {{1, {pointer}}}, y{k}[3];\ny{k}[{index}] = x{k};\n\
                 {ty} *p{k} = y{k}[{index}].data;"
            ),
            20 => format!(
                "struct many x{k} = {{1, {{&other, &third, others}}}}, y{k};\nx{k}.data[{index}] = {pointer};\n\
                 y{k} = x{k};\n{ty} *p{k} = y{k}.data[{index}];"
            ),
            21 => format!(
                "void *t{k}[4] = {{{pointer}, &other, &third, others}};\n\
                 memmove(t{k} + 1, t{k}, 3 * sizeof *t{k});\n{ty} *p{k} = t{k}[1];"
            ),
            22 => format!(
                "struct box x{k} = {{1, {pointer}, 2}}, y{k};\n\
                 for (unsigned i = 0; i < sizeof x{k} / sizeof(W); i++) ((W *)&y{k})[i] = ((W *)&x{k})[i];\n\
                 {ty} *p{k} = y{k}.data;"
            ),
            23 => {
                let _ = writeln!(
                    self.end,
                    "    while (h{k}) {{\n        struct node *gone = h{k};\n        h{k} = h{k}->next;\n        \
                     free(gone);\n    }}"
                );
                format!(
                    "struct node *h{k} = 0;\nfor (unsigned i = 0; i <= n; i++) {{ \
                     struct node *e = malloc(sizeof *e); e->next = h{k}; e->data = i == m ? &other : (void *)({pointer}); \
                     h{k} = e; }}\n\
                     struct node *f{k} = h{k};\nwhile (f{k}->data == &other && f{k}->next) f{k} = f{k}->next;\n\
                     {ty} *p{k} = f{k}->data == &other ? (void *)({pointer}) : f{k}->data;"
                )
            }
            _ => format!(
                "{ty} *x{k} = {pointer};\nswap_bytes((unsigned char *)&x{k}, sizeof x{k});\n\
                 swap_bytes((unsigned char *)&x{k}, sizeof x{k});\n{ty} *p{k} = x{k};"
            ),
        }
    }

    /// Statements that give `b{k}` the value of `a{k}`.
    fn word_route(&mut self, k: u32) -> String {
        let index = self.index(3);
        let key = self.random.below(1 << 30);
        match self.random.below(50) {
            0 => format!("b{k} = (a{k} ^ {key}u) ^ {key}u;"),
            1 => format!("b{k} = a{k} ^ (W)&other;\nb{k} ^= (W)&other;"),
            2 => format!(
                "W l{k} = a{k} & (((W)1 << BITS / 2) - 1), h{k} = a{k} >> BITS / 2;\n\
                 b{k} = h{k} << BITS / 2 | l{k};"
            ),
            3 => format!(
                "unsigned char c{k}[sizeof(W)];\n\
                 for (unsigned i = 0; i < sizeof(W); i++) c{k}[i] = a{k} >> 8 * i;\n\
                 for (unsigned i = 0; i < sizeof(W); i++) b{k} |= (W)c{k}[i] << 8 * i;"
            ),
            4 => {
                format!("for (unsigned i = 0; i < BITS; i++) if (a{k} >> i & 1) b{k} |= (W)1 << i;")
            }
            5 => format!("F f{k} = a{k};\nb{k} = f{k};"),
            6 => format!("F f{k} = a{k};\nf{k} = f{k} * 2 + 2;\nb{k} = f{k} / 2 - 1;"),
            7 => format!("D d{k} = (D)a{k} * 3;\nd{k} /= 3;\nb{k} = d{k};"),
            8 => format!("b{k} = a{k} / 16 * 16;\nb{k} += a{k} % 16;"),
            9 => {
                let by = 3 + 2 * self.random.below(50);
                format!("W q{k} = a{k} / {by}, r{k} = a{k} % {by};\nb{k} = q{k} * {by} + r{k};")
            }
            10 => format!("b{k} = -a{k};\nb{k} = -b{k};"),
            11 => format!("b{k} = ~a{k};\nb{k} = ~b{k};"),
            12 => format!("b{k} = a{k} * 3;\nb{k} *= (W)0xaaaaaaaaaaaaaaabull;"),
            13 => {
                let by = 1 + self.random.below(30);
                format!(
                    "b{k} = a{k} << {by} | a{k} >> (BITS - {by});\n\
                     b{k} = b{k} >> {by} | b{k} << (BITS - {by});"
                )
            }
            14 => format!("b{k} = SWAP(a{k});\nb{k} = SWAP(b{k});"),
            15 => format!(
                "char s{k}[24];\nint z{k} = 0;\nfor (W r = a{k}; r; r /= 10) s{k}[z{k}++] = '0' + r % 10;\n\
                 while (z{k} > 0) b{k} = b{k} * 10 + (s{k}[--z{k}] - '0');"
            ),
            16 => format!(
                "static const unsigned char t{k}[16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};\n\
                 for (unsigned i = 0; i < BITS; i += 4) b{k} |= (W)t{k}[a{k} >> i & 15] << i;"
            ),
            17 => format!(
                "for (W bit = (W)1 << (BITS - 1); bit; bit >>= 1) if ((b{k} | bit) <= a{k}) b{k} |= bit;"
            ),
            18 | 19 => format!(
                "W t{k}[3] = {{(W)&other, 1, (W)&third}};\nt{k}[{index}] = a{k};\nb{k} = t{k}[{index}];"
            ),
            20 => format!("b{k} = deep_word(a{k}, 2);"),
            21 => format!("b{k} = same_word(a{k});"),
            22 => format!("W d{k} = a{k} - (W)&other;\nb{k} = (W)&other + d{k};"),
            23 => format!(
                "W s{k} = a{k} + (W)&other + (W)others;\nb{k} = s{k} - (W)others - (W)&other;"
            ),
            24 => format!(
                "struct halves f{k};\nf{k}.low = a{k};\nf{k}.high = a{k} >> BITS / 2;\n\
                 b{k} = (W)f{k}.high << BITS / 2 | f{k}.low;"
            ),
            25 => format!("b{k} = last_word(2, (W)&other, a{k});"),
            26 | 27 => format!(
                "W guess_at{k} = a{k};\nW g{k} = __VERIFIER_nondet_ulong();\n\
                 if (g{k} == guess_at{k}) b{k} = g{k}; else b{k} = a{k};"
            ),
            28 => format!("kept = a{k} + {key}u;\nb{k} = kept - {key}u;"),
            29 => format!(
                "switch (n) {{\ncase 0: b{k} = a{k} * 5; b{k} -= a{k} * 4; break;\n\
                 case 1: b{k} = a{k} + 7; b{k} -= 7; break;\ndefault: b{k} = a{k}; }}"
            ),
            30 => format!(
                "union word u{k};\nu{k}.w = a{k};\nunsigned short s{k}[sizeof(W) / 2];\n\
                 for (unsigned i = 0; i < sizeof(W) / 2; i++) s{k}[i] = u{k}.s[i];\n\
                 union word v{k};\nfor (unsigned i = 0; i < sizeof(W) / 2; i++) v{k}.s[i] = s{k}[i];\n\
                 b{k} = v{k}.w;"
            ),
            31 => format!(
                "unsigned char c{k}[2 * sizeof(W)];\nmemcpy(c{k} + n, &a{k}, sizeof a{k});\n\
                 memcpy(&b{k}, c{k} + n, sizeof b{k});"
            ),
            32 => format!("b{k} = a{k} + n * 8;\nfor (unsigned i = 0; i < n; i++) b{k} -= 8;"),
            33 => format!(
                "W m{k} = a{k} & (W)0x5555555555555555ull, o{k} = a{k} & (W)0xaaaaaaaaaaaaaaaaull;\n\
                 b{k} = n & 1 ? m{k} + o{k} : m{k} | o{k};"
            ),
            34 => format!("b{k} = (W)(a{k} < (W)&other ? (W)&other - ((W)&other - a{k}) : a{k});"),
            35 => format!(
                "D d{k} = (D)a{k} << BITS | a{k};\nd{k} >>= BITS - 3;\nb{k} = (W)(d{k} >> 3);"
            ),
            36 => format!(
                "long t{k}[3] = {{0}};\nt{k}[m] = (long)(a{k} - {key}u);\nlong s{k} = 0;\n\
                 for (int i = 0; i < 3; i++) s{k} |= t{k}[i];\nb{k} = (W)s{k} + {key}u;"
            ),
            37 => format!(
                "for (W bit = (W)1 << (BITS - 1); bit; bit >>= 1) if ((W)(a{k} + (b{k} | bit)) >= a{k}) b{k} |= bit;\n\
                 b{k} = ~b{k};"
            ),
            38 => format!(
                "for (W bit = (W)1 << (BITS - 1); bit; bit >>= 1) {{ D d = (D)(W)(a{k} + (b{k} | bit)) - a{k}; \
                 if (!(d >> BITS)) b{k} |= bit; }}\nb{k} = ~b{k};"
            ),
            // Five times the inverse of five: the sums go round.
            39 => format!(
                "b{k} = a{k};\nfor (unsigned i = 0; i < 5; i++) b{k} += (W)0xcccccccccccccccdull * 4;\n\
                 b{k} -= 4;"
            ),
            40 => format!(
                "b{k} = a{k};\nfor (unsigned i = 0; i < 8; i++) b{k} += (W)1 << (BITS - 3);"
            ),
            41 => format!(
                "union word u{k};\nu{k}.w = a{k};\nunsigned char c{k} = u{k}.b[0];\nu{k}.b[0] = 7;\n\
                 u{k}.b[0] = c{k};\nb{k} = u{k}.w;"
            ),
            42 => format!("b{k} = a{k} + 256;\nmemset(&b{k}, 0, 2);\nmemcpy(&b{k}, &a{k}, 2);"),
            43 => format!(
                "struct {{ W p, z; }} s{k} = {{a{k}, 0}};\nW v{k};\nmemcpy(&v{k}, (char *)&s{k} + 1, sizeof v{k});\n\
                 b{k} = v{k} - a{k};\nb{k} = ((b{k} + a{k}) << 8) + (a{k} & 255);"
            ),
            44 => format!(
                "static void *e{k}[2];\nif (n > 5) e{k}[n & 1] = &other;\nW d{k} = (W)e{k}[n & 1] - a{k};\n\
                 b{k} = -d{k};"
            ),
            // How far a local lies from where it was in the call before.
            45 => {
                let _ = writeln!(
                    self.functions,
                    "static W last{k};\nstatic W lives{k}(W a, unsigned n)\n{{\n    unsigned char t[4], *p = t;\n    \
                     p[n & 3] = 1;\n    W d = (W)t - last{k};\n    last{k} = (W)t;\n    \
                     return last{k} - d + a - (W)p + d;\n}}"
                );
                format!("b{k} = lives{k}(a{k}, n);\nb{k} = lives{k}(b{k}, m);")
            }
            46 => format!(
                "W o{k} = (W)&other;\nb{k} = a{k};\nb{k} ^= o{k};\no{k} ^= b{k};\nb{k} ^= o{k};\nb{k} = o{k};"
            ),
            47 => format!(
                "b{k} = n;\n__sync_fetch_and_add(&b{k}, a{k});\n__atomic_fetch_sub(&b{k}, n, 5);"
            ),
            48 => format!(
                "struct {{ W a : 7, b : 13, c : BITS - 20; }} f{k};\nf{k}.a = a{k};\nf{k}.b = a{k} >> 7;\n\
                 f{k}.c = a{k} >> 20;\nb{k} = (W)f{k}.a | (W)f{k}.b << 7 | (W)f{k}.c << 20;"
            ),
            _ => format!(
                "b{k} = a{k} % ((W)1 << BITS / 2);\nb{k} += a{k} / ((W)1 << BITS / 2) * ((W)1 << BITS / 2);"
            ),
        }
    }
}
