use broadaxe_atlas::*;
use std::collections::BTreeMap;
fn main() {
    let which = std::env::args().nth(1);
    for (name, level) in LEVELS.into_iter().filter(|(n, _)| which.as_deref().is_none_or(|w| w == *n)) {
        let t = std::time::Instant::now();
        let mut by: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
        let mut bytes = 0;
        level.try_each(|case| -> Result<(), ()> {
            let e = by.entry(format!("{}-{}", case.id.subject.family().name, case.id.subject.label())).or_default();
            e.0 += 1;
            if matches!(case.expected, Expected::Result { .. }) { e.1 += 1 }
            let n = case.json().to_string().len() + 1;
            e.2 += n;
            bytes += n;
            Ok(())
        }).unwrap();
        println!("{name}: {} cases, {bytes} bytes, {:?}", by.values().map(|v| v.0).sum::<usize>(), t.elapsed());
        for (k, v) in by { println!("  {k}: {v:?}"); }
    }
}
