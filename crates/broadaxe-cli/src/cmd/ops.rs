//! `broadaxe ops`: lists operators and reductions.

use broadaxe_frameworks::{Name, names};
use broadaxe_kernels::{DType, Family, OPS, Op, OpId, Reduction};
use serde_json::{Value, json};

use crate::{
    answer::{Answer, join, table},
    args::OpsArgs,
    error::Error,
};

/// Lists the operators and reductions, all or those whose name, here or in a framework, contains the part asked for.
///
/// # Errors
/// When there is none.
pub fn run(args: &OpsArgs) -> Result<Answer, Error> {
    let part = args.part.as_deref().unwrap_or("").to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&part);
    let ops: Vec<&Op> =
        OPS.iter().filter(|op| has(op.name()) || elsewhere(op).iter().any(|name| has(name.name))).collect();
    let reductions: Vec<Reduction> = Reduction::EVERY.into_iter().filter(|reduction| has(reduction.name())).collect();
    if ops.is_empty() && reductions.is_empty() {
        return Err(Error::usage(format!("no operator has '{part}' in its name; 'broadaxe ops' lists all")));
    }
    let rows = ops.iter().map(|op| {
        let names: Vec<String> = elsewhere(op).iter().map(|name| format!("{} {name}", name.system.name())).collect();
        vec![op.name().to_owned(), op.meaning().to_owned(), dtypes(op), names.join(", ")]
    });
    let mut text = String::new();
    if !ops.is_empty() {
        text += &table(&["operator", "meaning", "dtypes", "elsewhere"], true, rows);
    }
    if !reductions.is_empty() {
        let rows = reductions.iter().map(|reduction| {
            let result = results(*reduction);
            vec![reduction.name().to_owned(), reduction.meaning().to_owned(), result]
        });
        let space = if text.is_empty() { "" } else { "\n" };
        text += space;
        text += &table(&["reduction", "meaning", "result"], true, rows);
    }
    let mut value = json!({ "operators": ops.iter().map(|op| describe(op)).collect::<Vec<_>>() });
    if !reductions.is_empty() {
        value["reductions"] = reductions.into_iter().map(describe_reduction).collect();
    }
    Ok(Answer::new(text, value))
}

/// Lists what frameworks call an operator.
fn elsewhere(op: &Op) -> Vec<Name> {
    OpId::find(op.name()).map(|id| names(id).collect()).unwrap_or_default()
}

/// Lists the dtype of a reduction's result for each dtype.
fn results(reduction: Reduction) -> String {
    let results: Vec<DType> = DType::ALL.into_iter().map(|dtype| reduction.result(dtype)).collect();
    if results == DType::ALL {
        return "of the same dtype".to_owned();
    }
    if results.iter().all(|&result| result == results[0]) {
        return results[0].name().to_owned();
    }
    let others: Vec<String> = [(Family::Bool, "bool"), (Family::Signed, "signed"), (Family::Unsigned, "unsigned")]
        .into_iter()
        .filter_map(|(family, name)| {
            let dtype = DType::ALL.into_iter().find(|dtype| dtype.family() == family)?;
            Some(format!("{name} to {}", reduction.result(dtype)))
        })
        .collect();
    format!("{}, float unchanged", join(&others, ", "))
}

fn describe_reduction(reduction: Reduction) -> Value {
    let dtypes = DType::ALL
        .into_iter()
        .map(|dtype| json!({ "operand": dtype.name(), "result": reduction.result(dtype).name() }));
    json!({
        "name": reduction.name(),
        "meaning": reduction.meaning(),
        "takes_none": reduction.takes_none(),
        "dtypes": dtypes.collect::<Vec<_>>(),
    })
}

/// Lists the dtypes of an operator: whole families by name.
fn dtypes(op: &Op) -> String {
    let taken: Vec<DType> = op.dtypes().collect();
    if taken.len() == DType::ALL.len() {
        return "all".to_owned();
    }
    let families =
        [("bool", Family::Bool), ("signed", Family::Signed), ("unsigned", Family::Unsigned), ("float", Family::Float)];
    let mut words = Vec::new();
    for (word, family) in families {
        let of = |dtypes: &[DType]| dtypes.iter().copied().filter(|dtype| dtype.family() == family).collect::<Vec<_>>();
        let (some, all) = (of(&taken), of(&DType::ALL));
        if some == all {
            words.push(word.to_owned());
        } else if !some.is_empty() {
            words.push(join(&some.iter().map(|dtype| dtype.name()).collect::<Vec<_>>(), " "));
        }
    }
    join(&words, " ").replace("signed unsigned", "int")
}

fn describe(op: &Op) -> Value {
    let names = elsewhere(op).into_iter().map(|name| {
        json!({
            "framework": name.system.name(),
            "name": name.name,
            "attributes": name.settings,
            "swapped": name.swapped,
        })
    });
    let dtypes =
        op.dtypes().map(|dtype| json!({ "operands": dtype.name(), "result": op.output(dtype).map(DType::name) }));
    json!({
        "name": op.name(),
        "meaning": op.meaning(),
        "arity": op.arity(),
        "variadic": op.is_variadic(),
        "commutative": op.is_commutative(),
        "dtypes": dtypes.collect::<Vec<_>>(),
        "names": names.collect::<Vec<_>>(),
    })
}
