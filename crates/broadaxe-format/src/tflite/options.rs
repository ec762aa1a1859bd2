//! Reads the options of operators as attributes, under the names of the schema.
//!
//! A field that a file leaves out has its default, and becomes an attribute all the same; a list that is left out does not.
//! Source: `schema.fbs` of LiteRT, as the package ai-edge-litert 2.3.0 has it.

use super::{
    flat::{FlatReader, FlatTable},
    schema::element,
};
use crate::{
    error::{Error, ErrorKind},
    graph::Attribute,
};

/// The most elements of an attribute that is a list.
const LIST_LIMIT: usize = 1 << 16;

/// One field of a table of options.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionField {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
}

/// What a field of options holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holds {
    /// Nothing that is read.
    Nothing,
    /// A whole number of four bytes, and its default.
    Int(i32),
    /// A whole number of eight bytes.
    Long,
    /// A truth value, and its default.
    Flag(u8),
    /// A floating-point number.
    Float,
    /// A text.
    Text,
    /// One of these words, by a number of one byte.
    Word(&'static [&'static str]),
    /// One of these words, by a number of four bytes.
    Wide(&'static [&'static str]),
    /// A type of elements, and its default.
    Type(i8),
    /// A subgraph.
    Body,
    /// A list of subgraphs.
    Bodies,
    /// A list of whole numbers of four bytes.
    Ints,
    /// A list of whole numbers of eight bytes.
    Longs,
    /// A list of floating-point numbers.
    Floats,
}

const ACTIVATION: &[&str] = &["NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"];
const PADDING: &[&str] = &["SAME", "VALID"];
const WEIGHTS: &[&str] = &["DEFAULT", "SHUFFLED4x16INT8"];
const KERNEL: &[&str] = &["FULL", "BASIC"];
const COMBINER: &[&str] = &["SUM", "MEAN", "SQRTN"];
const MIRROR: &[&str] = &["REFLECT", "SYMMETRIC"];
const DIRECTION: &[&str] = &["EQ", "NE", "GE", "GT", "LE", "LT"];
const COMPARISON: &[&str] = &["NOTYPE", "FLOAT", "FLOAT_TOTAL_ORDER", "SIGNED", "UNSIGNED"];
const ALGORITHM: &[&str] = &["DEFAULT", "PHILOX", "THREEFRY"];
const REDUCTION: &[&str] = &["UNSUPPORTED", "ADD", "MUL", "MINIMUM", "MAXIMUM", "ALL", "ANY"];

const fn option(name: &'static str, holds: Holds) -> OptionField {
    OptionField { name, holds }
}

const fn none() -> OptionField {
    option("", Holds::Nothing)
}

const fn int(name: &'static str, default: i32) -> OptionField {
    option(name, Holds::Int(default))
}

const fn long(name: &'static str) -> OptionField {
    option(name, Holds::Long)
}

const fn flag(name: &'static str, default: u8) -> OptionField {
    option(name, Holds::Flag(default))
}

const fn float(name: &'static str) -> OptionField {
    option(name, Holds::Float)
}

const fn text(name: &'static str) -> OptionField {
    option(name, Holds::Text)
}

const fn word(name: &'static str, words: &'static [&'static str]) -> OptionField {
    option(name, Holds::Word(words))
}

const fn wide(name: &'static str, words: &'static [&'static str]) -> OptionField {
    option(name, Holds::Wide(words))
}

const fn typed(name: &'static str, default: i8) -> OptionField {
    option(name, Holds::Type(default))
}

const fn body(name: &'static str) -> OptionField {
    option(name, Holds::Body)
}

const fn bodies(name: &'static str) -> OptionField {
    option(name, Holds::Bodies)
}

const fn ints(name: &'static str) -> OptionField {
    option(name, Holds::Ints)
}

const fn longs(name: &'static str) -> OptionField {
    option(name, Holds::Longs)
}

const fn floats(name: &'static str) -> OptionField {
    option(name, Holds::Floats)
}

/// The options of builtin operators, by the number of their type.
static OPTIONS: &[(u8, &[OptionField])] = &[
    (
        1,
        &[
            word("padding", PADDING),
            int("stride_w", 0),
            int("stride_h", 0),
            word("fused_activation_function", ACTIVATION),
            int("dilation_w_factor", 1),
            int("dilation_h_factor", 1),
            typed("quantized_bias_type", 0),
        ],
    ),
    (
        2,
        &[
            word("padding", PADDING),
            int("stride_w", 0),
            int("stride_h", 0),
            int("depth_multiplier", 0),
            word("fused_activation_function", ACTIVATION),
            int("dilation_w_factor", 1),
            int("dilation_h_factor", 1),
        ],
    ),
    (3, &[int("num_channels", 0), ints("num_columns_per_channel"), ints("embedding_dim_per_channel")]),
    (
        5,
        &[
            word("padding", PADDING),
            int("stride_w", 0),
            int("stride_h", 0),
            int("filter_width", 0),
            int("filter_height", 0),
            word("fused_activation_function", ACTIVATION),
        ],
    ),
    (6, &[int("rank", 0), word("fused_activation_function", ACTIVATION), flag("asymmetric_quantize_inputs", 0)]),
    (7, &[word("fused_activation_function", ACTIVATION), flag("asymmetric_quantize_inputs", 0)]),
    (
        8,
        &[
            word("fused_activation_function", ACTIVATION),
            word("weights_format", WEIGHTS),
            flag("keep_num_dims", 0),
            flag("asymmetric_quantize_inputs", 0),
            typed("quantized_bias_type", 0),
        ],
    ),
    (9, &[float("beta")]),
    (10, &[int("axis", 0), word("fused_activation_function", ACTIVATION)]),
    (11, &[word("fused_activation_function", ACTIVATION), flag("pot_scale_int16", 1)]),
    (12, &[word("fused_activation_function", ACTIVATION)]),
    (13, &[int("radius", 0), float("bias"), float("alpha"), float("beta")]),
    (
        14,
        &[
            word("fused_activation_function", ACTIVATION),
            float("cell_clip"),
            float("proj_clip"),
            word("kernel_type", KERNEL),
            flag("asymmetric_quantize_inputs", 0),
        ],
    ),
    (15, &[none(), none(), flag("align_corners", 0), flag("half_pixel_centers", 0)]),
    (16, &[body("subgraph")]),
    (17, &[ints("new_shape")]),
    (18, &[int("ngram_size", 0), int("max_skip_size", 0), flag("include_all_ngrams", 0)]),
    (19, &[int("block_size", 0)]),
    (20, &[word("combiner", COMBINER)]),
    (21, &[word("fused_activation_function", ACTIVATION)]),
    (23, &[int("axis", 0), int("batch_dims", 0)]),
    (27, &[flag("keep_dims", 0)]),
    (28, &[word("fused_activation_function", ACTIVATION), flag("pot_scale_int16", 1)]),
    (29, &[word("fused_activation_function", ACTIVATION)]),
    (30, &[ints("squeeze_dims")]),
    (
        31,
        &[flag("time_major", 0), word("fused_activation_function", ACTIVATION), flag("asymmetric_quantize_inputs", 0)],
    ),
    (
        32,
        &[
            int("begin_mask", 0),
            int("end_mask", 0),
            int("ellipsis_mask", 0),
            int("new_axis_mask", 0),
            int("shrink_axis_mask", 0),
            flag("offset", 0),
        ],
    ),
    (34, &[int("num_splits", 0)]),
    (37, &[typed("in_data_type", 0), typed("out_data_type", 0)]),
    (40, &[typed("output_type", 0)]),
    (
        49,
        &[
            word("padding", PADDING),
            int("stride_w", 0),
            int("stride_h", 0),
            word("fused_activation_function", ACTIVATION),
            typed("quantized_bias_type", 0),
        ],
    ),
    (50, &[flag("validate_indices", 0)]),
    (55, &[typed("out_type", 0)]),
    (57, &[typed("output_type", 0)]),
    (58, &[float("min"), float("max"), int("num_bits", 0), flag("narrow_range", 0)]),
    (59, &[int("values_count", 0), int("axis", 0)]),
    (61, &[int("axis", 0)]),
    (64, &[int("num", 0), int("axis", 0)]),
    (
        69,
        &[
            word("fused_activation_function", ACTIVATION),
            float("cell_clip"),
            float("proj_clip"),
            flag("merge_outputs", 0),
            flag("time_major", 1),
            flag("asymmetric_quantize_inputs", 0),
        ],
    ),
    (
        70,
        &[
            flag("time_major", 0),
            word("fused_activation_function", ACTIVATION),
            flag("merge_outputs", 0),
            flag("asymmetric_quantize_inputs", 0),
        ],
    ),
    (
        71,
        &[
            word("fused_activation_function", ACTIVATION),
            float("cell_clip"),
            float("proj_clip"),
            flag("time_major", 0),
            flag("asymmetric_quantize_inputs", 0),
            flag("diagonal_recurrent_tensors", 0),
        ],
    ),
    (74, &[flag("align_corners", 0), flag("half_pixel_centers", 0)]),
    (75, &[float("alpha")]),
    (77, &[word("mode", MIRROR)]),
    (79, &[int("num_splits", 0)]),
    (80, &[typed("idx_out_type", 2)]),
    (87, &[int("seq_dim", 0), int("batch_dim", 0)]),
    (92, &[body("then_subgraph_index"), body("else_subgraph_index")]),
    (93, &[body("cond_subgraph_index"), body("body_subgraph_index")]),
    (94, &[int("block_size", 0)]),
    (101, &[flag("adj_x", 0), flag("adj_y", 0), flag("asymmetric_quantize_inputs", 0)]),
    (102, &[flag("exclusive", 0), flag("reverse", 0)]),
    (103, &[body("init_subgraph_index")]),
    (
        106,
        &[
            word("padding", PADDING),
            int("stride_d", 0),
            int("stride_w", 0),
            int("stride_h", 0),
            word("fused_activation_function", ACTIVATION),
            int("dilation_d_factor", 1),
            int("dilation_w_factor", 1),
            int("dilation_h_factor", 1),
        ],
    ),
    (107, &[int("table_id", 0), typed("key_dtype", 0), typed("value_dtype", 0)]),
    (111, &[text("container"), text("shared_name")]),
    (114, &[long("seed"), long("seed2")]),
    (115, &[floats("boundaries")]),
    (116, &[flag("approximate", 0)]),
];

/// The second kind of options, which operators of StableHLO have.
static LATER_OPTIONS: &[(u8, &[OptionField])] = &[
    (1, &[long("dimension")]),
    (2, &[longs("broadcast_dimensions")]),
    (3, &[longs("start_indices"), longs("limit_indices"), longs("strides")]),
    (
        4,
        &[
            longs("window_strides"),
            longs("padding"),
            longs("lhs_dilation"),
            longs("rhs_dilation"),
            option("window_reversal", Holds::Nothing),
            long("input_batch_dimension"),
            long("input_feature_dimension"),
            longs("input_spatial_dimensions"),
            long("kernel_input_feature_dimension"),
            long("kernel_output_feature_dimension"),
            longs("kernel_spatial_dimensions"),
            long("output_batch_dimension"),
            long("output_feature_dimension"),
            longs("output_spatial_dimensions"),
            long("feature_group_count"),
            long("batch_group_count"),
        ],
    ),
    (
        5,
        &[
            text("call_target_name"),
            flag("has_side_effect", 0),
            text("backend_config"),
            int("api_version", 0),
            bodies("called_computations"),
        ],
    ),
    (6, &[longs("dimensions"), body("body_subgraph_index")]),
    (
        7,
        &[
            flag("indices_are_sorted", 0),
            longs("update_window_dims"),
            longs("inserted_window_dims"),
            longs("scatter_dims_to_operand_dims"),
            long("index_vector_dim"),
            flag("unique_indices", 0),
            body("update_computation_subgraph_index"),
        ],
    ),
    (8, &[wide("comparison_direction", DIRECTION), wide("compare_type", COMPARISON)]),
    (9, &[longs("slice_sizes")]),
    (10, &[longs("edge_padding_low"), longs("edge_padding_high"), longs("interior_padding")]),
    (11, &[long("iota_dimension")]),
    (
        12,
        &[
            longs("lhs_batching_dimensions"),
            longs("rhs_batching_dimensions"),
            longs("lhs_contracting_dimensions"),
            longs("rhs_contracting_dimensions"),
        ],
    ),
    (
        13,
        &[
            longs("window_dimensions"),
            longs("window_strides"),
            longs("base_dilations"),
            longs("window_dilations"),
            longs("padding"),
            body("body_subgraph_index"),
        ],
    ),
    (14, &[long("dimension"), flag("is_stable", 0), body("comparator_subgraph_index")]),
    (15, &[body("cond_subgraph_index"), body("body_subgraph_index")]),
    (
        16,
        &[
            longs("offset_dims"),
            longs("collapsed_slice_dims"),
            longs("start_index_map"),
            long("index_vector_dim"),
            longs("slice_sizes"),
            flag("indices_are_sorted", 0),
        ],
    ),
    (17, &[longs("permutation")]),
    (19, &[word("algorithm", ALGORITHM)]),
    (20, &[wide("reduce_function", REDUCTION)]),
    (21, &[text("name"), body("decomposition_subgraph_index")]),
    (23, &[bodies("branch_subgraph_indices")]),
];

/// The type of the options of operators that changes add or give other options.
const OPTIONS_OF: &[(&str, u8)] =
    &[("ADD", 11), ("MUL", 21), ("SUB", 28), ("DIV", 29), ("RESHAPE", 17), ("LEAKY_RELU", 75), ("GELU", 116)];

/// Returns the type of an operator's options; 0 for one that has none or is not listed.
pub(super) fn options_of(op: &str) -> u8 {
    OPTIONS_OF.iter().find(|(known, _)| *known == op).map_or(0, |(_, kind)| *kind)
}

/// The attributes of an operator, and the subgraphs among them: which attribute names which.
#[derive(Debug, Default)]
pub(super) struct OptionsRead {
    pub(super) attributes: Vec<(String, Attribute)>,
    pub(super) calls: Vec<(usize, Vec<i32>)>,
}

/// Returns the fields of options of a type; `later` says of which kind they are.
pub(super) fn fields(kind: u8, later: bool) -> &'static [OptionField] {
    let table = if later { LATER_OPTIONS } else { OPTIONS };
    table.iter().find(|(known, _)| *known == kind).map_or(&[], |(_, fields)| fields)
}

impl OptionsRead {
    /// Reads a table of options.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] for a damaged table, [`ErrorKind::Limit`] for a list that is too long.
    pub(super) fn read(
        &mut self,
        flat: &FlatReader<'_>,
        table: FlatTable,
        fields: &[OptionField],
    ) -> Result<(), Error> {
        for (k, field) in fields.iter().enumerate() {
            let value = match field.holds {
                Holds::Body => Some(self.called(vec![flat.int(table, k)?.unwrap_or(0)])),
                Holds::Bodies => {
                    Some(self.called(list(flat, table, k, 4)?.map_or(Ok(Vec::new()), |()| flat.ints(table, k))?))
                }
                _ => value(flat, table, k, field.holds)?,
            };
            self.attributes.extend(value.map(|value| (field.name.to_owned(), value)));
        }
        Ok(())
    }

    fn called(&mut self, graphs: Vec<i32>) -> Attribute {
        let written = match graphs[..] {
            [graph] => Attribute::Int(graph.into()),
            _ => Attribute::Ints(graphs.iter().map(|&graph| graph.into()).collect()),
        };
        self.calls.push((self.attributes.len(), graphs));
        written
    }
}

/// Checks the length of a list; nothing where the table does not have it.
fn list(flat: &FlatReader<'_>, table: FlatTable, field: usize, width: u64) -> Result<Option<()>, Error> {
    if flat.field(table, field)?.is_none() {
        return Ok(None);
    }
    let vector = flat.vector(table, field, width)?;
    if vector.len > LIST_LIMIT {
        let message = format!("a list of options has {} elements; the limit is {LIST_LIMIT}", vector.len);
        return Err(Error::new(ErrorKind::Limit, message).at(format_args!("byte {}", vector.at)));
    }
    Ok(Some(()))
}

fn value(flat: &FlatReader<'_>, table: FlatTable, k: usize, holds: Holds) -> Result<Option<Attribute>, Error> {
    let named = |words: &[&str], code: i64| {
        let word = usize::try_from(code).ok().and_then(|code| words.get(code));
        word.map_or(Attribute::Int(code), |word| Attribute::Text((*word).to_owned()))
    };
    let signed = |default: i8| Ok::<_, Error>(flat.byte(table, k)?.map_or(default, u8::cast_signed));
    Ok(Some(match holds {
        Holds::Int(default) => Attribute::Int(flat.int(table, k)?.unwrap_or(default).into()),
        Holds::Long => Attribute::Int(flat.long(table, k)?.unwrap_or(0).cast_signed()),
        Holds::Flag(default) => Attribute::Int((flat.byte(table, k)?.unwrap_or(default) != 0).into()),
        Holds::Float => Attribute::Float(flat.float(table, k)?.unwrap_or(0.0).into()),
        Holds::Text => Attribute::Text(flat.text(table, k)?),
        Holds::Word(words) => named(words, signed(0)?.into()),
        Holds::Wide(words) => named(words, flat.int(table, k)?.unwrap_or(0).into()),
        Holds::Type(default) => Attribute::Text(element(signed(default)?).to_string()),
        Holds::Ints if list(flat, table, k, 4)?.is_some() => {
            Attribute::Ints(flat.ints(table, k)?.into_iter().map(i64::from).collect())
        }
        Holds::Longs if list(flat, table, k, 8)?.is_some() => Attribute::Ints(flat.longs(table, k)?),
        Holds::Floats if list(flat, table, k, 4)?.is_some() => {
            Attribute::Floats(flat.floats(table, k)?.into_iter().map(f64::from).collect())
        }
        _ => return Ok(None),
    }))
}
