//! A `.param` text as a list of layers that can be changed; unchanged words keep their bytes.

pub(crate) mod change;

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::text::Text;
use crate::{
    edit::{Names, Piece, Splice, rejected},
    error::Error,
    graph::NodeId,
};

/// A layer, one of the text or a new one.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Which layer of the text it is.
    pub(crate) from: Option<usize>,
    pub(crate) op: String,
    pub(crate) name: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
    /// The words after the names, each with its place among those of the text.
    pub(crate) rest: Vec<(Option<usize>, String)>,
}

impl Item {
    /// Makes a new layer.
    pub(crate) fn new(op: &str, name: String, inputs: Vec<String>, outputs: Vec<String>) -> Self {
        Self { from: None, op: op.to_owned(), name, inputs, outputs, rest: Vec::new() }
    }

    /// Adds words.
    pub(crate) fn with(mut self, words: impl IntoIterator<Item = String>) -> Self {
        self.rest.extend(words.into_iter().map(|word| (None, word)));
        self
    }

    /// Replaces the first word that satisfies `is` and removes the others; appends the word where there is none.
    pub(crate) fn set(&mut self, is: impl Fn(&str) -> bool, word: Option<String>) {
        let mut word = word;
        self.rest.retain_mut(|(_, old)| {
            if !is(old) {
                return true;
            }
            word.take().is_some_and(|new| {
                *old = new;
                true
            })
        });
        self.rest.extend(word.map(|word| (None, word)));
    }

    fn line(&self, end: &str) -> String {
        let counts = format!("{:<24} {:<24} {} {}", self.op, self.name, self.inputs.len(), self.outputs.len());
        let names = self.inputs.iter().chain(&self.outputs);
        let words = names.chain(self.rest.iter().map(|(_, word)| word));
        words.fold(counts, |line, word| line + " " + word) + end
    }
}

/// The layers of a text that is changed.
pub(crate) struct ParamDraft<'a> {
    text: &'a Text,
    pub(crate) items: Vec<Item>,
    /// Names of layers and blobs.
    names: Names,
}

impl<'a> ParamDraft<'a> {
    /// Lists the layers of a text.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] when the text is not UTF-8, since names could not be preserved.
    pub(crate) fn new(text: &'a Text) -> Result<Self, Error> {
        if std::str::from_utf8(&text.bytes).is_err() {
            return Err(rejected("the text is not UTF-8, so it cannot be changed; convert it first"));
        }
        let words = |words: &[Range<usize>]| words.iter().map(|word| text.word(word)).collect::<Vec<_>>();
        let items: Vec<Item> = (text.layers.iter().enumerate())
            .map(|(index, line)| Item {
                from: Some(index),
                op: text.word(&line.words[0]),
                name: text.word(&line.words[1]),
                inputs: words(line.read()),
                outputs: words(line.made()),
                rest: words(line.rest()).into_iter().enumerate().map(|(k, word)| (Some(k), word)).collect(),
            })
            .collect();
        let names = items.iter().flat_map(|item| item.outputs.iter().chain([&item.name]));
        let names = Names::new(names, 1);
        Ok(Self { text, items, names })
    }

    /// Makes a unique name.
    pub(crate) fn fresh(&mut self, base: &str) -> String {
        // Leaves room for a number: ncnn limits the length of names.
        let end = base.char_indices().map(|(at, _)| at).take_while(|&at| at <= 230).last().unwrap_or(0);
        let base = if base.len() > 240 { &base[..end] } else { base };
        self.names.unique(base)
    }

    /// Finds the layer of a node.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] when another change removed it.
    pub(crate) fn find(&self, node: NodeId) -> Result<usize, Error> {
        self.items
            .iter()
            .position(|item| item.from == Some(node.0 as usize))
            .ok_or_else(|| rejected(format!("node {} is replaced by another change; make only one of the two", node.0)))
    }

    /// Inserts a `Split` for every blob that got more readers, since a blob of ncnn has one reader.
    pub(crate) fn split(&mut self) {
        let mut readers: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        let mut grown: HashSet<String> = HashSet::new();
        for (index, item) in self.items.iter().enumerate() {
            let line = item.from.map(|from| &self.text.layers[from]);
            for (k, name) in item.inputs.iter().enumerate() {
                readers.entry(name.clone()).or_default().push((index, k));
                if line.is_none_or(|line| self.text.word(&line.read()[k]) != *name) {
                    grown.insert(name.clone());
                }
            }
        }
        let mut splits: Vec<(usize, Item)> = Vec::new();
        let mut shared: Vec<_> =
            readers.into_iter().filter(|(name, uses)| uses.len() > 1 && grown.contains(name)).collect();
        shared.sort_by_key(|(_, uses)| uses[0]);
        for (name, uses) in shared {
            let copies: Vec<String> = (0..uses.len()).map(|k| self.fresh(&format!("{name}_split_{k}"))).collect();
            for (&(index, k), copy) in uses.iter().zip(&copies) {
                self.items[index].inputs[k].clone_from(copy);
            }
            let layer = self.fresh(&format!("split_{name}"));
            splits.push((uses[0].0, Item::new("Split", layer, vec![name], copies)));
        }
        for (index, split) in splits.into_iter().rev() {
            self.items.insert(index, split);
        }
    }

    /// Writes the text; unchanged words keep their bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] when two changes overlap.
    pub(crate) fn write(&self) -> Result<Vec<Piece>, Error> {
        let end = if self.text.bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
        let mut patches = Splice::default();
        self.counts(&mut patches);
        let mut kept = vec![false; self.text.layers.len()];
        let mut new = String::new();
        for item in &self.items {
            let Some(from) = item.from else {
                new += &item.line(end);
                continue;
            };
            let start = self.text.layers[from].span.start;
            if !new.is_empty() {
                patches.insert(start, std::mem::take(&mut new));
            }
            kept[from] = true;
            self.patch(item, from, &mut patches);
        }
        if !new.is_empty() {
            let at = self.text.layers.last().map_or(self.text.bytes.len(), |line| line.span.end);
            let bare = self.text.bytes[..at].last().is_some_and(|&byte| byte != b'\n');
            patches.insert(at, if bare { end.to_owned() + new.trim_end() } else { new });
        }
        let gone = self.text.layers.iter().zip(kept).filter(|(_, kept)| !kept);
        gone.for_each(|(line, _)| patches.remove(line.span.clone()));
        patches.pieces(self.text.bytes.len() as u64)
    }

    /// Adjusts the counts of layers and blobs.
    fn counts(&self, patches: &mut Splice) {
        let blobs = self.items.iter().map(|item| item.outputs.len()).sum::<usize>();
        let before = self.text.layers.iter().map(|line| line.outputs).sum::<usize>();
        let [(layers, claimed_layers), (names, claimed_blobs)] = &self.text.counts;
        let now = claimed_layers + self.items.len() - self.text.layers.len();
        if now != *claimed_layers {
            patches.text(layers.clone(), now.to_string());
        }
        let now = claimed_blobs + blobs - before;
        if now != *claimed_blobs {
            patches.text(names.clone(), now.to_string());
        }
    }

    /// Writes the changed words of a layer.
    fn patch(&self, item: &Item, from: usize, patches: &mut Splice) {
        let line = &self.text.layers[from];
        let mut word = |range: &Range<usize>, text: &str| {
            if self.text.word(range) != text {
                patches.text(range.clone(), text);
            }
        };
        word(&line.words[0], &item.op);
        line.read().iter().zip(&item.inputs).for_each(|(range, name)| word(range, name));
        line.made().iter().zip(&item.outputs).for_each(|(range, name)| word(range, name));
        let mut there = vec![false; line.rest().len()];
        for (k, text) in item.rest.iter().filter_map(|(k, text)| k.map(|k| (k, text))) {
            there[k] = true;
            word(&line.rest()[k], text);
        }
        for (range, there) in line.rest().iter().zip(there) {
            if !there {
                // With the space before it.
                let space = self.text.bytes[..range.start].iter().rev().take_while(|byte| byte.is_ascii_whitespace());
                patches.remove(range.start - space.count()..range.end);
            }
        }
        let new = item.rest.iter().filter(|(k, _)| k.is_none());
        let new = new.fold(String::new(), |words, (_, word)| words + " " + word);
        let end = line.words.last().map_or(line.span.end, |word| word.end);
        if !new.is_empty() {
            patches.insert(end, new);
        }
    }
}
