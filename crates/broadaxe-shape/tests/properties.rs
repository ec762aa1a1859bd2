//! Holds every rule to what all of them promise, over random shapes and parameters, some of them hostile.

use broadaxe_shape::{Alignment, AxisParam, Params, RULES, Rule, RuleDef, Shape, compare, elements};

/// Draws the same numbers in every run (xorshift); a dependency on the generator of the other tests would need a newer Rust.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % limit as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn shape(&mut self, most: usize, dims: &[usize]) -> Vec<usize> {
        (0..self.below(most + 1)).map(|_| self.one_of(dims)).collect()
    }

    fn rule(&mut self, def: &RuleDef, most: usize, dims: &[usize]) -> Rule {
        let axis = [None, Some(-1), Some(0), Some(1), Some(2), Some(i64::MIN), Some(i64::MAX)];
        let params = Params {
            axis: if def.axis == AxisParam::None { None } else { self.one_of(&axis) },
            axes: def.axes.then(|| (0..self.below(most)).map(|_| self.below(most) as i64).collect()),
            target: def.target.then(|| Shape::new(self.shape(most, dims))),
            mode: (!def.modes.is_empty()).then(|| self.one_of(def.modes)),
        };
        Rule::new(def.name, params).unwrap()
    }

    fn operands(&mut self, def: &RuleDef, most: usize, dims: &[usize]) -> Vec<Vec<usize>> {
        let (least, largest) = def.operands;
        let count = least + self.below(largest.min(4).saturating_sub(least) + 1);
        (0..count).map(|_| self.shape(most, dims)).collect()
    }
}

fn dims(shapes: &[Vec<usize>]) -> Vec<&[usize]> {
    shapes.iter().map(Vec::as_slice).collect()
}

/// Asks every rule about `rounds` random calls and returns how many it took.
fn ask(rounds: usize, most: usize, extents: &[usize], mut check: impl FnMut(&Rule, &[Vec<usize>], &Alignment)) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for def in RULES {
        let mut accepted = 0;
        for _ in 0..rounds {
            let (rule, operands) = (random.rule(def, most, extents), random.operands(def, most, extents));
            if let Ok(alignment) = rule.align(&dims(&operands)) {
                accepted += 1;
                check(&rule, &operands, &alignment);
            }
        }
        assert!(accepted > 0, "{} took none of {rounds} calls", def.name);
    }
}

#[test]
fn placements_increase_and_feed_the_result() {
    ask(4000, 5, &[0, 1, 1, 2, 3], |rule, operands, alignment| {
        assert_eq!(alignment.operands().len(), operands.len());
        for (operand, shape) in alignment.operands().iter().zip(operands) {
            let about = format!("{operands:?} under {rule}: {alignment:?}");
            assert_eq!(operand.shape().dims(), shape, "{about}");
            assert_eq!(operand.axes().len(), shape.len(), "{about}");
            assert!(operand.axes().windows(2).all(|pair| pair[0] < pair[1]), "{about}");
            for (&axis, &dim) in operand.axes().iter().zip(shape) {
                let result = alignment.shape()[axis];
                let tiled = rule.name() == "ggml" && (dim != 0 && result % dim == 0 || alignment.shape().contains(&0));
                assert!(dim == 1 || dim == result || tiled, "{about}");
            }
        }
    });
}

#[test]
fn strides_reach_exactly_the_operand() {
    ask(4000, 5, &[0, 1, 1, 2, 3], |rule, operands, alignment| {
        let result = alignment.loop_shape();
        assert_eq!(alignment.is_tiled(), result != *alignment.shape(), "{operands:?} under {rule}");
        if result.contains(&0) {
            return;
        }
        for (k, operand) in operands.iter().enumerate() {
            let strides = alignment.strides(k);
            let last: usize = result.iter().zip(&strides).map(|(&dim, &s)| (dim - 1) * s.unsigned_abs()).sum();
            assert!(strides.iter().all(|&stride| stride >= 0));
            assert_eq!(last + 1, elements(operand).unwrap(), "{operands:?} under {rule}: {alignment:?}");
        }
    });
}

/// Walks every element of the result by strides, by steps, and by the definition of a broadcast.
#[test]
fn strides_and_steps_read_the_same() {
    let mut tiled = 0;
    ask(2000, 4, &[1, 1, 2, 3, 4, 6], |rule, operands, alignment| {
        tiled += usize::from(alignment.is_tiled());
        let (result, loops) = (alignment.shape(), alignment.loop_shape());
        for (k, dims) in operands.iter().enumerate() {
            let (strides, steps) = (alignment.strides(k), alignment.steps(k));
            for element in 0..elements(result).unwrap() {
                let by_strides: isize =
                    index(element, &loops).iter().zip(&strides).map(|(&i, stride)| i as isize * stride).sum();
                let at = index(element, result);
                let by_steps: isize =
                    at.iter().zip(&steps).map(|(&i, &(stride, period))| (i % period) as isize * stride).sum();
                let read: Vec<usize> =
                    alignment.operands()[k].axes().iter().zip(dims).map(|(&axis, dim)| at[axis] % dim).collect();
                let defined = read.iter().zip(dims).fold(0, |position, (i, dim)| position * dim + i) as isize;
                assert_eq!((by_strides, by_steps), (defined, defined), "{operands:?} under {rule}: element {element}");
            }
        }
    });
    assert!(tiled > 50, "{tiled}");
}

/// Returns the index of a row-major element.
fn index(element: usize, dims: &[usize]) -> Vec<usize> {
    let mut rest = element;
    let mut index: Vec<usize> = dims.iter().rev().map(|dim| (rest % dim, rest /= dim).0).collect();
    index.reverse();
    index
}

#[test]
fn merging_many_does_not_depend_on_the_order() {
    let mut random = Random(7);
    let rule = Rule::numpy();
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut operands: Vec<Vec<usize>> = (0..4).map(|_| random.shape(4, &[0, 1, 1, 1, 2])).collect();
        let merge = |operands: &[Vec<usize>]| rule.align(&dims(operands)).ok().map(|x| x.shape().dims().to_vec());
        let all = merge(&operands);
        accepted += usize::from(all.is_some());
        // A pair that does not merge spoils the whole, whichever pair comes first.
        let folded = operands[1..].iter().try_fold(operands[0].clone(), |one, other| merge(&[one, other.clone()]));
        assert_eq!(folded, all, "{operands:?} folded");
        for k in (1..4).rev() {
            let other = random.below(k + 1);
            operands.swap(k, other);
        }
        assert_eq!(merge(&operands), all, "{operands:?} shuffled");
    }
    assert!((1000..19_000).contains(&accepted), "{accepted}");
}

#[test]
fn what_a_rule_displays_is_the_rule() {
    let mut random = Random(11);
    for def in RULES {
        for _ in 0..200 {
            let rule = random.rule(def, 4, &[0, 1, 2, 70]);
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        for name in def.aliases {
            let params = random.rule(def, 4, &[2]).params().clone();
            assert_eq!(Rule::new(name, params).unwrap().name(), def.name);
        }
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = RULES.iter().flat_map(|def| [&[def.name], def.aliases].concat()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

/// Dims whose products pass every bound: an answer or an error, never a panic.
#[test]
fn hostile_dims_are_refused_or_counted() {
    let extents = [0, 1, 2, 1 << 20, 1 << 31, usize::MAX / 4 + 1, usize::MAX / 2, usize::MAX];
    let extents = [&[1; 6], &extents[..]].concat();
    ask(3000, 4, &extents, |rule, operands, alignment| {
        assert!(elements(alignment.shape()).is_ok(), "{operands:?} under {rule}");
    });
    let mut random = Random(3);
    for _ in 0..2000 {
        let operands: Vec<Vec<usize>> = (0..=random.below(5)).map(|_| random.shape(6, &extents)).collect();
        let comparison = compare(&dims(&operands));
        assert!(comparison.differences().iter().all(|d| d.left() < d.right()));
    }
}

#[test]
fn ranks_end_at_64() {
    for (rank, fits) in [(64, true), (65, false), (200, false)] {
        let ones = vec![1; rank];
        assert_eq!(Rule::numpy().align(&[&ones, &[2]]).is_ok(), fits, "{rank}");
        assert_eq!(Rule::broadcast_to(&ones[..]).align(&[&[]]).is_ok(), fits, "{rank}");
    }
}
