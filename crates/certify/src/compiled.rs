//! A second opinion on inputs: the program written as C with the inputs inside, compiled and run.

use crate::{Accepted, Rejection};
use cfa::emit_c::{FirstByte, Inputs, emit_with_contents};
use cfa::interpreter::{Change, InputSource, Interpreter, Observer, Options, RecordedInputs, View};
use cfa::memory::ObjectId;
use cfa::op::{Input, InputId, Op};
use cfa::program::{EdgeId, Program};
use cfa::value::Ty;
use facts::budget::Budget;
use facts::certificate::InputValue;
use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use syntax::types::DataModel;

/// What the compiled program did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Harness {
    /// It reached the violation.
    Fails,
    /// It ended in another way.
    Differs(String),
    /// It was not run, and why.
    NotRun(String),
}

/// The status with which the emitted program says that the property is violated.
const VIOLATED: i32 = 134;

/// How long it may take to find out what memory holds at first.
const PATIENCE: Duration = Duration::from_secs(2);

/// The program as C text with these inputs inside.
pub fn harness(program: &Program, values: &[InputValue]) -> String {
    let recorded: Vec<(InputId, Ty, u128)> = values
        .iter()
        .map(|value| (value.input, value.ty, value.bits))
        .collect();
    let takes_memory = recorded
        .iter()
        .any(|(input, ..)| input.0 as usize >= program.inputs.len());
    let contents = match takes_memory {
        true => first_bytes(program, &recorded),
        false => Vec::new(),
    };
    emit_with_contents(program, Inputs::Recorded(&recorded), &contents)
}

/// What memory without a value holds in the execution with these inputs.
fn first_bytes(program: &Program, recorded: &[(InputId, Ty, u128)]) -> Vec<FirstByte> {
    let lives = Cell::new(vec![0; program.objects.len()]);
    let mut source = Noting {
        inner: RecordedInputs::new(recorded),
        lives: &lives,
        found: Vec::new(),
    };
    let mut counter = Counter {
        program,
        lives: &lives,
    };
    let options = Options {
        deadline: Some(clock::now() + PATIENCE),
        ..Options::default()
    };
    let (out, err) = (&mut std::io::sink(), &mut std::io::sink());
    Interpreter::new(program).run_with(&options, &mut source, out, err, Some(&mut counter));
    source.found
}

/// How often each object has come to life.
type Lives = Cell<Vec<u32>>;

/// Passes inputs on and notes those that memory gets.
struct Noting<'a> {
    inner: RecordedInputs<'a>,
    lives: &'a Lives,
    found: Vec<FirstByte>,
}

impl InputSource for Noting<'_> {
    fn next(&mut self, input: &Input, ty: Ty) -> Option<u128> {
        self.inner.next(input, ty)
    }

    fn next_in_memory(
        &mut self,
        input: &Input,
        object: ObjectId,
        offset: u64,
        ty: Ty,
    ) -> Option<u128> {
        let bits = self.inner.next(input, ty)?;
        let lives = self.lives.take();
        // Of several that live at once the youngest is meant, as far as can be told.
        let life = lives[object.0 as usize].saturating_sub(1);
        self.lives.set(lives);
        for number in 0..ty.bytes() {
            self.found.push(FirstByte {
                object,
                life,
                offset: offset + number,
                byte: (bits >> (8 * number)) as u8,
            });
        }
        Some(bits)
    }
}

struct Counter<'a> {
    program: &'a Program,
    lives: &'a Lives,
}

impl Observer for Counter<'_> {
    fn edge(&mut self, edge: EdgeId, _: Change, _: &View<'_>) {
        if let Op::Begin { object, .. } | Op::Allocate { object, .. } = self.program.edge_op(edge) {
            let mut lives = self.lives.take();
            lives[object.0 as usize] += 1;
            self.lives.set(lives);
        }
    }
}

/// Statuses with which the emitted program says that it could not go on as the original would.
const NOT_FOLLOWED: [i32; 2] = [3, 132];

/// The only execution of a program that takes no inputs, compiled and run: it ends, and without a violation.
pub fn ends_safely(program: &Program, budget: &Budget) -> Result<Accepted, Rejection> {
    match in_folder(|folder| compile_and_run(folder, program, &[], budget)) {
        Ended::Code(VIOLATED) => Err(Rejection::Wrong("the compiled program fails".into())),
        Ended::Code(code) if !NOT_FOLLOWED.contains(&code) => Ok(Accepted {
            how: "the only execution, and the compiled program ends without a violation too".into(),
        }),
        Ended::Code(code) => Err(Rejection::Unfinished(format!(
            "the compiled program gave up ({code})"
        ))),
        Ended::Otherwise(how) => Err(Rejection::Unfinished(format!(
            "the compiled program ended by {how}"
        ))),
        Ended::NotRun(why) => Err(Rejection::Unfinished(why)),
    }
}

/// Compiles and runs the harness.
pub fn run_harness(program: &Program, values: &[InputValue], budget: &Budget) -> Harness {
    match in_folder(|folder| compile_and_run(folder, program, values, budget)) {
        Ended::Code(VIOLATED) => Harness::Fails,
        Ended::Code(code) => Harness::Differs(format!("exit status: {code}")),
        Ended::Otherwise(how) => Harness::Differs(how),
        Ended::NotRun(why) => Harness::NotRun(why),
    }
}

/// How a compiled program ended.
enum Ended {
    Code(i32),
    Otherwise(String),
    NotRun(String),
}

/// Works in a temporary folder that nobody else can write to: what is compiled there is then run.
fn in_folder(work: impl FnOnce(&Path) -> Ended) -> Ended {
    match tempfile::Builder::new()
        .prefix("concord-harness-")
        .tempdir()
    {
        Ok(folder) => work(folder.path()),
        Err(error) => Ended::NotRun(format!("no temporary folder: {error}")),
    }
}

fn compile_and_run(
    folder: &Path,
    program: &Program,
    values: &[InputValue],
    budget: &Budget,
) -> Ended {
    let (source, binary) = (folder.join("harness.c"), folder.join("harness"));
    if let Err(error) = std::fs::write(&source, harness(program, values)) {
        return Ended::NotRun(format!("cannot write the harness: {error}"));
    }
    let width = if program.model == DataModel::Ilp32 {
        "-m32"
    } else {
        "-m64"
    };
    let compiled = Command::new("cc")
        .args(["-w", "-O0", width, "-fwrapv", "-fno-strict-aliasing"])
        .args(["-msse2", "-mfpmath=sse", "-ffp-contract=off", "-o"])
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .stdin(Stdio::null())
        .output();
    match compiled {
        Err(error) => return Ended::NotRun(format!("no C compiler: {error}")),
        Ok(output) if !output.status.success() => {
            let words = String::from_utf8_lossy(&output.stderr);
            let first = words.lines().next().unwrap_or("no message").to_string();
            return Ended::NotRun(format!("the compiler does not accept it: {first}"));
        }
        Ok(_) => {}
    }
    let child = Command::new(&binary)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Ended::NotRun(format!("it cannot be started: {error}")),
    };
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                return match status.code() {
                    Some(code) => Ended::Code(code),
                    None => Ended::Otherwise(status.to_string()),
                };
            }
            Ok(None) if budget.is_exhausted() || started.elapsed() > Duration::from_secs(20) => {
                let _ = child.kill();
                let _ = child.wait();
                return Ended::NotRun("it takes too long".into());
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Ended::NotRun(error.to_string()),
        }
    }
}
