//! `broadaxe ops`: the table of operators.

use broadaxe_kernels::{DType, Family, OPS, Op};
use serde_json::{Value, json};

use crate::{
    answer::{Answer, join, table},
    args::OpsArgs,
    error::Error,
};

/// Lists the operators, all or those whose name at home or abroad contains the part asked for.
///
/// # Errors
/// When there is none.
pub fn run(args: &OpsArgs) -> Result<Answer, Error> {
    let part = args.part.as_deref().unwrap_or("").to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&part);
    let ops: Vec<&Op> =
        OPS.iter().filter(|op| has(op.name()) || op.abroad().iter().any(|(_, name)| has(name))).collect();
    if ops.is_empty() {
        return Err(Error::usage(format!("no operator has '{part}' in its name; 'broadaxe ops' lists all")));
    }
    let rows = ops.iter().map(|op| {
        let abroad: Vec<String> =
            op.abroad().iter().map(|(system, name)| format!("{} {name}", system.name())).collect();
        vec![op.name().to_owned(), op.meaning().to_owned(), dtypes(op), abroad.join(", ")]
    });
    let text = table(&["operator", "meaning", "dtypes", "elsewhere"], true, rows);
    Ok(Answer::new(text, json!({ "operators": ops.iter().map(|op| describe(op)).collect::<Vec<_>>() })))
}

/// Says which dtypes an operator takes: families by name where they are whole.
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
    let abroad = op.abroad().iter().map(|(system, name)| json!({ "system": system.name(), "name": name }));
    let dtypes =
        op.dtypes().map(|dtype| json!({ "operands": dtype.name(), "result": op.output(dtype).map(DType::name) }));
    json!({
        "name": op.name(),
        "meaning": op.meaning(),
        "arity": op.arity(),
        "variadic": op.is_variadic(),
        "commutative": op.is_commutative(),
        "dtypes": dtypes.collect::<Vec<_>>(),
        "abroad": abroad.collect::<Vec<_>>(),
    })
}
