//! Checks which programs are chains. `tests/loops/chains.rs` runs chains.

use broadaxe_op::find;

use super::*;
use Slot::{Input as I, Step as S};

const F: DType = DType::F32;

/// Formats links in the order in which they are computed.
fn told(parts: &[Part]) -> String {
    let tell = |part: &Part| {
        let act = match part.act {
            LinkAction::Begin => String::new(),
            LinkAction::Keep => String::from("keep"),
            LinkAction::Apply(join) => format!("{join:?}"),
        };
        let rounds = if part.rounds { "~" } else { "" };
        format!("{act}{}{rounds}", part.input.map_or(String::new(), |i| i.to_string()))
    };
    parts.iter().map(tell).collect::<Vec<_>>().join(" ")
}

#[test]
fn programs_are_written_as_links() {
    struct Case {
        about: &'static str,
        inputs: &'static [DType],
        steps: &'static [(&'static str, &'static [Slot])],
        want: Option<&'static str>,
    }
    let cases = [
        Case { about: "one step", inputs: &[F; 2], steps: &[("sub", &[I(1), I(0)])], want: Some("1 Difference0") },
        Case {
            about: "a chain with a cast",
            inputs: &[DType::U8, F, F],
            steps: &[("cast", &[I(0)]), ("sub", &[I(1), S(0)]), ("div", &[I(2), S(1)])],
            want: Some("1 Difference0 Inverted2"),
        },
        Case {
            about: "a length",
            inputs: &[F; 2],
            steps: &[("mul", &[I(0), I(0)]), ("mul", &[I(1), I(1)]), ("sub", &[S(0), S(1)]), ("sqrt", &[S(2)])],
            want: Some("0 Product0 keep1 Product1 Reversed Root"),
        },
        Case {
            about: "two branches of which the second keeps a number itself",
            inputs: &[F; 2],
            steps: &[
                ("mul", &[I(0), I(0)]),
                ("mul", &[I(1), I(1)]),
                ("add", &[S(0), S(1)]),
                ("mul", &[I(0), I(1)]),
                ("sub", &[S(3), S(2)]),
            ],
            want: Some("0 Product0 keep1 Product1 Sum keep0 Product1 Difference"),
        },
        Case {
            about: "a result used twice",
            inputs: &[F; 2],
            steps: &[("add", &[I(0), I(1)]), ("mul", &[S(0), S(0)])],
            want: None,
        },
        Case {
            about: "an unused result",
            inputs: &[F; 2],
            steps: &[("add", &[I(0), I(1)]), ("mul", &[I(0), I(1)])],
            want: None,
        },
        Case { about: "another operator", inputs: &[F; 2], steps: &[("fmax", &[I(0), I(1)])], want: None },
        Case {
            about: "operators that are links in one order only",
            inputs: &[F; 3],
            steps: &[("max", &[I(0), I(1)]), ("min", &[I(2), S(0)]), ("clamp", &[S(1), I(0), I(1)]), ("relu", &[S(2)])],
            want: Some("0 Larger1 SmallerSwapped2 LargerSwapped0 SmallerSwapped1 Relu"),
        },
        Case {
            about: "a sign that a NaN would keep",
            inputs: &[F; 2],
            steps: &[("add", &[I(0), I(1)]), ("neg", &[S(0)])],
            want: None,
        },
        Case {
            about: "a magnitude of what has canonical NaN only",
            inputs: &[F; 2],
            steps: &[("sub", &[I(0), I(1)]), ("abs", &[S(0)])],
            want: Some("0 Difference1 Magnitude"),
        },
        Case { about: "a magnitude of any NaN", inputs: &[F], steps: &[("abs", &[I(0)])], want: None },
        Case {
            about: "f16, where what is exact or last is not rounded",
            inputs: &[DType::F16; 2],
            steps: &[("squared_difference", &[I(0), I(1)]), ("max", &[S(0), I(1)]), ("add", &[S(1), I(0)])],
            want: Some("0 Difference1~ Square~ Larger1 Sum0"),
        },
        Case {
            about: "f32 of which the result is cast",
            inputs: &[DType::BF16, F],
            steps: &[("cast", &[I(0)]), ("add", &[S(0), I(1)]), ("neg", &[S(1)]), ("cast bf16", &[S(2)])],
            want: Some("0 Sum1 Negative"),
        },
        Case {
            about: "a rounding on the way that may lose a NaN",
            inputs: &[DType::BF16, F],
            steps: &[("mul", &[I(1), I(1)]), ("cast bf16", &[S(0)]), ("add", &[S(1), I(0)])],
            want: None,
        },
        Case {
            about: "both halves",
            inputs: &[DType::BF16, DType::F16],
            steps: &[("cast f16", &[I(0)]), ("add", &[S(0), I(1)])],
            want: None,
        },
        Case {
            about: "a cast that rounds otherwise",
            inputs: &[DType::I64, F],
            steps: &[("cast", &[I(0)]), ("add", &[S(0), I(1)])],
            want: None,
        },
    ];
    for Case { about, inputs, steps, want } in cases {
        assert_eq!(chain(inputs, &self::steps(inputs, steps)).map(|parts| told(&parts)).as_deref(), want, "{about}");
    }
}

#[test]
fn programs_of_too_many_links_are_none() {
    let arg = |s: usize| [if s == 0 { I(0) } else { S(s - 1) }, I(1)];
    let args: Vec<_> = (0..LINKS).map(arg).collect();
    let long: Vec<_> = args.iter().map(|args| ("add", &args[..])).collect();
    let half = [DType::F16; 2];
    assert_eq!(chain(&half, &steps(&half, &long)), None, "too many links");
    assert_eq!(chain(&[F; 2], &steps(&[F; 2], &long)).map(|parts| groups(&parts)), Some(Some(vec![7, 13])));
}

#[test]
fn groups_are_small_and_leave_no_saved_number() {
    let part = |act, input| Part { act, input, rounds: false };
    let sum = |count: usize| {
        let act = |i| if i == 0 { LinkAction::Begin } else { LinkAction::Apply(Opcode::Sum) };
        (0..count).map(|i| part(act(i), Some(i))).collect::<Vec<_>>()
    };
    for count in 1..100 {
        let ends = groups(&sum(count)).expect("nothing is saved");
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let sizes: Vec<usize> = starts.zip(&ends).map(|(start, end)| end - start + usize::from(start > 0)).collect();
        assert!(ends.last() == Some(&count) && sizes.iter().all(|&size| size <= LINKS), "{count}: {sizes:?}");
        assert_eq!(ends.len(), if count <= LINKS { 1 } else { (count - 1).div_ceil(LINKS - 1) }, "{count}: {sizes:?}");
    }
    let mut saving = sum(2 * LINKS);
    saving[5].act = LinkAction::Keep;
    for (until, want) in [(8, Some(vec![9, 17, 24])), (LINKS, Some(vec![5, 13, 21, 24])), (20, None)] {
        let mut parts = saving.clone();
        parts[until].input = None;
        assert_eq!(groups(&parts), want, "saved until {until}");
        // An operation of one number leaves the saved one.
        parts[until] = part(LinkAction::Apply(Opcode::Relu), None);
        assert_eq!(groups(&parts), None);
    }
}

/// Makes steps from names, for the dtype of their operands. `cast` casts to f32, or to the dtype that follows the name.
fn steps(inputs: &[DType], steps: &[(&str, &[Slot])]) -> Vec<Step> {
    let mut made = Vec::<Step>::new();
    for &(name, args) in steps {
        let from = match args[0] {
            I(i) => inputs[i],
            S(s) => made[s].kernel.output(),
        };
        let kernel = match name.strip_prefix("cast") {
            Some(to) => cast(from, DType::from_name(to.trim()).unwrap_or(F)),
            None => find(name).and_then(|op| op.kernel(from)).expect("in the table"),
        };
        made.push(Step::new(kernel, args));
    }
    made
}
