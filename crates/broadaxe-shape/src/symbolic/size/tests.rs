use super::*;
use crate::Dim;

fn name(text: &str) -> Size {
    Size::of(&Dim::named(text), &mut 0)
}

fn n(number: i64) -> Size {
    Size::known(number)
}

#[test]
fn texts() {
    let (h, w, b) = (name("h"), name("w"), name("b"));
    let half = h.more(-1).unwrap().floor(&n(2)).unwrap();
    let cases = [
        (h.plus(&w), "h + w"),
        (w.plus(&h).unwrap().minus(&h), "w"),
        (h.minus(&h), "0"),
        (n(0).minus(&h), "-h"),
        (h.times(&w).unwrap().times(&n(3)), "3*h*w"),
        (h.more(2).unwrap().times(&h.more(-2).unwrap()), "h*h - 4"),
        (Some(half.clone()), "(h + 1)//2 - 1"),
        (half.more(1), "(h + 1)//2"),
        (half.floor(&n(2)), "(h + 3)//4 - 1"),
        (half.more(1).unwrap().more(-1).unwrap().floor(&n(2)).unwrap().more(1), "(h + 3)//4"),
        (half.times(&n(2)), "2*((h + 1)//2) - 2"),
        (h.times(&n(4)).unwrap().more(5).unwrap().floor(&n(2)), "2*h + 2"),
        (h.times(&n(4)).unwrap().more(2).unwrap().floor(&n(8)), "h//2"),
        (h.ceil(&n(2)), "(h + 1)//2"),
        (h.times(&n(6)).unwrap().ceil(&n(2)), "3*h"),
        (h.floor(&w), "h//w"),
        (h.floor(&w.more(1).unwrap()), "h//(w + 1)"),
        (h.floor(&n(2)).unwrap().floor(&w), "(h//2)//w"),
        (b.times(&h.more(1).unwrap()).unwrap().times(&n(12)).unwrap().over(&h.more(1).unwrap()), "12*b"),
        (b.times(&h).unwrap().times(&n(768)).unwrap().over(&h.times(&n(64)).unwrap()), "12*b"),
        (h.max(&w), "max(h, w)"),
        (w.max(&h).unwrap().max(&w), "max(h, w)"),
        (h.max(&h.more(1).unwrap()), "h + 1"),
        (h.max(&n(0)), "h"),
        (h.min(&n(512)).unwrap().min(&n(100)), "min(100, h)"),
        (h.min(&n(0)), "0"),
        (h.more(-1).unwrap().max(&n(0)).unwrap().min(&h), "max(0, h - 1)"),
        (h.min(&n(9)).unwrap().max(&h), "h"),
    ];
    for (got, want) in cases {
        assert_eq!(got.map(|size| size.to_string()).as_deref(), Some(want));
    }
}

#[test]
fn refusals() {
    let h = name("h");
    assert_eq!(h.floor(&n(0)), None);
    assert_eq!(h.over(&n(2)), None);
    assert_eq!(n(i64::MAX).more(1), None);
    assert_eq!(n(i64::MIN).floor(&n(-1)), None);
    let long = name(&"x".repeat(100));
    assert_eq!(long.times(&long), None);
    let mut many = n(0);
    for k in 0..30 {
        match many.plus(&name(&format!("d{k}"))) {
            Some(sum) => many = sum,
            None => return,
        }
    }
    panic!("a sum of 30 names is taken");
}

#[test]
fn comparisons() {
    let (h, w) = (name("h"), name("w"));
    assert_eq!(h.equal(&h), Some(true));
    assert_eq!(h.equal(&n(-1)), Some(false));
    assert_eq!(h.equal(&n(1)), None);
    assert_eq!(h.equal(&h.more(1).unwrap()), Some(false));
    assert_eq!(h.less(&h.more(1).unwrap()), Some(true));
    assert_eq!(h.less(&n(0)), Some(false));
    assert_eq!(h.less(&w), None);
    assert_eq!(h.floor(&n(2)).unwrap().less(&n(0)), Some(false));
}

#[test]
fn dims() {
    let (mut number, any) = (0, Dim::unknown());
    let (x, y) = (Size::of(&any, &mut number), Size::of(&any, &mut number));
    assert_ne!(x, y);
    assert_eq!(x.minus(&x).unwrap().number(), Some(0));
    assert_eq!((x.dim(), x.inner().name().is_some()), (any, true));
    assert_eq!(name("n").more(2).unwrap().dim().to_string(), "n + 2");
    assert_eq!(name("n").more(2).unwrap().inner().to_string(), "n + 2:2..");
    let ranged = Size::of(&"2..9".parse().unwrap(), &mut number);
    assert_eq!(ranged.dim().to_string(), "2..9");
    assert_eq!(ranged.more(1).unwrap().dim().to_string(), "3..10");
}
