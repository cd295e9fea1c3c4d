//! Octagons of many constraints at once: one closure for each block instead of one for each
//! constraint.

use super::alignment::Partition;
use super::bound::Bound;
use super::closure::Empty;
use super::matrix::Matrix;
use super::shape::{Literal, Shape};
use crate::linear::VarId;

/// The variables of the constraints, sorted, and for each constraint the positions of its two
/// variables among them.
fn number_variables<B>(differences: &[(Literal, Literal, B)]) -> (Vec<VarId>, Vec<(usize, usize)>) {
    let both = |&(from, to, _): &(Literal, Literal, B)| [from.variable, to.variable];
    let largest = differences
        .iter()
        .flat_map(both)
        .map(|v| v.0)
        .max()
        .unwrap_or(0) as usize;
    let mut variables: Vec<VarId>;
    let numbered;
    if largest <= 4 * differences.len() + 64 {
        // Dense numbers: a table is quicker than sorting all the occurrences.
        let mut number = vec![usize::MAX; largest + 1];
        for v in differences.iter().flat_map(both) {
            number[v.0 as usize] = 0;
        }
        variables = Vec::new();
        for (v, entry) in number
            .iter_mut()
            .enumerate()
            .filter(|(_, entry)| **entry == 0)
        {
            *entry = variables.len();
            variables.push(VarId(v as u32));
        }
        let of = |l: &Literal| number[l.variable.0 as usize];
        numbered = differences
            .iter()
            .map(|(from, to, _)| (of(from), of(to)))
            .collect();
    } else {
        variables = differences.iter().flat_map(both).collect();
        variables.sort_unstable();
        variables.dedup();
        let of = |l: &Literal| variables.partition_point(|&w| w < l.variable);
        numbered = differences
            .iter()
            .map(|(from, to, _)| (of(from), of(to)))
            .collect();
    }
    (variables, numbered)
}

impl<M: Matrix> Shape<M> {
    /// The shape of the constraints `to - from <= bound`.
    pub fn of_differences(differences: &[(Literal, Literal, M::Bound)]) -> Result<Self, Empty> {
        let (variables, numbered) = number_variables(differences);
        let mut partition = Partition::new(variables.len());
        for &(from, to) in &numbered {
            if from != to {
                partition.unite(from, to);
            }
        }
        let classes = partition.classes();
        let mut place = vec![(0, 0); variables.len()];
        for (class, members) in classes.iter().enumerate() {
            for (position, &member) in members.iter().enumerate() {
                place[member] = (class, position);
            }
        }
        let mut matrices: Vec<M> = classes.iter().map(|c| M::unconstrained(c.len())).collect();
        for (&(from, to, bound), &(from_number, to_number)) in differences.iter().zip(&numbered) {
            let (class, i) = place[from_number];
            let (_, j) = place[to_number];
            if from == to {
                if bound < M::Bound::ZERO {
                    return Err(Empty);
                }
                continue;
            }
            let (i, j) = (from.index(i), to.index(j));
            matrices[class].lower(i, j, bound);
        }
        let mut result = Shape::unconstrained();
        for (members, mut matrix) in classes.into_iter().zip(matrices) {
            matrix.close()?;
            result.insert_split(members.into_iter().map(|k| variables[k]).collect(), matrix);
        }
        Ok(result)
    }
}
