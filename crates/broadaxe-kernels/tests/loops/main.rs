//! Tests of loops, all in one program, which links the library: the program of unit tests has only some of the loops.

mod chains;
#[cfg(unix)]
mod fenced;
mod halves;
mod levels;
mod pairs;
mod rare;
mod reduce;
mod transposed;
