//! Finds the weights of each layer in the `.bin`.
//!
//! The file holds one array after another, in the order of the layers. An array is raw (4 bytes a number), or a mark of 4
//! bytes before it says how it is stored. A constant is found by skipping everything before it, so no constant after an
//! unknown layer can be found.

use std::ops::Range;

use broadaxe_op::DType;

use super::params::{F32, absent, int};
use crate::{
    graph::{Data, Element, Model, Node},
    source::Source,
};

/// An array that a layer reads: the count of numbers, and whether a mark precedes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    count: u64,
    marked: bool,
}

/// Marks of arrays: the mark, the name of the numbers, the bytes of one.
const MARKS: [(u32, Element, u64); 3] =
    [(0x0130_6B47, Element::Known(DType::F16), 2), (0x000D_4B38, Element::Known(DType::I8), 1), (0x0002_C056, F32, 4)];

/// Layers that read nothing of the `.bin`.
static WEIGHTLESS: &[&str] = &[
    "AbsVal ArgMax BNLL BinaryOp CELU Cast Clip Concat CopyTo Crop CumulativeSum DeepCopy DetectionOutput Diag",
    "Dropout ELU Einsum Eltwise Erf Exp ExpandDims Flatten Flip Fold GELU GLU GridSample HardSigmoid HardSwish",
    "Input Interp InverseSpectrogram LRN Log MVN MatMul Mish Noop Packing Permute PixelShuffle Pooling Pooling1D",
    "Pooling3D Power PriorBox Proposal PSROIPooling ROIAlign ROIPooling ReLU Reduction Reorg Reshape RotaryEmbed",
    "SDPA SELU SPP Shrink ShuffleChannel Sigmoid Slice Softmax Softplus Spectrogram Split Squeeze StatisticsPooling",
    "Swish TanH Threshold Tile UnaryOp Unfold YoloDetectionOutput Yolov3DetectionOutput",
];

/// Lists the arrays that a layer reads; `None` for an unknown layer, or where they depend on more than parameters.
pub(super) fn loads(node: &Node) -> Option<Vec<Load>> {
    if WEIGHTLESS.iter().flat_map(|line| line.split(' ')).any(|op| op == node.op) {
        return Some(Vec::new());
    }
    let get = |number: &str, otherwise: i64| int(node, number, otherwise);
    let mut loads = Loads { list: Vec::new(), sound: true };
    match node.op.as_str() {
        "MemoryData" => memory(&get, &mut loads),
        "BatchNorm" => (0..4).for_each(|_| loads.add(get("0", 0), false)),
        // Without numbers of their own; -233: they come from a second input.
        "LayerNorm" | "InstanceNorm" | "RMSNorm" if get("2", 1) == 0 => {}
        "GroupNorm" if get("3", 1) == 0 => {}
        "Scale" if get("0", 0) == -233 => {}
        "Bias" | "PReLU" | "RMSNorm" => loads.add(get("0", 0), false),
        "Quantize" => loads.add(get("0", 1), false),
        "Dequantize" => loads.raw(&[get("0", 1), get("1", 0)]),
        "Requantize" => loads.raw(&[get("0", 1), get("1", 1), get("2", 0)]),
        "Normalize" => loads.add(get("3", 0), false),
        "Padding" => loads.raw(&[get("6", 0)]),
        "Scale" => loads.raw(&[get("0", 0), if get("1", 0) == 0 { 0 } else { get("0", 0) }]),
        "LayerNorm" | "InstanceNorm" => loads.raw(&[get("0", 0), get("0", 0)]),
        "GroupNorm" => loads.raw(&[get("1", 0), get("1", 0)]),
        "Embed" => {
            loads.add(get("3", 0), true);
            loads.raw(&[if get("2", 0) == 0 { 0 } else { get("0", 0) }, i64::from(get("18", 0) != 0)]);
        }
        "InnerProduct" => inner_product(&get, &mut loads),
        "Gemm" => gemm(&get, &mut loads)?,
        "MultiHeadAttention" => attention(&get, &mut loads)?,
        "LSTM" => recurrent(&get, &mut loads, 4, get("3", get("0", 0)))?,
        "GRU" => recurrent(&get, &mut loads, 3, get("0", 0))?,
        "RNN" => recurrent(&get, &mut loads, 1, get("0", 0))?,
        op if op.starts_with("Convolution") || op.starts_with("Deconvolution") || op == "DeformableConv2D" => {
            convolution(op, &get, &mut loads);
        }
        _ => return None,
    }
    loads.sound.then_some(loads.list)
}

struct Loads {
    list: Vec<Load>,
    sound: bool,
}

impl Loads {
    fn add(&mut self, count: i64, marked: bool) {
        match u64::try_from(count) {
            Ok(count) => self.list.push(Load { count, marked }),
            Err(_) => self.sound = false,
        }
    }

    /// Adds arrays without a mark; those of no number are not there.
    fn raw(&mut self, counts: &[i64]) {
        counts.iter().filter(|&&count| count != 0).for_each(|&count| self.add(count, false));
    }
}

/// The value of a parameter, by number, with what its absence means.
type Get<'a> = &'a dyn Fn(&str, i64) -> i64;

fn memory(get: Get<'_>, loads: &mut Loads) {
    let sizes = ["0", "1", "11", "2"].map(|number| get(number, 0));
    if sizes.iter().any(|&size| size != 0) {
        let count = sizes.iter().filter(|&&size| size != 0).try_fold(1i64, |count, &size| count.checked_mul(size));
        loads.add(count.unwrap_or(-1), get("21", 1) == 0);
    }
}

fn inner_product(get: Get<'_>, loads: &mut Loads) {
    loads.add(get("2", 0), true);
    loads.raw(&[if get("1", 0) == 0 { 0 } else { get("0", 0) }]);
    if get("8", 0) != 0 {
        loads.raw(&[get("0", 0), 1]);
    }
}

fn convolution(op: &str, get: Get<'_>, loads: &mut Loads) {
    let dynamic = if op.starts_with("Deconvolution") { "28" } else { "19" };
    if get(dynamic, 0) != 0 {
        return;
    }
    loads.add(get("6", 0), true);
    loads.raw(&[if get("5", 0) == 0 { 0 } else { get("0", 0) }]);
    let scales = get("8", 0);
    match (op, scales % 100) {
        (_, 0) => {}
        ("Convolution", _) => loads.raw(&[get("0", 0), 1]),
        ("ConvolutionDepthWise", 1) => loads.raw(&[get("7", 1), 1]),
        ("ConvolutionDepthWise", 2) => loads.raw(&[1, 1]),
        _ => {}
    }
    if scales > 100 && matches!(op, "Convolution" | "ConvolutionDepthWise") {
        loads.raw(&[1]);
    }
}

fn gemm(get: Get<'_>, loads: &mut Loads) -> Option<()> {
    let (m, n, k, quantised) = (get("7", 0), get("8", 0), get("9", 0), get("18", 0));
    // From 4 on weights come in blocks of few bits, whose size changed between versions.
    if !(0..4).contains(&quantised) {
        return None;
    }
    let (a, b) = (get("4", 0) == 1, get("5", 0) == 1);
    if a {
        loads.add(m.checked_mul(k)?, true);
    }
    if b {
        loads.add(n.checked_mul(k)?, true);
    }
    if get("6", 0) == 1 {
        match get("10", 0) {
            0 => loads.add(1, true),
            1 | 2 => loads.add(m, true),
            3 => loads.add(m.checked_mul(n)?, true),
            4 => loads.add(n, true),
            _ => {}
        }
    }
    if quantised != 0 {
        loads.raw(&[if a { m } else { 0 }, i64::from(b)]);
    }
    Some(())
}

fn attention(get: Get<'_>, loads: &mut Loads) -> Option<()> {
    let (embed, size, quantised) = (get("0", 0), get("2", 0), get("18", 0));
    if !(0..4).contains(&quantised) {
        return None;
    }
    let query = size.checked_div(embed)?;
    let rows = [(query, embed), (get("3", embed), embed), (get("4", embed), embed), (embed, query)];
    for (columns, rows) in rows {
        loads.add(columns.checked_mul(rows)?, true);
        loads.add(rows, false);
    }
    if quantised != 0 {
        loads.raw(&[embed, embed, embed, 1]);
    }
    Some(())
}

fn recurrent(get: Get<'_>, loads: &mut Loads, gates: i64, hidden: i64) -> Option<()> {
    let (outputs, directions) = (get("0", 0), if get("2", 0) == 2 { 2 } else { 1 });
    let rows = hidden.checked_mul(gates)?;
    let size = get("1", 0).checked_div(directions)?.checked_div(hidden)?.checked_div(gates)?;
    let product = |a: i64, b: i64| a.checked_mul(b)?.checked_mul(directions);
    loads.add(product(size, rows)?, true);
    // A gated unit of three gates keeps a fourth bias.
    loads.add(product(hidden, if gates == 3 { 4 } else { gates })?, true);
    loads.add(product(outputs, rows)?, true);
    if outputs != hidden {
        loads.add(product(hidden, outputs)?, true);
    }
    if get("8", 0) != 0 {
        loads.raw(&[product(rows, 1)?, product(rows, 1)?]);
    }
    Some(())
}

/// The weights of a layer in the file of weights.
pub(super) struct LayerWeights {
    /// All of its bytes.
    pub(super) span: Range<u64>,
    /// Its arrays.
    pub(super) arrays: Vec<(Element, Data)>,
}

/// Finds the weights of every layer.
///
/// # Errors
/// Why they cannot be told apart.
pub(super) fn layers(model: &Model) -> Result<Vec<LayerWeights>, String> {
    let mut walk = Walk { file: model.weights.clone(), at: 0, lost: None, asked: false };
    let layer = |node| {
        let start = walk.at;
        let arrays = walk.place(node);
        walk.lost.clone().map_or(Ok(LayerWeights { span: start..walk.at, arrays }), Err)
    };
    model.nodes.iter().map(layer).collect()
}

/// Writes a file of weights for a model. `draw` returns the numbers of an array, given its layer, its place in the layer, and their
/// count.
///
/// # Errors
/// Why a layer has no known arrays, or that they need more than `most` bytes.
pub fn draw_weights(
    model: &Model,
    most: usize,
    draw: &mut dyn FnMut(&Node, usize, usize) -> Vec<f32>,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for node in &model.nodes {
        let unknown = || format!("the size of the weights of {} {} is not known", node.op, node.name);
        for (k, load) in loads(node).ok_or_else(unknown)?.into_iter().enumerate() {
            let count = usize::try_from(load.count).ok().filter(|count| *count <= most.saturating_sub(bytes.len()) / 4);
            let count = count.ok_or_else(|| format!("its weights have more than {} MiB", most >> 20))?;
            if load.marked {
                // Numbers of four bytes follow.
                bytes.extend([0; 4]);
            }
            bytes.extend(draw(node, k, count).iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    Ok(bytes)
}

/// A walk through the `.bin`, layer by layer.
pub(super) struct Walk {
    file: Option<Source>,
    at: u64,
    /// Why the place is not known any more.
    lost: Option<String>,
    /// Whether layers of this model read anything.
    asked: bool,
}

impl Walk {
    /// Opens the `.bin` of the model and stores it there.
    pub(super) fn open(model: &mut Model) -> Self {
        let found = model.source.open_weights("bin").unwrap_or_else(|error| Err(error.to_string()));
        let (file, lost) = found.map_or_else(|why| (None, Some(why)), |file| (Some(file), None));
        model.weights.clone_from(&file);
        Self { file, at: 0, lost, asked: false }
    }

    /// Passes over what a layer reads.
    pub(super) fn pass(&mut self, node: &Node) {
        self.place(node);
    }

    /// Finds the numbers of a constant.
    pub(super) fn constant(&mut self, node: &Node) -> (Element, Data) {
        let found = self.place(node).pop();
        match (&self.lost, found) {
            (Some(why), _) => absent(why),
            (None, Some((Element::Known(DType::I8), _))) => {
                absent("its numbers are stored in 8 bits with a scale elsewhere")
            }
            (None, Some(found)) => found,
            (None, None) => absent("the layer has no numbers in the file of weights"),
        }
    }

    /// Passes over a layer, and returns where its arrays lie.
    fn place(&mut self, node: &Node) -> Vec<(Element, Data)> {
        let loads = loads(node);
        self.asked |= loads.as_ref().is_none_or(|loads| !loads.is_empty());
        if self.lost.is_some() {
            return Vec::new();
        }
        let Some(loads) = loads else {
            self.lost = Some(format!("the size of the weights of {} {} is not known", node.op, node.name));
            return Vec::new();
        };
        let mut found = Vec::with_capacity(loads.len());
        for load in loads {
            match self.array(load) {
                Ok(array) => found.push(array),
                Err(why) => {
                    self.lost = Some(format!("{why} in {} {}", node.op, node.name));
                    return Vec::new();
                }
            }
        }
        found
    }

    fn array(&mut self, load: Load) -> Result<(Element, Data), String> {
        let Some(file) = &self.file else { return Err("the file of weights is missing".to_owned()) };
        let short = || format!("the file of weights ends at byte {}", file.len());
        let (mut start, mut element, mut bytes) = (self.at, F32, load.count.checked_mul(4).ok_or_else(short)?);
        if load.marked {
            let mark = file.read(start, 4).map_err(|_| short())?;
            start += 4;
            let mark = [mark[0], mark[1], mark[2], mark[3]];
            let kind = MARKS.iter().find(|(known, ..)| *known == u32::from_le_bytes(mark));
            if let Some((_, known, size)) = kind {
                (element, bytes) = (known.clone(), load.count * size);
            } else if mark != [0; 4] {
                // A table of 256 numbers, and an index for each.
                (element, bytes) = (Element::Other("table".to_owned(), 8), 1024 + load.count);
            }
        }
        let end = bytes.checked_next_multiple_of(4).and_then(|bytes| start.checked_add(bytes));
        let end = end.filter(|&end| end <= file.len()).ok_or_else(short)?;
        self.at = end;
        let data = match element {
            Element::Other(..) => Data::Absent("its numbers are stored as indices into a table".to_owned()),
            Element::Known(_) => Data::Span { at: start, len: bytes },
        };
        Ok((element, data))
    }

    /// Says in a sentence where the walk and the file do not fit.
    pub(super) fn remark(self) -> Option<String> {
        let file = self.file?;
        match self.lost {
            Some(why) => Some(format!("constants from there on have no elements: {why}")),
            None if self.at != file.len() && self.asked => {
                Some(format!("the layers read {} bytes of weights, but the file has {}", self.at, file.len()))
            }
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows what a layer reads: counts of numbers, with an `m` for arrays with a mark.
    fn shown(layer: &str) -> String {
        let text = format!("7767517\n2 2\nInput a 0 1 a\n{layer}\n");
        let model = crate::read(&Source::memory(text.into_bytes(), None)).unwrap();
        let show = |load: &Load| format!("{}{}", load.count, if load.marked { "m" } else { "" });
        loads(&model.nodes[1])
            .map_or("unknown".to_owned(), |loads| loads.iter().map(show).collect::<Vec<_>>().join(" "))
    }

    // Long: a table with a row for each kind of layer and each parameter that decides what is read.
    #[test]
    fn arrays_of_layers() {
        let cases = [
            ("ReLU l 1 1 a b", ""),
            ("Yolov3DetectionOutput l 1 1 a b", ""),
            ("Unheard l 1 1 a b", "unknown"),
            ("MemoryData l 0 1 b", ""),
            ("MemoryData l 0 1 b 0=4", "4"),
            ("MemoryData l 0 1 b 0=4 1=3", "12"),
            ("MemoryData l 0 1 b 0=4 1=3 11=2 2=5 21=0", "120m"),
            ("BatchNorm l 1 1 a b 0=8", "8 8 8 8"),
            ("Scale l 1 1 a b 0=8", "8"),
            ("Scale l 1 1 a b 0=8 1=1", "8 8"),
            ("Scale l 1 1 a b 0=-233", ""),
            ("Bias l 1 1 a b 0=8", "8"),
            ("PReLU l 1 1 a b 0=8", "8"),
            ("PReLU l 1 1 a b 0=-1", "unknown"),
            ("RMSNorm l 1 1 a b 0=8", "8"),
            ("RMSNorm l 1 1 a b 0=8 2=0", ""),
            ("LayerNorm l 1 1 a b 0=8", "8 8"),
            ("LayerNorm l 1 1 a b 0=8 2=0", ""),
            ("InstanceNorm l 1 1 a b 0=8", "8 8"),
            ("GroupNorm l 1 1 a b 0=2 1=8", "8 8"),
            ("GroupNorm l 1 1 a b 0=2 1=8 3=0", ""),
            ("Quantize l 1 1 a b", "1"),
            ("Dequantize l 1 1 a b 0=8 1=8", "8 8"),
            ("Dequantize l 1 1 a b 0=8", "8"),
            ("Requantize l 1 1 a b 0=8 1=4 2=2", "8 4 2"),
            ("Normalize l 1 1 a b 3=8", "8"),
            ("Padding l 1 1 a b", ""),
            ("Padding l 1 1 a b 6=8", "8"),
            ("Embed l 1 1 a b 0=8 3=80", "80m"),
            ("Embed l 1 1 a b 0=8 2=1 3=80 18=1", "80m 8 1"),
            ("InnerProduct l 1 1 a b 0=8 2=80", "80m"),
            ("InnerProduct l 1 1 a b 0=8 1=1 2=80", "80m 8"),
            ("InnerProduct l 1 1 a b 0=8 1=1 2=80 8=1", "80m 8 8 1"),
            ("Convolution l 1 1 a b 0=8 6=72", "72m"),
            ("Convolution l 1 1 a b 0=8 5=1 6=72", "72m 8"),
            ("Convolution l 1 1 a b 0=8 5=1 6=72 8=2", "72m 8 8 1"),
            ("Convolution l 1 1 a b 0=8 6=72 8=101", "72m 8 1 1"),
            ("Convolution l 1 1 a b 0=8 6=72 19=1", ""),
            ("Convolution1D l 1 1 a b 0=8 5=1 6=24", "24m 8"),
            ("ConvolutionDepthWise l 1 1 a b 0=8 6=72 7=8 8=1", "72m 8 1"),
            ("ConvolutionDepthWise l 1 1 a b 0=8 6=72 7=8 8=2", "72m 1 1"),
            ("Deconvolution l 1 1 a b 0=8 5=1 6=72", "72m 8"),
            ("Deconvolution l 1 1 a b 0=8 6=72 28=1", ""),
            ("DeformableConv2D l 1 1 a b 0=8 6=72", "72m"),
            ("Gemm l 1 1 a b", ""),
            ("Gemm l 1 1 a b 4=1 7=2 8=3 9=4", "8m"),
            ("Gemm l 1 1 a b 5=1 7=2 8=3 9=4", "12m"),
            ("Gemm l 1 1 a b 5=1 6=1 7=2 8=3 9=4 10=4", "12m 3m"),
            ("Gemm l 1 1 a b 6=1 7=2 8=3 10=0", "1m"),
            ("Gemm l 1 1 a b 6=1 7=2 8=3 10=1", "2m"),
            ("Gemm l 1 1 a b 6=1 7=2 8=3 10=3", "6m"),
            ("Gemm l 1 1 a b 4=1 5=1 7=2 8=3 9=4 18=2", "8m 12m 2 1"),
            ("Gemm l 1 1 a b 18=4", "unknown"),
            ("MultiHeadAttention l 1 1 a b 0=4 1=2 2=24", "24m 4 16m 4 16m 4 24m 6"),
            ("MultiHeadAttention l 1 1 a b 0=4 2=16 3=2 4=3", "16m 4 8m 4 12m 4 16m 4"),
            ("MultiHeadAttention l 1 1 a b 0=4 2=16 18=1", "16m 4 16m 4 16m 4 16m 4 4 4 4 1"),
            ("MultiHeadAttention l 1 1 a b 0=4 18=4", "unknown"),
            ("MultiHeadAttention l 1 1 a b 2=16", "unknown"),
            ("RNN l 1 1 a b 0=4 1=12", "12m 4m 16m"),
            ("GRU l 1 1 a b 0=4 1=36", "36m 16m 48m"),
            ("LSTM l 1 1 a b 0=4 1=48", "48m 16m 64m"),
            ("LSTM l 1 1 a b 0=4 1=96 2=2", "96m 32m 128m"),
            ("LSTM l 1 1 a b 0=4 1=96 3=8", "96m 32m 128m 32m"),
            ("LSTM l 1 1 a b 0=4 1=48 8=1", "48m 16m 64m 16 16"),
            ("LSTM l 1 1 a b 1=48", "unknown"),
        ];
        let wrong: Vec<_> = cases.iter().filter(|(layer, want)| shown(layer) != *want).collect();
        let got: Vec<_> = wrong.iter().map(|(layer, want)| format!("{layer}: {}, not {want}", shown(layer))).collect();
        assert!(got.is_empty(), "{got:#?}");
    }
}
