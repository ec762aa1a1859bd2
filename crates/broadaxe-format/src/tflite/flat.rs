//! Reads FlatBuffers in place: tables, vectors and texts, each checked against the length of the buffer.
//!
//! Offsets can lead many tables to the same bytes, so that a small file asks for endless work. Every byte that is read counts, and
//! a file that asks for many times its own length is rejected. Only the pages that hold tables are in memory, not the weights
//! between them.

use std::{
    cell::{Cell, RefCell},
    ops::Range,
};

use crate::{error::Error, source::Source};

/// The bytes of a page, and how many pages are in memory at most.
const PAGE_BYTES: u64 = 4 << 10;
const PAGES: usize = 4 << 10;
/// How many times the length of a file may be read, and how many bytes of a small one.
const VISITS: u64 = 8;
const LEAST_VISITED: u64 = 1 << 20;
/// The most bytes of a text.
const TEXT_LIMIT: u64 = 1 << 20;

/// A table: where it is, and where its fields are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatTable {
    /// The first byte of the table.
    pub(super) at: u64,
    /// The first byte of its list of fields, the vtable.
    pub(super) fields: u64,
    /// How many fields the list has.
    pub(super) count: usize,
    /// The bytes of the table itself.
    pub(super) size: u64,
}

/// A vector: where its first element is, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FlatVector {
    /// The byte after the length.
    pub(super) at: u64,
    /// The elements.
    pub(super) len: usize,
}

/// Reads one FlatBuffer of a source.
pub(super) struct FlatReader<'a> {
    source: &'a Source,
    span: Range<u64>,
    pages: RefCell<Vec<(u64, Vec<u8>)>>,
    left: Cell<u64>,
}

fn damaged(at: u64, message: impl Into<String>) -> Error {
    Error::format(message).at(format_args!("byte {at}"))
}

impl<'a> FlatReader<'a> {
    /// Makes a reader of these bytes of a source.
    pub(super) fn new(source: &'a Source, span: Range<u64>) -> Self {
        let most = (span.end - span.start).saturating_mul(VISITS).saturating_add(LEAST_VISITED);
        Self { source, span, pages: RefCell::default(), left: Cell::new(most) }
    }

    /// Returns the first byte of the buffer, and the byte after the last.
    pub(super) fn span(&self) -> Range<u64> {
        self.span.clone()
    }

    /// Checks that `len` bytes from `at` are inside the buffer, and counts them.
    fn visit(&self, at: u64, len: u64) -> Result<(), Error> {
        let end = self.span.end;
        if at < self.span.start || at.checked_add(len).is_none_or(|last| last > end) {
            return Err(damaged(at, format!("{len} bytes are needed here, but the FlatBuffer ends at byte {end}")));
        }
        let message = "tables of the file overlap: together they have more than 8 times its bytes";
        let left = self.left.get().checked_sub(len);
        self.left.set(left.ok_or_else(|| damaged(at, message))?);
        Ok(())
    }

    /// Reads bytes.
    pub(super) fn bytes(&self, at: u64, len: u64) -> Result<Vec<u8>, Error> {
        if len == 0 {
            return Ok(Vec::new());
        }
        self.visit(at, len)?;
        if len > PAGE_BYTES {
            return self.source.read(at, len as usize);
        }
        let mut bytes = Vec::with_capacity(len as usize);
        while (bytes.len() as u64) < len {
            let at = at + bytes.len() as u64;
            let wanted = len as usize - bytes.len();
            self.page(at, |page| bytes.extend(page.iter().take(wanted)))?;
        }
        Ok(bytes)
    }

    /// Reads a number of a few bytes.
    fn array<const N: usize>(&self, at: u64) -> Result<[u8; N], Error> {
        self.visit(at, N as u64)?;
        let (mut array, mut filled) = ([0; N], 0);
        while filled < N {
            self.page(at + filled as u64, |page| {
                let count = page.len().min(N - filled);
                array[filled..filled + count].copy_from_slice(&page[..count]);
                filled += count;
            })?;
        }
        Ok(array)
    }

    /// Calls a function with the bytes of a page from `at` on, which is inside the source.
    fn page(&self, at: u64, f: impl FnOnce(&[u8])) -> Result<(), Error> {
        let number = at / PAGE_BYTES;
        let place = number as usize % PAGES;
        let mut pages = self.pages.borrow_mut();
        if pages.len() <= place {
            pages.resize(place + 1, (0, Vec::new()));
        }
        if pages[place].0 != number || pages[place].1.is_empty() {
            let from = number * PAGE_BYTES;
            let len = (self.source.len() - from).min(PAGE_BYTES);
            pages[place] = (number, self.source.read(from, len as usize)?);
        }
        f(&pages[place].1[(at % PAGE_BYTES) as usize..]);
        Ok(())
    }

    /// Returns the table that the first offset of the buffer leads to.
    pub(super) fn root(&self) -> Result<FlatTable, Error> {
        self.table(self.follow(self.span.start)?)
    }

    /// Returns the byte that the offset at `at` leads to.
    pub(super) fn follow(&self, at: u64) -> Result<u64, Error> {
        let offset = u64::from(u32::from_le_bytes(self.array(at)?));
        let end = self.span.end;
        if offset == 0 || at + offset + 4 > end {
            let message = format!("the offset {offset} leads to no table or vector; the FlatBuffer ends at byte {end}");
            return Err(damaged(at, message));
        }
        Ok(at + offset)
    }

    /// Returns the table at a byte.
    pub(super) fn table(&self, at: u64) -> Result<FlatTable, Error> {
        let back = i64::from(i32::from_le_bytes(self.array(at)?));
        let (start, end) = (self.span.start, self.span.end);
        let fields = at.checked_add_signed(-back).filter(|&fields| fields >= start && fields + 4 <= end);
        let fields =
            fields.ok_or_else(|| damaged(at, "the list of fields of this table is outside of the FlatBuffer"))?;
        let (length, size): (u64, u64) = (self.short(fields)?.into(), self.short(fields + 2)?.into());
        if length < 4 || length % 2 == 1 || fields + length > end {
            return Err(damaged(fields, format!("a list of fields cannot have {length} bytes here")));
        }
        if size < 4 || at + size > end {
            return Err(damaged(
                at,
                format!("a table cannot have {size} bytes here; the FlatBuffer ends at byte {end}"),
            ));
        }
        Ok(FlatTable { at, fields, count: (length as usize - 4) / 2, size })
    }

    fn short(&self, at: u64) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array(at)?))
    }

    /// Returns where a field is; nothing where the table does not have it, which means its default.
    pub(super) fn field(&self, table: FlatTable, field: usize) -> Result<Option<u64>, Error> {
        if field >= table.count {
            return Ok(None);
        }
        let entry = table.fields + 4 + 2 * field as u64;
        match self.short(entry)? {
            0 => Ok(None),
            offset if offset < 4 => Err(damaged(entry, format!("a field cannot be at byte {offset} of its table"))),
            offset => Ok(Some(table.at + u64::from(offset))),
        }
    }

    fn value<const N: usize>(&self, table: FlatTable, field: usize) -> Result<Option<[u8; N]>, Error> {
        self.field(table, field)?.map(|at| self.array(at)).transpose()
    }

    /// Reads a field of one byte.
    pub(super) fn byte(&self, table: FlatTable, field: usize) -> Result<Option<u8>, Error> {
        Ok(self.value(table, field)?.map(u8::from_le_bytes))
    }

    /// Reads a field that is true or false.
    pub(super) fn flag(&self, table: FlatTable, field: usize) -> Result<bool, Error> {
        Ok(self.byte(table, field)?.is_some_and(|byte| byte != 0))
    }

    /// Reads a whole number of four bytes.
    pub(super) fn int(&self, table: FlatTable, field: usize) -> Result<Option<i32>, Error> {
        Ok(self.value(table, field)?.map(i32::from_le_bytes))
    }

    /// Reads an index: an unsigned number of four bytes, 0 by default.
    pub(super) fn index(&self, table: FlatTable, field: usize) -> Result<usize, Error> {
        Ok(self.value(table, field)?.map_or(0, u32::from_le_bytes) as usize)
    }

    /// Reads a whole number of eight bytes.
    pub(super) fn long(&self, table: FlatTable, field: usize) -> Result<Option<u64>, Error> {
        Ok(self.value(table, field)?.map(u64::from_le_bytes))
    }

    /// Reads a floating-point number of four bytes.
    pub(super) fn float(&self, table: FlatTable, field: usize) -> Result<Option<f32>, Error> {
        Ok(self.value(table, field)?.map(f32::from_le_bytes))
    }

    /// Reads a field that is a table.
    pub(super) fn child(&self, table: FlatTable, field: usize) -> Result<Option<FlatTable>, Error> {
        self.field(table, field)?.map(|at| self.table(self.follow(at)?)).transpose()
    }

    /// Reads a field that is a vector of elements of `width` bytes; an absent one is empty.
    pub(super) fn vector(&self, table: FlatTable, field: usize, width: u64) -> Result<FlatVector, Error> {
        match self.field(table, field)? {
            Some(at) => self.vector_at(self.follow(at)?, width),
            None => Ok(FlatVector::default()),
        }
    }

    fn vector_at(&self, at: u64, width: u64) -> Result<FlatVector, Error> {
        let (count, end) = (u32::from_le_bytes(self.array(at)?), self.span.end);
        if at + 4 + u64::from(count) * width > end {
            let message = format!("{count} elements of {width} bytes cannot follow; the FlatBuffer ends at byte {end}");
            return Err(damaged(at, message));
        }
        Ok(FlatVector { at: at + 4, len: count as usize })
    }

    /// Returns the table that an entry of a vector of offsets leads to.
    pub(super) fn entry(&self, vector: FlatVector, index: usize) -> Result<FlatTable, Error> {
        self.table(self.follow(vector.at + 4 * index as u64)?)
    }

    /// Reads a vector of numbers of `N` bytes.
    fn numbers<const N: usize>(&self, table: FlatTable, field: usize) -> Result<Vec<[u8; N]>, Error> {
        let vector = self.vector(table, field, N as u64)?;
        let bytes = self.bytes(vector.at, (vector.len * N) as u64)?;
        Ok(bytes.chunks_exact(N).map(|chunk| std::array::from_fn(|k| chunk[k])).collect())
    }

    /// Reads a vector of whole numbers of four bytes.
    pub(super) fn ints(&self, table: FlatTable, field: usize) -> Result<Vec<i32>, Error> {
        Ok(self.numbers(table, field)?.into_iter().map(i32::from_le_bytes).collect())
    }

    /// Reads a vector of whole numbers of eight bytes.
    pub(super) fn longs(&self, table: FlatTable, field: usize) -> Result<Vec<i64>, Error> {
        Ok(self.numbers(table, field)?.into_iter().map(i64::from_le_bytes).collect())
    }

    /// Reads a vector of floating-point numbers of four bytes.
    pub(super) fn floats(&self, table: FlatTable, field: usize) -> Result<Vec<f32>, Error> {
        Ok(self.numbers(table, field)?.into_iter().map(f32::from_le_bytes).collect())
    }

    /// Reads a text; an absent one is empty.
    pub(super) fn text(&self, table: FlatTable, field: usize) -> Result<String, Error> {
        let vector = self.vector(table, field, 1)?;
        if vector.len as u64 > TEXT_LIMIT {
            return Err(damaged(vector.at, format!("this text has {} bytes; the limit is {TEXT_LIMIT}", vector.len)));
        }
        let bytes = self.bytes(vector.at, vector.len as u64)?;
        String::from_utf8(bytes).map_err(|_| damaged(vector.at, "this text is not UTF-8, which names must be"))
    }
}
