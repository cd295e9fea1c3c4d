//! A task through all stages: lowered, instrumented, split, optimised, blocks; what each leaves of
//! it, and how long the passes take.

use cfa::program::Program;
use lowering::property::{Property, instrument};
use lowering::{LowerOptions, load_program};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use syntax::driver;
use syntax::types::DataModel;
use transform::blocks::GuardedBlocks;
use transform::passes::{SIMPLIFY, Settings, prepare};
use transform::regions::split_memory;

/// Not everybody who goes through the stages looks at everything.
#[allow(dead_code)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Size {
    pub locations: usize,
    pub edges: usize,
    pub vars: usize,
}

impl Size {
    fn of(program: &Program) -> Size {
        Size {
            locations: program.locations.len(),
            edges: program.edges.len(),
            vars: program.vars.len(),
        }
    }
}

/// What became of a task.
#[allow(dead_code)]
pub struct Stages {
    pub split: Size,
    pub prepared: Size,
    pub cut_points: usize,
    pub blocks: usize,
    /// Commands of all blocks, counted with every use of a shared one.
    pub commands: u64,
    pub prepare_time: Duration,
    pub blocks_time: Duration,
}

/// The tasks of the sets in a folder, each file once.
pub fn tasks(root: &Path) -> Option<Vec<(PathBuf, DataModel)>> {
    let mut tasks = BTreeMap::new();
    for set in std::fs::read_dir(root.join("sets")).ok()? {
        let text = std::fs::read_to_string(set.ok()?.path()).ok()?;
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let model = match fields.get(3) {
                Some(&"LP64") => DataModel::Lp64,
                _ => DataModel::Ilp32,
            };
            tasks.insert(root.join(fields[0]), model);
        }
    }
    Some(tasks.into_iter().collect())
}

pub fn through_all_stages(file: &Path, model: DataModel) -> Result<Stages, String> {
    let front = driver::Options {
        data_model: model,
        ..driver::Options::default()
    };
    let loaded = load_program(&[file.to_owned()], &front, &LowerOptions::default());
    let lowered = loaded.map_err(|failure| failure.to_string())?.program;
    consistent(&lowered)?;
    let split = split_memory(&instrument(&lowered, &Property::assertions()));
    consistent(&split)?;
    let begin = Instant::now();
    let prepared = prepare(&split, &SIMPLIFY, &Settings::default());
    let prepare_time = begin.elapsed();
    consistent(&prepared.program)?;
    let begin = Instant::now();
    let blocks = GuardedBlocks::of(&prepared.program);
    let blocks_time = begin.elapsed();
    let commands = blocks.blocks.iter().map(|block| blocks.size(block.command));
    Ok(Stages {
        split: Size::of(&split),
        prepared: Size::of(&prepared.program),
        cut_points: blocks.cut_points.len(),
        blocks: blocks.blocks.len(),
        commands: commands.sum(),
        prepare_time,
        blocks_time,
    })
}

/// Every edge is where its ends say it is.
fn consistent(program: &Program) -> Result<(), String> {
    for (number, location) in program.locations.iter().enumerate() {
        let leaves =
            |edge: &&cfa::program::EdgeId| program.edge(**edge).source.0 as usize == number;
        let enters =
            |edge: &&cfa::program::EdgeId| program.edge(**edge).target.0 as usize == number;
        if !location.outgoing.iter().all(|edge| leaves(&edge))
            || !location.incoming.iter().all(|edge| enters(&edge))
        {
            return Err(format!("location {number} has edges of another one"));
        }
    }
    let leaving: usize = program
        .locations
        .iter()
        .map(|location| location.outgoing.len())
        .sum();
    if leaving != program.edges.len() {
        return Err(format!(
            "{leaving} edges leave locations, of {}",
            program.edges.len()
        ));
    }
    Ok(())
}
