//! Programs and their expressions as text: C for people ([`print_c`]), C for a compiler
//! ([`emit_c`]), listings, graphs and data ([`export`]).

pub mod emit_c;
pub mod export;
pub mod print_c;
