//! The lines of a `.param` text and the places of all words, so that a change keeps all other bytes.

use std::{collections::HashMap, ops::Range};

use crate::{
    error::{Error, ErrorKind},
    graph::{Model, NodeId, Value, ValueId},
    source::Source,
};

/// The inputs or the outputs of a node.
type Ends = Vec<Option<ValueId>>;

/// The number that every file begins with.
const MARK: &[u8] = b"7767517";

/// Limits of a text.
pub(crate) struct TextLimits {
    /// Bytes of the text.
    pub(crate) bytes: u64,
    /// Bytes of a type or a name; ncnn reads longer ones as two.
    pub(crate) name: usize,
}

/// The limits of both kinds of `.param`.
pub(crate) const TEXT_LIMITS: TextLimits = TextLimits { bytes: 64 << 20, name: 255 };

/// A line that describes a layer.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The number of the line, from 1.
    pub(crate) number: usize,
    /// The line with its end.
    pub(crate) span: Range<usize>,
    /// Its words.
    pub(crate) words: Vec<Range<usize>>,
    /// How many blobs are read.
    pub(crate) inputs: usize,
    /// How many blobs are made.
    pub(crate) outputs: usize,
}

impl Line {
    /// Returns the words that name what is read.
    pub(crate) fn read(&self) -> &[Range<usize>] {
        &self.words[4..4 + self.inputs]
    }

    /// Returns the words that name what is made.
    pub(crate) fn made(&self) -> &[Range<usize>] {
        &self.words[4 + self.inputs..4 + self.inputs + self.outputs]
    }

    /// Returns the words after the names.
    pub(crate) fn rest(&self) -> &[Range<usize>] {
        &self.words[4 + self.inputs + self.outputs..]
    }

    /// Returns the place of the line, for errors.
    pub(crate) fn place(&self) -> String {
        format!("line {}", self.number)
    }
}

/// A `.param` text, cut into lines and words.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    /// The counts of layers and blobs, and their places.
    pub(crate) counts: [(Range<usize>, usize); 2],
    pub(crate) layers: Vec<Line>,
    /// The lines after the last layer that is counted.
    pub(crate) beyond: Vec<usize>,
}

/// Says whether the first bytes are those of a `.param`.
pub(crate) fn is_marked(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    head.strip_prefix(MARK).is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// Says whether a `.param` is pnnx's: its operators come with a dot, its shapes with a hash. A file with an `Input` is
/// ncnn's, though pnnx may have left one of its own operators in it.
pub(crate) fn is_pnnx(head: &[u8]) -> bool {
    let lines = || head.split(|&byte| byte == b'\n').skip(2).filter(|line| !line.trim_ascii().is_empty());
    let is_input = |line: &[u8]| words(line, 0).first().is_some_and(|word| &line[word.clone()] == b"Input");
    let dotted = |line: &[u8]| {
        line.trim_ascii_start().starts_with(b"pnnx.")
            || words(line, 0).iter().skip(4).any(|word| line[word.start] == b'#')
    };
    lines().any(dotted) && !lines().any(is_input)
}

/// Cuts a line into words; a quoted value is part of its word.
fn words(line: &[u8], offset: usize) -> Vec<Range<usize>> {
    let (mut words, mut at) = (Vec::new(), 0);
    while at < line.len() {
        if line[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        while at < line.len() && !line[at].is_ascii_whitespace() {
            if line[at] == b'"' && at > start && line[at - 1] == b'=' {
                let rest = &line[at + 1..];
                at += rest.iter().position(|&byte| byte == b'"').map_or(0, |length| length + 1);
            }
            at += 1;
        }
        words.push(start + offset..at + offset);
    }
    words
}

impl Text {
    /// Reads a text and its counts; a layer has as many names as it says.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] with the line, [`ErrorKind::Limit`] for a text that is too long.
    pub(crate) fn read(source: &Source) -> Result<Self, Error> {
        if source.len() > TEXT_LIMITS.bytes {
            let message = format!("the text has {} bytes; the limit is {}", source.len(), TEXT_LIMITS.bytes);
            return Err(Error::new(ErrorKind::Limit, message));
        }
        Self::parse(source.read(0, source.len() as usize)?)
    }

    fn parse(bytes: Vec<u8>) -> Result<Self, Error> {
        let mut lines = Lines { bytes: &bytes, at: 0, number: 0 };
        let mark = lines.next_full().ok_or_else(|| Error::format("the text is empty; a .param begins with 7767517"))?;
        if mark.words.len() != 1 || &bytes[mark.words[0].clone()] != MARK {
            let message = "a .param begins with a line 7767517; older files and binary ones are not read";
            return Err(Error::format(message).at("line 1"));
        }
        let header = lines.next_full().ok_or_else(|| {
            Error::format("the text ends after its first line; the counts of layers and blobs follow").at("line 2")
        })?;
        let [layers, blobs] = &header.words[..] else {
            let message = format!("this line has two counts, of layers and of blobs, not {}", header.words.len());
            return Err(Error::format(message).at(header.place()));
        };
        let count = |word: &Range<usize>, what: &str| {
            let text = String::from_utf8_lossy(&bytes[word.clone()]);
            // A layer has a line, and a blob a name in it.
            text.parse().ok().filter(|&count: &usize| count >= 1 && count <= bytes.len()).ok_or_else(|| {
                let message =
                    format!("{text} {what} cannot be; a count is 1 or more, and no more than the text has room for");
                Error::format(message).at(header.place())
            })
        };
        let counts = [(layers.clone(), count(layers, "layers")?), (blobs.clone(), count(blobs, "blobs")?)];
        let (mut layers, mut beyond) = (Vec::new(), Vec::new());
        while let Some(line) = lines.next_full() {
            if layers.len() == counts[0].1 {
                beyond.push(line.number);
            } else {
                layers.push(layer(&bytes, line)?);
            }
        }
        if layers.len() < counts[0].1 {
            let message = format!("the text has {} layers, but line 2 says {}", layers.len(), counts[0].1);
            return Err(Error::format(message).at(format!("line {}", lines.number.max(2))));
        }
        Ok(Self { bytes, counts, layers, beyond })
    }

    /// Returns a word, with a mark for bytes that are not UTF-8.
    pub(crate) fn word(&self, word: &Range<usize>) -> String {
        String::from_utf8_lossy(&self.bytes[word.clone()]).into_owned()
    }

    /// Numbers the blobs in the order in which they are made, and checks that each is made once, before it is read.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] with the line; for names as for counts.
    pub(crate) fn blobs(&self) -> Result<HashMap<&[u8], usize>, Error> {
        let makers: HashMap<&[u8], usize> = (self.layers.iter())
            .flat_map(|line| line.made().iter().map(|word| (&self.bytes[word.clone()], line.number)))
            .collect();
        let mut blobs: HashMap<&[u8], usize> = HashMap::new();
        for line in &self.layers {
            let what = || format!("{} {}", self.word(&line.words[0]), self.word(&line.words[1]));
            for word in line.read() {
                let name = &self.bytes[word.clone()];
                if blobs.contains_key(name) {
                    continue;
                }
                let name = String::from_utf8_lossy(name);
                let why = match makers.get(name.as_bytes()) {
                    Some(&maker) if maker == line.number => "its own output".to_owned(),
                    Some(maker) => format!("which line {maker} computes; a layer must come after the layers it reads"),
                    None => "which no layer computes".to_owned(),
                };
                return Err(Error::format(format!("{} reads {name}, {why}", what())).at(line.place()));
            }
            for word in line.made() {
                let (name, next) = (&self.bytes[word.clone()], blobs.len());
                if blobs.insert(name, next).is_some() {
                    let name = String::from_utf8_lossy(name);
                    let message =
                        format!("{} makes {name}, which an earlier layer makes; give it another name", what());
                    return Err(Error::format(message).at(line.place()));
                }
            }
        }
        let claimed = self.counts[1].1;
        if blobs.len() > claimed {
            let message =
                format!("line 2 says {claimed} blobs, but the layers make {}; write that number", blobs.len());
            return Err(Error::format(message).at("line 2"));
        }
        Ok(blobs)
    }

    /// Returns what the next node of a model reads, and adds the values that it makes.
    pub(crate) fn ends(&self, model: &mut Model, line: &Line, blobs: &HashMap<&[u8], usize>) -> (Ends, Ends) {
        let node = NodeId(model.nodes.len() as u32);
        let inputs = line.read().iter().map(|word| blobs.get(&self.bytes[word.clone()]));
        let inputs = inputs.map(|blob| blob.map(|&blob| ValueId(blob as u32))).collect();
        let outputs = line.made().iter().enumerate().map(|(k, word)| {
            let value = Value { name: self.word(word), producer: Some((node, k)), ..Value::default() };
            model.values.push(value);
            Some(ValueId(model.values.len() as u32 - 1))
        });
        (inputs, outputs.collect())
    }

    /// Lists what is odd but does no harm.
    pub(crate) fn remarks(&self, blobs: usize) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(first) = self.beyond.first() {
            let (count, layers) = (self.beyond.len(), self.counts[0].1);
            remarks.push(format!(
                "line 2 says {layers} layers; {count} more from line {first} on are left alone, as ncnn does"
            ));
        }
        if self.counts[1].1 > blobs {
            remarks.push(format!("line 2 says {} blobs, the layers make {blobs}", self.counts[1].1));
        }
        remarks
    }
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

impl Lines<'_> {
    /// Returns the next line that has a word.
    fn next_full(&mut self) -> Option<Line> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            let length = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
            let span = self.at..self.at + length;
            self.at = span.end;
            self.number += 1;
            let words = words(&self.bytes[span.clone()], span.start);
            if !words.is_empty() {
                return Some(Line { number: self.number, span, words, inputs: 0, outputs: 0 });
            }
        }
        None
    }
}

/// Reads the counts of a layer's line.
fn layer(bytes: &[u8], mut line: Line) -> Result<Line, Error> {
    let words = line.words.len();
    if words < 4 {
        let message = format!("a layer has a type, a name and two counts, but this line has {words} words");
        return Err(Error::format(message).at(line.place()));
    }
    let count = |at: usize, what: &str| {
        let text = String::from_utf8_lossy(&bytes[line.words[at].clone()]);
        text.parse().ok().filter(|&count: &usize| count <= words).ok_or_else(|| {
            let message = format!("{text} {what} cannot be: the line has {} words after its counts", words - 4);
            Error::format(message).at(line.place())
        })
    };
    let (inputs, outputs) = (count(2, "inputs")?, count(3, "outputs")?);
    let names = 4 + inputs + outputs;
    if names > words {
        let message = format!("the layer has {inputs} inputs and {outputs} outputs, but {} words follow", words - 4);
        return Err(Error::format(message).at(line.place()));
    }
    if let Some(long) = line.words[..names].iter().find(|word| word.len() > TEXT_LIMITS.name) {
        let message = format!("a name of {} bytes; the limit of ncnn is {}", long.len(), TEXT_LIMITS.name);
        return Err(Error::format(message).at(line.place()));
    }
    (line.inputs, line.outputs) = (inputs, outputs);
    Ok(line)
}
