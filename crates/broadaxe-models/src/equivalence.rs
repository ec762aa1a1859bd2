//! Proves that element-wise nodes of two models compute the same, although they are written differently.
//!
//! Two nodes are the same if they apply one function to the same elements of the same tensors. Nodes that only change shapes are looked
//! through: a reshape keeps the row-major position of every element, and a stretched tensor repeats those of another. So a
//! node reads, for every element of its result, one position of every tensor that an operand can be followed back to.
//!
//! Positions are described by loops, `Nest`, whose shortest form is unique: two nests read the same elements exactly if they
//! are equal. Where sizes are open, the axes of 1 are left out, and all others have to go to the same places.

mod nest;
mod tensors;

use broadaxe::DType;
use broadaxe_frameworks::{Arithmetic, Choice, Role, System};
use broadaxe_kernels::OpId;
use broadaxe_shape::{Dim, Rule, SymbolicShape};

use self::nest::Nest;
pub use self::tensors::Tensors;
use crate::{
    graph::{Attribute, Model, Node, NodeId, Use, Uses, ValueId},
    infer::Shapes,
    meaning::{self, Kind, Meaning, Operator, Source},
};

/// How many nodes are looked through.
const LOOKED_THROUGH: usize = 16;

/// An element-wise node of a model.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its shapes.
    pub shapes: &'a Shapes,
    /// The node.
    pub node: NodeId,
    /// What it means.
    pub meaning: &'a Meaning,
}

/// Whether two nodes compute the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// They do.
    Same,
    /// They do not: they read other elements, or another tensor.
    Different(String),
    /// It cannot be proven, for this reason.
    Unproven(String),
}

/// Whether two nodes apply the same function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SameFunction {
    Same,
    /// With exchanged operands.
    Exchanged,
    /// With the operands in any order.
    Commutative,
    Unproven,
}

/// Says whether two nodes apply the same function to their operands, in the same order.
pub fn is_same_function(a: &Side<'_>, b: &Side<'_>) -> bool {
    matches!(function(a, b), SameFunction::Same | SameFunction::Commutative)
}

/// Decides whether two nodes compute the same; `tensors` knows which tensors of the two models are the same.
pub fn equivalence(a: &Side<'_>, b: &Side<'_>, tensors: &mut Tensors<'_>) -> Equivalence {
    let unproven = |reason: &str| Equivalence::Unproven(reason.to_owned());
    if a.meaning.operands.len() != b.meaning.operands.len() {
        return Equivalence::Different("they have other numbers of operands".to_owned());
    }
    if let (Some(own), Some(other)) = (a.dtype(), b.dtype())
        && own != other
    {
        return Equivalence::Different("they compute in other element types".to_owned());
    }
    let orders: &[bool] = match function(a, b) {
        SameFunction::Same => &[false],
        SameFunction::Exchanged => &[true],
        SameFunction::Commutative => &[false, true],
        SameFunction::Unproven => return unproven("they may apply other functions"),
    };
    let read = |side: &Side<'_>| side.reads();
    let (reads, others) = match (read(a), read(b)) {
        (Ok(reads), Ok(others)) => (reads, others),
        (Err(reason), _) | (_, Err(reason)) => return Equivalence::Unproven(reason),
    };
    let mut found = None;
    for &exchanged in orders {
        let mut others = others.clone();
        if exchanged {
            others.reverse();
        }
        let equivalence = compared(&reads, &others, tensors);
        if equivalence == Equivalence::Same {
            return equivalence;
        }
        found.get_or_insert(equivalence);
    }
    found.unwrap_or_else(|| unproven("they have no operands"))
}

/// A tensor that an operand can be followed back to, and how it is read.
#[derive(Clone, Debug)]
struct Read {
    value: ValueId,
    by: By,
}

/// Which element of a tensor goes into each element of a result.
#[derive(Clone, Debug, PartialEq)]
enum By {
    /// All sizes are known.
    Nest(Nest),
    /// Some sizes are open: the dims of the result and of the tensor without axes of 1, and for each of the latter the place among the
    /// former that it feeds; and the condition under which the operands broadcast.
    Axes { result: Vec<Dim>, own: Vec<Dim>, feeds: Vec<usize>, guard: Vec<String> },
}

fn compared(reads: &[Vec<Read>], others: &[Vec<Read>], tensors: &mut Tensors<'_>) -> Equivalence {
    for (k, (own, other)) in reads.iter().zip(others).enumerate() {
        let pairs = own.iter().flat_map(|own| other.iter().map(move |other| (own, other)));
        let pairs: Vec<_> = pairs.filter(|(own, other)| tensors.is_same(own.value, other.value)).collect();
        if pairs.is_empty() {
            return Equivalence::Different(format!("operand {k} is another tensor"));
        }
        // A tensor that both find on the way is read alike by both, also where the one behind it has the same name.
        let differs = |(own, other): &&(&Read, &Read)| own.by != other.by;
        let Some((own, other)) = pairs.iter().find(differs) else { continue };
        return if matches!((&own.by, &other.by), (By::Nest(_), By::Nest(_))) {
            Equivalence::Different(format!("operand {k} is read elsewhere"))
        } else {
            Equivalence::Unproven("sizes are open".to_owned())
        };
    }
    Equivalence::Same
}

/// Lists the attributes of a node that its row does not name, such as the numbers that ncnn's layers hold.
pub fn unnamed_attributes(side: &Side<'_>) -> Vec<String> {
    let node = side.own();
    let row = match &side.meaning.op {
        Operator::Call { row, .. } => Some(row),
        _ => None,
    };
    let is_named = |name: &str| row.is_some_and(|row| row.attribute(name).is_some());
    // Operators of ONNX's first opset had this hint for the memory of their results.
    let unnamed = node.attributes.iter().filter(|(name, _)| !is_named(name) && name != "consumed_inputs");
    // The numbers of a tensor are those of a constant, which are not compared.
    let text = |(name, value): &(String, Attribute)| match value {
        Attribute::Tensor(constant) => format!("{name}={} {:?}", constant.element, constant.shape),
        other => format!("{name}={other:?}"),
    };
    unnamed.map(text).collect()
}

/// Compares the functions of two nodes.
fn function(a: &Side<'_>, b: &Side<'_>) -> SameFunction {
    if a.model.system == b.model.system && !is_permuted(&unnamed_attributes(a), &unnamed_attributes(b)) {
        return SameFunction::Unproven;
    }
    let is_same = match (&a.meaning.op, &b.meaning.op) {
        (Operator::Copy, Operator::Copy) => true,
        (Operator::Own(own), Operator::Own(other)) => own == other,
        (Operator::Call { row, attributes, .. }, Operator::Call { row: other, attributes: others, .. }) => {
            std::ptr::eq(*row, *other) && is_permuted(attributes, others)
        }
        _ => false,
    };
    let both = a.dtype().zip(b.dtype()).filter(|(own, other)| own == other);
    let choices = both.and_then(|(dtype, _)| Some((a.choice(dtype)?, b.choice(dtype)?)));
    let Some((own, other)) = choices else {
        return if is_same { SameFunction::Same } else { SameFunction::Unproven };
    };
    let agree = own.swapped == other.swapped && own.cast == other.cast;
    let two = a.meaning.operands.len() == 2 && both.is_some_and(|(dtype, _)| dtype != DType::Bool);
    match (own.arithmetic, other.arithmetic) {
        // An operand that is missing is a number in the node.
        (Arithmetic::Op(own), Arithmetic::Op(other)) if agree && (is_same || has_all_operands(a, own)) => {
            let is_reversed = two && own.op().reversed() == Some(other.op().name());
            match (own == other, is_reversed) {
                (true, true) => SameFunction::Commutative,
                (true, false) => SameFunction::Same,
                (false, true) => SameFunction::Exchanged,
                (false, false) => SameFunction::Unproven,
            }
        }
        (Arithmetic::Copy, Arithmetic::Copy) if agree => SameFunction::Same,
        _ if is_same => SameFunction::Same,
        _ => SameFunction::Unproven,
    }
}

/// Says whether all operands of our operator are tensors.
fn has_all_operands(side: &Side<'_>, op: OpId) -> bool {
    side.meaning.operands.len() >= op.op().arity()
}

/// Says whether two lists have the same elements.
fn is_permuted<T: PartialEq>(one: &[T], other: &[T]) -> bool {
    one.len() == other.len() && one.iter().all(|item| other.contains(item))
}

impl Side<'_> {
    fn own(&self) -> &Node {
        self.model.node(self.node)
    }

    /// Returns the dtype of the operands that share one.
    fn dtype(&self) -> Option<DType> {
        let last = self.meaning.operands.last()?;
        let last = if self.meaning.kind == Kind::Select { last } else { self.meaning.operands.first()? };
        let Source::Input(k) = last else { return None };
        self.shapes.of.get(self.own().input(*k)?.0 as usize)?.element.as_ref()?.dtype()
    }

    /// Returns what the node computes on operands of a dtype, where it is a framework's operator.
    fn choice(&self, dtype: DType) -> Option<Choice> {
        let Operator::Call { row, attributes, .. } = &self.meaning.op else { return None };
        row.arithmetic(dtype, attributes).ok()
    }

    /// Lists, for every operand, the tensors that it can be followed back to.
    fn reads(&self) -> Result<Vec<Vec<Read>>, String> {
        use Kind::{Binary, Bounds, Many, Select, Slope, Stretch, Unary};
        let (node, kind) = (self.own(), self.meaning.kind);
        if !matches!(kind, Binary | Bounds | Many | Select | Slope | Stretch | Unary) {
            return Err(format!("{} does more than combine elements", node.op));
        }
        let result = node.output(0).map(|value| self.shape(value)).ok_or("it has no result")?;
        let operands = self.meaning.shapes(node, self.shapes);
        let first = self.placed(&operands, &result)?;
        let mut reads = Vec::new();
        for (source, by) in self.meaning.operands.iter().zip(first) {
            let Source::Input(k) = source else { return Err("an operand is no tensor".to_owned()) };
            reads.push(self.followed(node.input(*k).ok_or("an operand is left out")?, by));
        }
        Ok(reads)
    }

    /// Says how the operands themselves are read.
    fn placed(&self, operands: &[SymbolicShape], result: &SymbolicShape) -> Result<Vec<By>, String> {
        let known: Option<Vec<_>> = operands.iter().map(SymbolicShape::known).collect();
        let meaning = self.meaning;
        if meaning.kind == Kind::Unary {
            let [one] = operands else { return Err("it has no operand".to_owned()) };
            return Ok(vec![By::whole(one).ok_or("sizes are not known")?]);
        }
        if let (Some(known), Some(result)) = (known, result.known()) {
            let dims: Vec<&[usize]> = known.iter().map(broadaxe_shape::Shape::dims).collect();
            let alignment = meaning.align(&dims, result.dims()).map_err(|error| error.to_string())?;
            return Ok((0..dims.len()).map(|k| By::Nest(Nest::of(&alignment, k))).collect());
        }
        self.placed_open(operands, result)
    }

    /// Says the same of operands of which some sizes are open.
    fn placed_open(&self, operands: &[SymbolicShape], result: &SymbolicShape) -> Result<Vec<By>, String> {
        let meaning = self.meaning;
        let inferred = if meaning.rule.def().target {
            meaning.rule.infer_to(operands, result)
        } else {
            meaning.rule.infer(operands)
        };
        let inferred = inferred.map_err(|error| error.to_string())?;
        let placement = inferred.placement().ok_or("where its operands go depends on open sizes")?;
        let open = "sizes are not known";
        let mut guard: Vec<String> = inferred.guard().clauses().into_iter().map(|(_, text)| text).collect();
        guard.sort_unstable();
        guard.dedup();
        if !inferred.guard().is_exact() {
            return Err(open.to_owned());
        }
        let places = longer(inferred.shape()).ok_or(open)?;
        let dims: Vec<Dim> = places.iter().map(|(_, dim)| dim.clone()).collect();
        let mut reads = Vec::new();
        for (k, operand) in operands.iter().enumerate() {
            let own = longer(operand).ok_or(open)?;
            let place = |(axis, _): &(usize, Dim)| {
                let fed = *placement.axes(k).get(*axis)?;
                places.iter().position(|(at, _)| *at == fed)
            };
            let feeds: Option<Vec<usize>> = own.iter().map(place).collect();
            let (result, guard) = (dims.clone(), guard.clone());
            let own = own.into_iter().map(|(_, dim)| dim).collect();
            reads.push(By::Axes { result, own, feeds: feeds.ok_or(open)?, guard });
        }
        Ok(reads)
    }

    fn shape(&self, value: ValueId) -> SymbolicShape {
        shape(self.shapes, value)
    }

    /// Follows an operand back through nodes that only change shapes.
    fn followed(&self, value: ValueId, by: By) -> Vec<Read> {
        let mut reads = vec![Read { value, by }];
        for _ in 0..LOOKED_THROUGH {
            let Some(next) = reads.last().and_then(|last| self.behind(last)) else { break };
            reads.push(next);
        }
        reads
    }

    /// Returns the tensor of which a tensor has the elements.
    fn behind(&self, read: &Read) -> Option<Read> {
        let (id, _) = self.model.value(read.value).producer.filter(|(_, output)| *output == 0)?;
        let node = self.model.node(id);
        let value = node.input(0)?;
        let (own, made) = (self.shape(value), self.shape(read.value));
        if keeps_elements(self.model, node) {
            let by = match &read.by {
                By::Nest(nest) => {
                    let (own, made) = (own.known()?, made.known()?);
                    let count = |shape: &broadaxe_shape::Shape| broadaxe_shape::elements(shape.dims()).ok();
                    (count(&own)? == count(&made)?).then(|| By::Nest(nest.clone()))?
                }
                By::Axes { own: dims, .. } => {
                    let same = longer(&own)?.into_iter().map(|(_, dim)| dim).eq(dims.iter().cloned());
                    same.then(|| read.by.clone())?
                }
            };
            return Some(Read { value, by });
        }
        let By::Nest(nest) = &read.by else { return None };
        let (own, made) = (own.known()?, made.known()?);
        let rule = if meaning::role(self.model, node) == Some(Role::Tile) {
            Rule::broadcast_to(made.dims())
        } else {
            let meaning = meaning::meaning(self.model, id)?.ok()?;
            (meaning.kind == Kind::Stretch).then(|| meaning.rule(made.dims()))?
        };
        let alignment = rule.align(&[own.dims()]).ok()?;
        if alignment.shape() != &made {
            return None;
        }
        Some(Read { value, by: By::Nest(nest.through(&Nest::of(&alignment, 0))?) })
    }
}

impl By {
    /// Reads a tensor element by element.
    fn whole(shape: &SymbolicShape) -> Option<Self> {
        if let Some(shape) = shape.known() {
            return Some(Self::Nest(Nest::whole(shape.dims())));
        }
        let dims: Vec<Dim> = longer(shape)?.into_iter().map(|(_, dim)| dim).collect();
        Some(Self::Axes { feeds: (0..dims.len()).collect(), result: dims.clone(), own: dims, guard: Vec::new() })
    }
}

fn shape(shapes: &Shapes, value: ValueId) -> SymbolicShape {
    shapes.of.get(value.0 as usize).map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone())
}

/// Lists the axes that are not 1; nothing where a dim has neither a size nor a name.
fn longer(shape: &SymbolicShape) -> Option<Vec<(usize, Dim)>> {
    let dims = shape.dims()?;
    if dims.iter().any(|dim| dim.size().is_none() && dim.names().is_empty()) {
        return None;
    }
    Some(dims.iter().cloned().enumerate().filter(|(_, dim)| dim.size() != Some(1)).collect())
}

/// Says whether the result of a node has the elements of its first input in their order.
fn keeps_elements(model: &Model, node: &Node) -> bool {
    match meaning::role(model, node) {
        // ncnn's old Reshape can permute.
        Some(Role::Reshape) => model.system != System::Ncnn || node.attribute("3").is_none(),
        // A Dropout that trains does not.
        Some(Role::Identity) => node.op != "Dropout",
        _ => false,
    }
}

/// Lists the values that have the elements of a value in their order, through the nodes that read it.
pub fn reshaped(model: &Model, uses: &Uses, value: ValueId) -> Vec<ValueId> {
    let mut found = Vec::new();
    let mut next = vec![value];
    while let Some(value) = next.pop().filter(|_| found.len() < LOOKED_THROUGH) {
        for at in uses.of(value).iter().filter(|at| at.input == 0) {
            let node = model.node(at.node);
            if let Some(output) = node.output(0).filter(|_| keeps_elements(model, node)) {
                found.push(output);
                next.push(output);
            }
        }
    }
    found
}

/// Lists the nodes that read a value, through those that keep its elements; nothing where a graph returns it.
pub fn readers(model: &Model, uses: &Uses, value: ValueId) -> Option<Vec<NodeId>> {
    let mut readers = Vec::new();
    for value in [vec![value], reshaped(model, uses, value)].concat() {
        if model.graphs.iter().any(|graph| graph.outputs.contains(&value)) {
            return None;
        }
        let is_final = |at: &&Use| at.input > 0 || !keeps_elements(model, model.node(at.node));
        readers.extend(uses.of(value).iter().filter(is_final).map(|at| at.node));
    }
    Some(readers)
}

#[cfg(test)]
mod tests;
