//! What the scheduler believes about the machine: what each part of its work costs.
//!
//! ```text
//!   a nest          several + sum over units of   unit * loops (or turn) + pack + rows
//!   a row           row, by kind of loop; elements * single, if they are fewer than a group; and with streaming stores edges,
//!                   unless it is whole lines
//!   a packed run    run + elements * moved; if one element repeats, bytes * in_vectors at most; if the elements are apart,
//!                   elements * (alone or in_square + far_line)
//!   read directly   elements * repeated, or elements * stride * strided_read
//! ```
//!
//! `nest.rs` adds them up, for every way to cut a nest. They are nanoseconds, but only their ratios decide. They change how
//! long a program runs, and no bit of its result. `cargo xtask bench --calibrate` measures most of them on a machine and
//! compares programs that are cut by both.

use std::ops::Index;

use once_cell::race::OnceBox;

pub(crate) use crate::measured::CostTerm;
use crate::measured::TERMS;

/// The cost of each term, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Costs([f64; TERMS.len()]);

impl Index<CostTerm> for Costs {
    type Output = f64;
    #[inline]
    fn index(&self, term: CostTerm) -> &f64 {
        &self.0[term as usize]
    }
}

impl Costs {
    /// Returns the costs that are believed without a measurement.
    fn believed() -> Self {
        Self(TERMS.map(|(.., nanos)| nanos))
    }

    /// Returns the believed costs with those that the environment variable `BROADAXE_COSTS` names. The answer is computed
    /// once, or once by each of several threads that start at the same time.
    ///
    /// # Errors
    /// Says what the variable may name, if it names something else.
    pub(crate) fn current() -> Result<&'static Self, &'static str> {
        static CURRENT: OnceBox<Result<Costs, String>> = OnceBox::new();
        let asked = || match std::env::var("BROADAXE_COSTS") {
            Ok(text) if !text.is_empty() => Self::named(&text),
            _ => Ok(Self::believed()),
        };
        CURRENT.get_or_init(|| Box::new(asked())).as_ref().map_err(String::as_str)
    }

    /// Returns the same, or the believed costs if the variable names something else.
    pub(crate) fn here() -> &'static Self {
        static BELIEVED: OnceBox<Costs> = OnceBox::new();
        Self::current().unwrap_or_else(|_| BELIEVED.get_or_init(|| Box::new(Self::believed())))
    }

    /// Reads costs such as `unit=12,row=2.5`.
    fn named(text: &str) -> Result<Self, String> {
        let mut costs = Self::believed();
        for part in text.split(',') {
            let known = part.split_once('=').and_then(|(name, nanos)| {
                let at = TERMS.iter().position(|&(_, known, _)| known == name.trim())?;
                let nanos = nanos.trim().parse().ok().filter(|nanos: &f64| nanos.is_finite() && *nanos >= 0.0)?;
                Some((at, nanos))
            });
            let Some((at, nanos)) = known else {
                let names: Vec<_> = TERMS.iter().map(|&(_, name, _)| name).collect();
                let names = names.join(", ");
                return Err(format!(
                    "BROADAXE_COSTS has '{part}'; it must be a list such as unit=12,row=2.5, in nanoseconds, of {names}"
                ));
            };
            costs.0[at] = nanos;
        }
        Ok(costs)
    }

    /// Lists the terms with their names and these costs.
    pub(crate) fn list(&self) -> impl Iterator<Item = (CostTerm, &'static str, f64)> {
        TERMS.iter().zip(self.0).map(|(&(term, name, _), nanos)| (term, name, nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_stand_where_their_numbers_say() {
        for (at, (term, name, nanos)) in Costs::believed().list().enumerate() {
            assert_eq!(term as usize, at, "{name}");
            assert!(nanos > 0.0, "{name}");
        }
    }

    #[test]
    fn lists_name_costs() {
        let costs = Costs::named("unit=12, row = 2.5").expect("a list");
        assert_eq!((costs[CostTerm::Unit], costs[CostTerm::Row], costs[CostTerm::Turn]), (12.0, 2.5, 1.0));
        for wrong in ["unit", "unit=", "unit=-1", "unit=nan", "wheel=3", "unit=1,,"] {
            assert!(Costs::named(wrong).is_err_and(|why| why.contains("row_of_groups")), "{wrong}");
        }
    }
}
