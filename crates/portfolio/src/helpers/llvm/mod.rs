//! From invariants over the registers of LLVM's intermediate language at basic blocks to C expressions
//! at loops (Haltermann2020: J. Haltermann, H. Wehrheim, *Cooperative Verification via Collective
//! Invariant Generation*, 2020, figure 4 and example 4.1).
//!
//! | paper | here |
//! |---|---|
//! | variables of the C program | [`expression`]: what debug information calls a register, or what its instruction computes |
//! | locations of the C program | [`ir::Function::loop_at`]: the loop that the block is the head of |
//! | what SeaHorn prints (`--show-invars`) | [`seahorn`] |
//!
//! Deviations: PhASAR is not needed. The language is read as text, as far as it is needed for this:
//! phi nodes, arithmetic, comparisons, casts, branches, and debug information.
//!
//! Compilers rotate loops: the head of a rotated loop is passed only where the condition holds, and
//! an invariant may hold there and not at the loop of the C program. Nobody believes it, so it is
//! handed on; what does not hold is found out.

mod expression;
mod ir;
mod seahorn;

use witness::{Invariant, InvariantKind, SourcePlace};

/// What a text in SeaHorn's form says of the loops of a program, whose module is given.
pub fn invariants(text: &str, module: &str) -> Result<Vec<Invariant>, String> {
    let module = ir::read(module);
    if module.functions.is_empty() {
        return Err("its module has no function".into());
    }
    let mut found = Vec::new();
    for said in seahorn::read(text) {
        let function = module.functions.iter().find(|it| it.name == said.function);
        let Some(function) = function else { continue };
        let Some(place) = function.loop_at(&said.block, &module) else {
            continue;
        };
        let Some(value) = expression::in_c(&said.value, function, &said.block) else {
            continue;
        };
        found.push(Invariant {
            kind: InvariantKind::Loop,
            place: SourcePlace {
                file: place.file,
                line: place.line,
                column: Some(place.column).filter(|&column| column > 0),
                function: Some(function.source_name.clone()),
            },
            value,
            steps: Vec::new(),
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const PROGRAM: &str = include_str!("../../../tests/data/figure-2.c");
    const MODULE: &str = include_str!("../../../tests/data/figure-2.ll");

    /// The registers of example 4.1, as this compiler has named them: of n, y and x.
    fn registers(module: &str) -> (String, String, String, String) {
        let line = |what: &str| module.lines().find(|line| line.contains(what));
        let name = |line: &str| line.trim().split(' ').next().unwrap_or_default().to_owned();
        let n = name(line("@nondet()").expect("a call"));
        let phis: Vec<&str> = module
            .lines()
            .filter(|line| line.contains("phi i32"))
            .collect();
        let y = phis
            .iter()
            .find(|line| line.contains("[ 0, ") && line.contains("], [ %"));
        let x = phis.iter().find(|line| line.contains(&format!("[ {n}, ")));
        let (y, x) = (y.expect("y is counted"), x.expect("x is counted"));
        let before = module.split(x).next().expect("there is a block");
        let label = before.lines().rev().find(|line| {
            let text = line.split(';').next().unwrap_or_default().trim_end();
            text.ends_with(':') && !line.starts_with(' ')
        });
        let block = label
            .and_then(|line| line.split(':').next())
            .expect("a block");
        (n, name(y), name(x), block.to_owned())
    }

    fn example_4_1(module: &str) {
        let (n, y, x, block) = registers(module);
        let said = format!(
            "unsat\nFunction: main\nmain@entry: true\nmain@{block}: (main@{n}-main@{x}-main@{y}=0)\n\
             main@verifier.error.split: false\n"
        );
        let found = invariants(&said, module).expect("a module");
        let texts: Vec<&str> = found.iter().map(|it| it.value.as_str()).collect();
        assert_eq!(texts, ["(((n - x) - y) == 0)"], "{said}");
        let place = &found[0].place;
        assert_eq!((place.line, place.column), (5, Some(3)));
        assert_eq!(place.function.as_deref(), Some("main"));
        assert!(place.file.ends_with("figure-2.c"), "{}", place.file);
    }

    #[test]
    fn the_example_of_the_paper() {
        example_4_1(MODULE);
    }

    /// The same with the module that the clang of this machine writes, if there is one.
    #[test]
    fn the_example_of_the_paper_with_clang() {
        let Some((clang, opt)) =
            [("clang-14", "opt-14"), ("clang", "opt")]
                .into_iter()
                .find(|(clang, opt)| {
                    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok();
                    runs(clang) && runs(opt)
                })
        else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("figure-2.c");
        std::fs::write(&file, PROGRAM).expect("a file");
        let raw = folder.path().join("raw.ll");
        let flags = "-S -emit-llvm -g -O1 -fno-discard-value-names -Xclang -disable-llvm-passes";
        let compiled = Command::new(clang)
            .args(flags.split(' '))
            .arg(&file)
            .arg("-o")
            .arg(&raw)
            .output()
            .expect("clang runs");
        assert!(compiled.status.success(), "{compiled:?}");
        let passes = "-S -mem2reg -simplifycfg -instcombine -loop-rotate";
        let made = Command::new(opt).args(passes.split(' ')).arg(&raw).output();
        let made = made.expect("opt runs");
        // Newer versions name passes in another way.
        if made.status.success() {
            example_4_1(&String::from_utf8_lossy(&made.stdout));
        }
    }

    /// Registers that have no name in C are what their instructions compute.
    #[test]
    fn chains_of_instructions_become_expressions() {
        let (n, y, x, block) = registers(MODULE);
        let find = |what: &str| {
            let mut lines = MODULE.lines();
            let line = lines
                .find(|line| line.contains(what))
                .expect("an instruction");
            line.trim()
                .split(' ')
                .next()
                .expect("a register")
                .to_owned()
        };
        let less = find(&format!("add i32 {x}, -1"));
        let is_zero = find(&format!("icmp eq i32 {less}, 0"));
        // Without debug information of the registers themselves.
        let module: Vec<&str> = MODULE
            .lines()
            .filter(|line| !line.contains(&format!("metadata i32 {less},")))
            .collect();
        let said = format!(
            "Function: main\nmain@{block}:\n\t\t((main@{less}_0+1)>=0)\n\t(main@{is_zero} || main@{y}<=main@{n})\n\t(main@%nobody=0)\n"
        );
        let found = invariants(&said, &module.join("\n")).expect("a module");
        let texts: Vec<&str> = found.iter().map(|it| it.value.as_str()).collect();
        let expected = ["(((x + -1) + 1) >= 0)", "(((x + -1) == 0) || (y <= n))"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn nonsense_is_nothing() {
        assert!(invariants("", "").is_err());
        for text in [
            "Function: main",
            "main@entry: (",
            "Function: main\nmain@entry: ((((",
            "\u{0}",
        ] {
            assert!(
                invariants(text, MODULE).expect("a module").is_empty(),
                "{text}"
            );
        }
        let (n, _, _, block) = registers(MODULE);
        let deep = format!(
            "Function: main\nmain@{block}: {}main@{n}",
            "(".repeat(100_000)
        );
        assert!(invariants(&deep, MODULE).expect("a module").is_empty());
        // Half a module.
        for end in (0..MODULE.len()).step_by(97) {
            let said = format!("Function: main\nmain@{block}: (main@{n}>=0)\n");
            let _ = invariants(&said, &MODULE[..end]);
        }
    }
}
