//! Compares casts between all dtypes with the oracle, at every instruction set.

use broadaxe_kernels::{DType, Isa, cast, copy};
use broadaxe_testing::{
    oracle::{self, Ty, Value, edge_values, from_bytes, to_bytes},
    random::Random,
};

use crate::drive::{other_nans, report, run_columns, single, ty};

/// Returns elements of a dtype: all patterns up to 16 bits; else edges, the halfway points of narrower floats, and random ones.
fn elements(from: Ty, random: &mut Random) -> Vec<u8> {
    match from.bits() {
        8 => (0..=u8::MAX).collect(),
        16 => (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect(),
        _ => {
            let mut list = edge_values(from);
            for ty in Ty::ALL.into_iter().filter(|ty| ty.is_integer()) {
                let (least, greatest) = ty.range();
                for end in [least - 1, least, least + 1, greatest - 1, greatest, greatest + 1, greatest + 2] {
                    let near = end as f64;
                    if from.is_float() {
                        let around = [near, near.next_up(), near.next_down(), near + 0.5, near - 0.5];
                        list.extend(around.map(|x| Value::Float(oracle::round(from, x))));
                    } else {
                        list.push(Value::Int(from.wrap(end)));
                    }
                }
            }
            list.extend((0..4000).map(|_| random.value(from)));
            let mut bytes = to_bytes(from, &list);
            bytes.extend((0..20_000).flat_map(|_| random.bits().to_ne_bytes()));
            bytes
        }
    }
}

#[test]
fn every_cast() {
    let mut random = Random::new(5);
    let (mut faults, mut count) = (Vec::new(), 0);
    for from in DType::ALL {
        let mut bytes = elements(ty(from), &mut random);
        bytes.extend(other_nans(from).into_iter().flatten());
        let values = from_bytes(ty(from), &bytes);
        for to in DType::ALL {
            let wanted: Vec<Value> = values.iter().map(|&value| oracle::cast(ty(from), ty(to), value)).collect();
            let wanted = to_bytes(ty(to), &wanted);
            for isa in Isa::available() {
                let columns = std::slice::from_ref(&bytes);
                let got = run_columns(isa, &single(cast(from, to)), columns).unwrap_or_else(|e| panic!("{e:?}"));
                let size = to.size();
                for (i, value) in values.iter().enumerate() {
                    let (got, want) = (&got[i * size..][..size], &wanted[i * size..][..size]);
                    if got != want {
                        let level = isa.level();
                        faults.push(format!("{from} to {to} at {level:?} of {value:?}: {got:x?}, want {want:x?}"));
                    }
                }
                count += values.len();
            }
        }
    }
    println!("{count} casts");
    assert!(faults.is_empty(), "{}", report(&faults));
}

#[test]
fn copies_keep_every_bit_but_bools_become_0_or_1() {
    let mut random = Random::new(6);
    for dtype in DType::ALL {
        let bytes: Vec<u8> = (0..1000).flat_map(|_| random.bits().to_ne_bytes()).collect();
        let truth = |&byte: &u8| if dtype == DType::Bool { u8::from(byte != 0) } else { byte };
        let wanted: Vec<u8> = bytes.iter().map(truth).collect();
        for isa in Isa::available() {
            let got = run_columns(isa, &single(copy(dtype)), std::slice::from_ref(&bytes));
            assert!(got.as_ref() == Ok(&wanted), "{dtype} at {:?}", isa.level());
        }
    }
}
