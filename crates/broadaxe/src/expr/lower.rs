//! Lowers the steps of an expression to nodes of a graph: dtypes by NumPy's promotion, shapes by the rule.

use broadaxe_kernels::{DType, Op, Promotion, find};
use broadaxe_shape::{Params, Rule};

use super::{
    fold,
    keywords::{dims, keyword, kind, one_value},
    names,
    parse::{CallStep, Kind, Parsed},
    reduce,
};
use crate::{
    error::{Error, ErrorKind},
    frameworks::{self, Arg, Attribute, constant, emit, nearest, range},
    graph::{Graph, Node},
    promote::{self, Literal, Typed},
};

/// Lowers every step in order; the last one is the result.
pub(super) fn lower(parsed: &Parsed, graph: &mut Graph, bound: &[(&str, Arg)], rule: &Rule) -> Result<Node, Error> {
    let args: Vec<Option<Arg>> =
        parsed.names.iter().map(|name| bound.iter().find(|(known, _)| known == name).map(|(_, arg)| *arg)).collect();
    let mut lowering = Lowering { graph, rule };
    let mut values: Vec<Arg> = Vec::with_capacity(parsed.steps.len());
    for step in &parsed.steps {
        let value = match &step.kind {
            Kind::Number(literal) => Ok(Arg::Weak(*literal)),
            Kind::Name(index) => args[*index].ok_or_else(|| unbound(&parsed.names[*index], bound)),
            Kind::Unary(sign, operand) => lowering.unary(sign, values[*operand]),
            Kind::Binary(sign, left, right) => lowering.binary(sign, values[*left], values[*right]),
            Kind::Call(call) => {
                let args: Vec<Arg> = call.arguments.iter().map(|argument| values[*argument]).collect();
                lowering.call(call, &args).map(Arg::Node)
            }
        };
        values.push(value.map_err(|error| error.at(step.position))?);
    }
    match values[parsed.root] {
        Arg::Node(node) => Ok(node),
        Arg::Weak(literal) => alone(lowering.graph, literal).map_err(|error| error.at(0)),
    }
}

/// Adds one operator by its name.
pub(super) fn operate(graph: &mut Graph, name: &str, args: &[Arg], rule: &Rule) -> Result<Node, Error> {
    Lowering { graph, rule }.operator(name, args, rule)
}

fn unbound(name: &str, bound: &[(&str, Arg)]) -> Error {
    let shown = super::lex::short(name);
    let near = nearest(name, bound.iter().map(|(known, _)| *known));
    Error::new(ErrorKind::Name, format!("no array named '{shown}'{near}"))
}

/// Adds a number without an array, in its default dtype.
fn alone(graph: &mut Graph, literal: Literal) -> Result<Node, Error> {
    constant(graph, literal, literal.default_dtype())
}

struct Lowering<'a> {
    graph: &'a mut Graph,
    rule: &'a Rule,
}

impl Lowering<'_> {
    fn typed(&self, arg: &Arg) -> Typed {
        match arg {
            Arg::Node(node) => Typed::Strong(self.graph.dtype(*node)),
            Arg::Weak(literal) => Typed::Weak(*literal),
        }
    }

    fn unary(&mut self, sign: &str, arg: Arg) -> Result<Arg, Error> {
        match arg {
            Arg::Weak(literal) => fold::unary(sign, literal).map(Arg::Weak),
            Arg::Node(_) => self.named(names::of_unary_sign(sign), &[arg]).map(Arg::Node),
        }
    }

    fn binary(&mut self, sign: &str, left: Arg, right: Arg) -> Result<Arg, Error> {
        match (left, right) {
            (Arg::Weak(left), Arg::Weak(right)) => fold::binary(sign, left, right).map(Arg::Weak),
            // As in NumPy: the square of bool is i8, where its power by a number would be i64.
            (base, Arg::Weak(Literal::Int(2))) if sign == "**" => self.named("square", &[base]).map(Arg::Node),
            _ => self.named(names::of_sign(sign), &[left, right]).map(Arg::Node),
        }
    }

    fn named(&mut self, name: &str, args: &[Arg]) -> Result<Node, Error> {
        let rule = self.rule.clone();
        match find(name) {
            Some(op) => self.operate(name, op.promotion(), &rule, args),
            None => Err(Error::new(ErrorKind::Name, format!("unknown operator '{name}'"))),
        }
    }

    fn call(&mut self, call: &CallStep, args: &[Arg]) -> Result<Node, Error> {
        if let Some(system) = call.system {
            let attributes: Vec<(&str, Attribute)> =
                call.attributes.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
            return frameworks::call(self.graph, system, &call.name, args, &attributes);
        }
        if let Some(reduction) = reduce::called(&call.name, args.len())? {
            let (axes, keep) = reduce::axes(call)?;
            let node = self.only(call, args)?;
            return self.graph.reduce(reduction, node, axes.as_deref(), keep);
        }
        match call.name.as_str() {
            "cast" => self.cast(call, args),
            "broadcast" => {
                let rule = self.rule_of(call)?;
                let node = self.only(call, args)?;
                self.graph.broadcast(node, &rule)
            }
            "broadcast_to" => self.broadcast_to(call, args),
            name => {
                let rule = self.rule_of(call)?;
                self.operator(name, args, &rule)
            }
        }
    }

    fn operator(&mut self, name: &str, args: &[Arg], rule: &Rule) -> Result<Node, Error> {
        let Some(op) = names::operator(name) else {
            return Err(Error::new(ErrorKind::Name, format!("unknown operator '{name}'")));
        };
        count(op, name, args.len())?;
        self.operate(op.name(), op.promotion(), rule, args)
    }

    /// Returns the one operand of a call as a node.
    fn only(&mut self, call: &CallStep, args: &[Arg]) -> Result<Node, Error> {
        match args {
            [Arg::Node(node)] => Ok(*node),
            [Arg::Weak(literal)] => alone(self.graph, *literal),
            _ => {
                let message = format!("{} needs 1 operand, not {}", call.name, args.len());
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }

    fn cast(&mut self, call: &CallStep, args: &[Arg]) -> Result<Node, Error> {
        let node = self.only(call, args)?;
        match one_value(call, "dtype", "cast(x, \"f16\")")? {
            Attribute::Text(name) => {
                let dtype = DType::from_name(name).ok_or_else(|| {
                    let names: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
                    let shown = super::lex::short(name);
                    let message = format!("unknown dtype '{shown}'; the dtypes are {}", names.join(", "));
                    Error::new(ErrorKind::DType, message)
                })?;
                Ok(self.graph.cast(node, dtype))
            }
            other => Err(Error::new(ErrorKind::Argument, format!("cast needs a dtype in quotes, not {other}"))),
        }
    }

    fn broadcast_to(&mut self, call: &CallStep, args: &[Arg]) -> Result<Node, Error> {
        let node = self.only(call, args)?;
        let target = dims("shape", one_value(call, "shape", "broadcast_to(x, [2, 3])")?)?;
        let rule = Rule::new("broadcast-to", Params { target: Some(target), ..Params::default() })?;
        self.graph.broadcast(node, &rule)
    }

    /// Returns the rule of a call by our own names: the expression's, or what its keywords say.
    fn rule_of(&self, call: &CallStep) -> Result<Rule, Error> {
        if call.attributes.is_empty() {
            return Ok(self.rule.clone());
        }
        let mut name = None;
        let mut params = Params::default();
        for (key, value) in &call.attributes {
            match (key.as_str(), value) {
                ("rule", Attribute::Text(text)) => name = Some(text.as_str()),
                ("mode", Attribute::Text(text)) => params.mode = Some(text.parse()?),
                ("axis", Attribute::Int(axis)) => params.axis = Some(*axis),
                ("axes", Attribute::Ints(axes)) => params.axes = Some(axes.clone()),
                ("target", value) => params.target = Some(dims("target", value)?),
                ("rule" | "mode", value) => return Err(kind(key, "a text in quotes", value)),
                ("axis", value) => return Err(kind(key, "a whole number", value)),
                ("axes", value) => return Err(kind(key, "a list of whole numbers", value)),
                _ => return Err(keyword(call, key, value, &["rule", "axis", "axes", "target", "mode"])),
            }
        }
        let own = self.rule.params();
        match name {
            Some(text) if params == Params::default() => Ok(text.parse()?),
            Some(name) => Ok(Rule::new(name, params)?),
            None => Ok(Rule::new(
                self.rule.name(),
                Params {
                    axis: params.axis.or(own.axis),
                    axes: params.axes.or_else(|| own.axes.clone()),
                    target: params.target.or_else(|| own.target.clone()),
                    mode: params.mode.or(own.mode),
                },
            )?),
        }
    }

    /// Adds an operator: finds the dtype, casts the operands to it, applies the rule.
    fn operate(&mut self, name: &str, promotion: Promotion, rule: &Rule, args: &[Arg]) -> Result<Node, Error> {
        let typed: Vec<Typed> = args.iter().map(|arg| self.typed(arg)).collect();
        let dtype = promote::dtype(promotion, &typed).ok_or_else(|| refused(name, &typed))?;
        match (promotion, name, args) {
            (Promotion::Compare, _, [left, right]) => {
                if let Some(node) = self.compare_exactly(name, rule, *left, *right)? {
                    return Ok(node);
                }
            }
            // As in NumPy: round of bool goes to floats, floor and its like leave it alone.
            (Promotion::Rounded, "round", [_]) if dtype == DType::Bool => {
                return self.operate(name, Promotion::Float, rule, args);
            }
            (Promotion::Rounded, _, [arg]) if !dtype.is_float() => return self.node(*arg, dtype),
            (_, "abs", [arg]) if dtype == DType::Bool => return self.node(*arg, dtype),
            // No copy is needed on the way to a result, which is an array of its own.
            (_, "copy" | "positive" | "conjugate", [arg]) => return self.node(*arg, dtype),
            (Promotion::Class, _, [arg]) if !dtype.is_float() => return self.classify(name, *arg, dtype),
            (Promotion::Exponent, _, [base, exponent]) => return self.raise(name, dtype, rule, *base, *exponent),
            (_, "reciprocal", [arg]) if !dtype.is_float() => {
                let dtype = promote::dtype(Promotion::Number, &typed).unwrap_or(dtype);
                let divisor = Arg::Node(self.node(*arg, dtype)?);
                return self.operate("div_trunc", Promotion::Number, rule, &[Arg::Weak(Literal::Int(1)), divisor]);
            }
            _ => {}
        }
        let mut nodes = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let condition = promotion == Promotion::Choose && index == 0;
            let arg = if name == "clamp" { bound(*arg, index, dtype) } else { *arg };
            nodes.push(self.node(arg, if condition { DType::Bool } else { dtype })?);
        }
        if let ("clamp", DType::Bool, [a, low, high]) = (name, dtype, &nodes[..]) {
            let at_least = self.emit("logical_or", rule, &args[..2], &[*a, *low])?;
            return self.emit("logical_and", rule, &[Arg::Node(at_least), args[2]], &[at_least, *high]);
        }
        self.emit(name, rule, args, &nodes)
    }

    /// Classifies integers and bool, which are finite: equal to themselves or not is the answer, in the right shape.
    fn classify(&mut self, name: &str, arg: Arg, dtype: DType) -> Result<Node, Error> {
        let node = self.node(arg, dtype)?;
        let answer = if name == "isfinite" { "equal" } else { "not_equal" };
        emit(self.graph, answer, &Rule::numpy(), &[node, node])
    }

    /// Multiplies by powers of two in a dtype; what bf16 computes in f32 goes back to it where NumPy's exponents are of 32 bits.
    fn raise(&mut self, name: &str, dtype: DType, rule: &Rule, base: Arg, exponent: Arg) -> Result<Node, Error> {
        let nodes = [self.node(base, dtype)?, self.node(exponent, dtype)?];
        let raised = self.emit(name, rule, &[base, exponent], &nodes)?;
        let narrow = self.typed(&base) == Typed::Strong(DType::BF16)
            && !matches!(self.typed(&exponent), Typed::Strong(DType::U32 | DType::I64));
        Ok(if narrow { self.graph.cast(raised, DType::BF16) } else { raised })
    }

    /// Applies a rule to the arrays; with a single array the numbers have its shape.
    fn emit(&mut self, name: &str, rule: &Rule, args: &[Arg], nodes: &[Node]) -> Result<Node, Error> {
        let arrays = args.iter().filter(|arg| matches!(arg, Arg::Node(_))).count();
        if arrays <= 1 && !rule.def().target {
            return emit(self.graph, name, &Rule::numpy(), nodes);
        }
        emit(self.graph, name, rule, nodes)
    }

    fn node(&mut self, arg: Arg, dtype: DType) -> Result<Node, Error> {
        match arg {
            Arg::Node(node) => Ok(self.graph.cast(node, dtype)),
            Arg::Weak(literal) => constant(self.graph, literal, dtype),
        }
    }

    /// Compares exactly what no common dtype could: a number beyond an integer's range, and signed with u64.
    ///
    /// `None` where the common dtype does it.
    fn compare_exactly(&mut self, name: &str, rule: &Rule, left: Arg, right: Arg) -> Result<Option<Node>, Error> {
        match (left, right) {
            (Arg::Node(node), Arg::Weak(Literal::Int(value))) => self.compare_beyond(name, node, value),
            (Arg::Weak(Literal::Int(value)), Arg::Node(node)) => self.compare_beyond(reversed(name), node, value),
            (Arg::Node(a), Arg::Node(b)) => {
                let (from, to) = (self.graph.dtype(a), self.graph.dtype(b));
                if from.is_signed() && to == DType::U64 {
                    self.compare_signs(name, rule, a, b, a).map(Some)
                } else if from == DType::U64 && to.is_signed() {
                    self.compare_signs(name, rule, a, b, b).map(Some)
                } else {
                    Ok(None)
                }
            }
            (Arg::Weak(left), Arg::Weak(right)) if [left, right].into_iter().any(is_beyond_i64) => {
                let sign = ["==", "!=", "<", "<=", ">", ">="].into_iter().find(|sign| names::of_sign(sign) == name);
                let truth = sign.map(|sign| fold::binary(sign, left, right)).transpose()?;
                truth.map(|truth| constant(self.graph, truth, DType::Bool)).transpose()
            }
            _ => Ok(None),
        }
    }

    /// Compares with a number that the dtype does not hold: the answer is the same everywhere, and the bound of the
    /// dtype gives it the right shape.
    fn compare_beyond(&mut self, name: &str, node: Node, value: i128) -> Result<Option<Node>, Error> {
        let dtype = self.graph.dtype(node);
        if !dtype.is_integer() {
            return Ok(None);
        }
        let (low, high) = range(dtype);
        let (holds, fails, bound) = match value {
            value if value > high => ("less_equal", "greater", high),
            value if value < low => ("greater_equal", "less", low),
            _ => return Ok(None),
        };
        let truth = if value > high { name.starts_with("less") } else { name.starts_with("greater") };
        let bound = constant(self.graph, Literal::Int(bound), dtype)?;
        let op = if truth || name == "not_equal" { holds } else { fails };
        emit(self.graph, op, &Rule::numpy(), &[node, bound]).map(Some)
    }

    /// Compares signed integers with u64: where `signed` is below 0 the answer is known, elsewhere both are u64.
    fn compare_signs(&mut self, name: &str, rule: &Rule, a: Node, b: Node, signed: Node) -> Result<Node, Error> {
        if rule.name() != "numpy" {
            let (a, b) = (self.graph.dtype(a), self.graph.dtype(b));
            let message = format!(
                "{name} of {a} and {b} has no common dtype under the rule {}; cast one of them, or use the rule numpy",
                rule.name()
            );
            return Err(Error::new(ErrorKind::DType, message));
        }
        let (wide_a, wide_b) = (self.graph.cast(a, DType::U64), self.graph.cast(b, DType::U64));
        let answer = emit(self.graph, name, rule, &[wide_a, wide_b])?;
        let dtype = self.graph.dtype(signed);
        let zero = constant(self.graph, Literal::Int(0), dtype)?;
        let below = if signed == a { name } else { reversed(name) };
        let (sign, join) = if below.starts_with("less") || below == "not_equal" {
            ("less", "logical_or")
        } else {
            ("greater_equal", "logical_and")
        };
        let sign = emit(self.graph, sign, rule, &[signed, zero])?;
        emit(self.graph, join, rule, &[answer, sign])
    }
}

/// Returns a bound of `clamp`; a number that no element of the dtype passes is the dtype's own bound.
fn bound(arg: Arg, index: usize, dtype: DType) -> Arg {
    match (arg, index) {
        (Arg::Weak(Literal::Int(low)), 1) if dtype.is_integer() => Arg::Weak(Literal::Int(low.max(range(dtype).0))),
        (Arg::Weak(Literal::Int(high)), 2) if dtype.is_integer() => Arg::Weak(Literal::Int(high.min(range(dtype).1))),
        _ => arg,
    }
}

fn is_beyond_i64(literal: Literal) -> bool {
    matches!(literal, Literal::Int(value) if i64::try_from(value).is_err())
}

fn reversed(name: &str) -> &str {
    match name {
        "less" => "greater",
        "less_equal" => "greater_equal",
        "greater" => "less",
        "greater_equal" => "less_equal",
        other => other,
    }
}

fn count(op: &Op, name: &str, given: usize) -> Result<(), Error> {
    let arity = op.arity();
    if given == arity || (op.is_variadic() && given > arity) {
        return Ok(());
    }
    let hint = match name {
        "add" if given > 2 => "; sum accepts any number",
        _ => "",
    };
    let more = if op.is_variadic() { " or more" } else { "" };
    let operands = if arity == 1 { "operand" } else { "operands" };
    let message = format!("{name} needs {arity}{more} {operands} ({}), not {given}{hint}", op.meaning());
    Err(Error::new(ErrorKind::Argument, message))
}

/// Makes the error of dtypes that NumPy rejects.
fn refused(name: &str, operands: &[Typed]) -> Error {
    let dtypes: Vec<&str> = operands
        .iter()
        .map(|operand| match operand {
            Typed::Strong(dtype) => dtype.name(),
            Typed::Weak(literal) => literal.default_dtype().name(),
        })
        .collect();
    let is_bool = |operand: &Typed| matches!(operand, Typed::Strong(DType::Bool));
    let hint = match find(name).map(Op::promotion) {
        Some(Promotion::NotBool) if name == "neg" => "write ~ for not, or cast it to i8",
        Some(Promotion::NotBool) if name == "sub" => "write ^ for a difference of truths, or cast one to i8",
        Some(Promotion::NotBool) => "cast it to i8",
        Some(Promotion::Exponent) => "its second operand is an integer of at most 63 bits",
        Some(Promotion::Integer) => "it accepts integers; cast bool to i8",
        Some(Promotion::Bits) if name == "bitwise_xor" && !operands.iter().any(is_bool) => {
            "^ is bitwise xor, which accepts bool and integers; use ** for powers"
        }
        Some(Promotion::Bits) => "it accepts bool and integers; comparisons in it need parentheses: (a > 0) & (b > 0)",
        _ => "it accepts integers",
    };
    Error::new(ErrorKind::DType, format!("{name} of {} is refused, as in NumPy; {hint}", dtypes.join(" and ")))
}

#[cfg(test)]
mod tests;
