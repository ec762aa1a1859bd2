//! Tests of functions of single numbers, all in one program.

mod double;
mod remainder;
mod single;
mod special;
