//! A program executed before its memory is split, every access compared with the part that the
//! split gave it.

use cfa::memory::ObjectId;
use cfa::op::{Input, InputId, InputKind};
use cfa::program::{EdgeId, Program};
use cfa::value::Ty;
use interpreter::{
    Change, InputSource, Interpreter, Observer, Options, Outcome, RandomInputs, View, started_with,
};
use lowering::{LowerOptions, load_program};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use syntax::driver;
use syntax::preprocess::flags::Flags;
use syntax::types::DataModel;
use transform::regions::{Split, Stats, split_with_homes, validate};

/// A program and its split.
pub struct Validated {
    pub program: Program,
    split: Split,
}

/// Where the objects of a program were seen.
struct Addresses {
    objects: u32,
    found: Vec<u128>,
    left: u32,
}

impl Observer for Addresses {
    fn edge(&mut self, _: EdgeId, _: Change, view: &View<'_>) {
        // Places are fixed from the start or seen soon; the rest is not worth the time.
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        for object in 0..self.objects {
            let address = view.address_of(ObjectId(object));
            self.found.extend(address.map(u128::from));
        }
        self.found.sort_unstable();
        self.found.dedup();
    }
}

/// Random inputs; every other one that could be an address is one.
struct Guesses {
    random: RandomInputs,
    addresses: Vec<u128>,
    width: u16,
    next: usize,
}

impl InputSource for Guesses {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
        if matches!(input.kind, InputKind::Nondet(_)) && ty == Ty::unsigned(self.width) {
            self.next += 1;
            if self.next.is_multiple_of(2) && !self.addresses.is_empty() {
                return Some(self.addresses[self.next / 2 % self.addresses.len()]);
            }
        }
        self.random.next(input, ty)
    }
}

/// Random values, the same ones for the same inputs of the program before the split and behind it.
/// What has no value is zero: behind the split it is another input.
struct Numbered {
    seed: u64,
    given: FxHashMap<InputId, u64>,
}

impl InputSource for Numbered {
    fn next(&mut self, _: &Input, _: Ty) -> Option<u128> {
        Some(0)
    }

    fn next_of(&mut self, id: InputId, input: &Input, ty: Ty) -> Option<u128> {
        if matches!(input.kind, InputKind::Uninitialised(_)) {
            return Some(0);
        }
        let given = self.given.entry(id).or_insert(0);
        *given += 1;
        let mut hasher = FxHasher::default();
        (self.seed, id, *given).hash(&mut hasher);
        let random = hasher.finish();
        // Small numbers take more ways through programs than large ones.
        let value = match random % 4 {
            0 => random >> 8,
            _ => (random >> 8) % 6,
        };
        Some(started_with(input, ty).unwrap_or(value.into()))
    }
}

impl Validated {
    /// The error says why the program cannot be executed.
    pub fn load(
        file: &Path,
        model: DataModel,
        include_dirs: Vec<PathBuf>,
    ) -> Result<Validated, String> {
        let front = driver::Options {
            data_model: model,
            flags: Flags::including(include_dirs),
            ..driver::Options::default()
        };
        let loaded = load_program(&[file.to_owned()], &front, &LowerOptions::default());
        let program = match loaded {
            Ok(loaded) => loaded.program,
            Err(failure) => return Err(format!("{:?}", failure.diagnostics.first())),
        };
        let split = split_with_homes(&program);
        Ok(Validated { program, split })
    }

    /// The program with its memory split.
    #[allow(dead_code)]
    pub fn after(&self) -> &Program {
        &self.split.program
    }

    /// One execution; the error is a violation.
    pub fn run(&self, inputs: &mut dyn InputSource, max_steps: u64) -> Result<Stats, String> {
        validate(&self.program, &self.split, inputs, &limits(max_steps))
            .map_err(|violation| violation.to_string())
    }

    /// An execution with random inputs, some of them constants of the program and addresses of its
    /// objects.
    #[allow(dead_code)]
    pub fn run_random(&self, seed: u64, max_steps: u64) -> Result<Stats, String> {
        let mut inputs = Guesses {
            random: RandomInputs::new(seed, &self.program),
            addresses: self.addresses(),
            width: self.program.model.pointer_bits(),
            next: seed as usize,
        };
        self.run(&mut inputs, max_steps)
    }

    /// The program behind the split does what the one before it does: an execution that comes to its
    /// end, or to an error location, prints the same and ends alike. Says whether it came there.
    #[allow(dead_code)]
    pub fn runs_alike(&self, seed: u64, max_steps: u64) -> Result<bool, String> {
        let run = |program: &Program| {
            let mut inputs = Numbered {
                seed,
                given: FxHashMap::default(),
            };
            let (mut out, mut err) = (Vec::new(), std::io::sink());
            let options = limits(max_steps);
            let mut interpreter = Interpreter::new(program);
            let run = interpreter.run_with(&options, &mut inputs, &mut out, &mut err, None);
            (run.outcome, out)
        };
        let (outcome, printed) = run(&self.program);
        if !matches!(outcome, Outcome::Finished(_) | Outcome::Error(_)) {
            return Ok(false);
        }
        // Behind the split there are more steps for the same.
        let (other, other_printed) = run(&self.split.program);
        match outcome == other && printed == other_printed {
            true => Ok(true),
            _ if other == Outcome::StepLimit => Ok(false),
            false => Err(format!(
                "seed {seed}: before the split {outcome:?} and {:?}, behind it {other:?} and {:?}",
                String::from_utf8_lossy(&printed),
                String::from_utf8_lossy(&other_printed)
            )),
        }
    }

    /// Addresses of the program's objects as the interpreter places them.
    pub fn addresses(&self) -> Vec<u128> {
        let mut addresses = Addresses {
            objects: self.program.objects.len() as u32,
            found: Vec::new(),
            left: 20,
        };
        let mut inputs = RandomInputs::new(1, &self.program);
        let (mut out, mut err) = (std::io::sink(), std::io::sink());
        Interpreter::new(&self.program).run_with(
            &limits(1_000),
            &mut inputs,
            &mut out,
            &mut err,
            Some(&mut addresses),
        );
        addresses.found
    }
}

fn limits(max_steps: u64) -> Options<'static> {
    Options {
        max_steps,
        max_memory: 1 << 28,
        ..Options::default()
    }
}
