//! Writes array files, atomically.

mod archive;
mod plain;
mod tensors;
mod encode;
mod csv;

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

use broadaxe::ViewMut;
use broadaxe_kernels::{DType, MappingMut};
pub use broadaxe_session::whole::{Lock, Whole};
pub use encode::encode;

pub use plain::Plain;

use self::{
    archive::{Archive, KeptMembers},
    csv::MAX_CSV_RANK,
    tensors::KeptTensors,
};
use super::{Format, Place, byte_count, in_order, listed};
use crate::error::{Error, ErrorKind};

/// The name of the array in a `.npz` or `.safetensors` file when none is given.
const DEFAULT_KEY: &str = "result";
/// How much of what is kept is copied at once.
const COPY_BYTES: u64 = 8 << 20;

/// An array file about to be written.
#[derive(Debug)]
pub struct Output {
    /// The format; nothing for text (.csv).
    format: Option<Format>,
    place: Place,
    key: String,
    whole: Whole,
    /// Held while the result is computed into the file.
    lock: Option<Lock>,
}

/// What a new file keeps of the previous one.
#[derive(Debug)]
enum Kept {
    Members(KeptMembers),
    Tensors(KeptTensors),
}

impl Kept {
    /// Finds what a file of this name holds but for the array `key`; nothing where that is all.
    ///
    /// # Errors
    /// When the file cannot be read, or is of another format.
    fn find(path: &Path, format: Format, key: &str) -> Result<Option<Self>, Error> {
        // An empty file contains nothing.
        if fs::metadata(path).map_or(0, |meta| meta.len()) == 0 {
            return Ok(None);
        }
        Ok(match format {
            Format::Npy => None,
            Format::Npz => {
                let kept = KeptMembers::open(path, key)?;
                let is_empty = kept.names().next().is_none();
                (!is_empty).then_some(Self::Members(kept))
            }
            Format::Safetensors => {
                let kept = KeptTensors::open(path, key)?;
                (!kept.is_empty()).then_some(Self::Tensors(kept))
            }
        })
    }

    fn names(&self) -> Vec<&str> {
        match self {
            Self::Members(kept) => kept.names().collect(),
            Self::Tensors(kept) => kept.names().collect(),
        }
    }
}

impl Output {
    /// Creates the temporary file for OUT; `-o out.npz:name` says the name of the array, and keeps the other arrays of the file.
    ///
    /// # Errors
    /// When OUT's extension is not one of a format, it is no regular file, or its folder cannot be written; when OUT is a file of
    /// several arrays that is damaged, or that holds other arrays than the one that a name without a key means.
    pub fn create(place: &Place) -> Result<Self, Error> {
        let path = place.path();
        let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let format = Format::of(path);
        if format.is_none() && !is_text {
            let text = "the name of the output should end in .npy, .npz, .safetensors or .csv";
            return Err(Error::usage(format!("{}: {text}", path.display())));
        }
        if format == Some(Format::Npy) && place.key().is_some() {
            return Err(Error::usage(format!("{place}: a .npy file contains one array without a name")));
        }
        let key = place.key().unwrap_or(DEFAULT_KEY).to_owned();
        if key.is_empty() || key.len() > 1024 {
            return Err(Error::usage(format!("{place}: the name of the array should have 1 to 1024 bytes")));
        }
        let output = Self { format, place: place.clone(), key, whole: Whole::create(path)?, lock: None };
        // It is read again, under a lock, when it is replaced.
        output.kept()?;
        Ok(output)
    }

    /// Finds what the previous file contains but for the array that is written.
    fn kept(&self) -> Result<Option<Kept>, Error> {
        let path = self.place.path();
        let kept = self.format.map_or(Ok(None), |format| Kept::find(path, format, &self.key)).map_err(|error| {
            let text = format!(
                "cannot keep the other arrays of the file: {}; remove it, or write to another one",
                error.message()
            );
            Error::new(ErrorKind::File, text).of(path)
        })?;
        let others = kept.as_ref().map_or_else(Vec::new, Kept::names);
        if self.place.key().is_none() && !others.is_empty() {
            let (path, others) = (path.display(), listed(others.into_iter()));
            return Err(Error::usage(format!("{path} contains {others}; write -o {path}:KEY to add or replace one")));
        }
        Ok(kept)
    }

    /// Locks the file if it can hold other arrays.
    fn locked(&self) -> Result<Option<Lock>, Error> {
        let is_archive = self.format.is_some_and(|format| format != Format::Npy);
        is_archive.then(|| Lock::of(self.place.path())).transpose()
    }

    /// Says whether an array of this shape can be written.
    ///
    /// # Errors
    /// When the format is text, and the rank is above 2.
    pub fn check(&self, shape: &[usize]) -> Result<(), Error> {
        if self.format.is_some() || shape.len() <= MAX_CSV_RANK {
            return Ok(());
        }
        let shape = broadaxe_shape::Shape::from(shape);
        let text = format!(
            "a .csv file contains arrays of rank 0 to {MAX_CSV_RANK}, and the result has shape {shape}; write .npy, .npz or .safetensors"
        );
        Err(Error::usage(text).of(self.whole.path()))
    }

    /// Says whether elements can be computed into the file: those of a `.npz` cannot, as their checksum precedes them.
    pub fn can_be_mapped(&self) -> bool {
        let has_head = |format| encode::head(format, &self.key, DType::U8, &[], 1).is_some();
        self.format.is_some_and(has_head)
    }

    /// Makes the file as long as an array of this dtype and shape needs, writes what comes before the elements, and maps these.
    ///
    /// `None` for few elements, which are better written at once, for a file that keeps other arrays, and where the system does not map
    /// elements. Otherwise the file stays locked: other arrays cannot be added while these elements are computed.
    ///
    /// # Errors
    /// When the disk has no room for them; the previous file, if there was one, is then as it was.
    pub fn map(&mut self, dtype: DType, shape: &[usize]) -> Result<Option<Mapped>, Error> {
        let Some(bytes) = byte_count(dtype, shape).filter(|&bytes| bytes >= MIN_MAPPED_OUTPUT_BYTES) else {
            return Ok(None);
        };
        let bytes = bytes as usize;
        let head = self.format.and_then(|format| encode::head(format, &self.key, dtype, shape, bytes));
        let Some(head) = head else { return Ok(None) };
        let lock = self.locked()?;
        if self.kept()?.is_some() {
            return Ok(None);
        }
        let make = |file: &mut File| {
            let Some(mapping) = MappingMut::new(file, head.len() as u64, bytes)? else {
                file.set_len(0)?;
                return Ok(None);
            };
            file.write_all(&head)?;
            Ok(Some(Mapped { mapping, dtype, shape: shape.to_vec() }))
        };
        let made = make(self.whole.file()).map_err(|error| Error::io(self.whole.path(), "write the file", &error))?;
        self.lock = lock.filter(|_| made.is_some());
        Ok(made)
    }

    /// Gives the file its name, all elements having been computed into it.
    ///
    /// # Errors
    /// Those of [`Whole::save`]; when another process truncated the file meanwhile.
    pub fn finish(self, mapped: Mapped) -> Result<(), Error> {
        if !mapped.mapping.is_whole() {
            let text = "cannot write the file: its temporary file was cut meanwhile";
            return Err(Error::new(ErrorKind::File, text).of(self.whole.path()));
        }
        // The pages that were written belong to the file, mapped or not.
        drop(mapped);
        self.whole.replace(self.lock.as_ref(), |_| Ok(()))
    }

    /// Writes the array and gives the file its name.
    ///
    /// # Errors
    /// Those of [`Whole::save`].
    pub fn save(self, array: &Plain<'_>) -> Result<(), Error> {
        let lock = self.locked()?;
        let kept = self.kept()?;
        let Self { format, key, whole, .. } = self;
        whole.replace(lock.as_ref(), |file| match (format, kept) {
            (None, _) => csv::write(array, file),
            (Some(format), None) => encode(format, &key, array, file),
            (Some(_), Some(Kept::Tensors(kept))) => kept.write(&key, array, file),
            (Some(_), Some(Kept::Members(mut kept))) => {
                let mut archive = Archive::new(file);
                kept.copy(&mut archive)?;
                encode::member(&mut archive, &key, array)?;
                archive.end()
            }
        })
    }
}

/// The fewest bytes of elements that are computed into a mapped file.
const MIN_MAPPED_OUTPUT_BYTES: u64 = 64 << 20;

/// The elements of a file about to be written, in row-major order.
#[derive(Debug)]
pub struct Mapped {
    mapping: MappingMut,
    dtype: DType,
    shape: Vec<usize>,
}

impl Mapped {
    /// Lends the elements to an evaluation.
    ///
    /// # Errors
    /// When shape and bytes do not fit, which [`Output::map`] has seen to.
    pub fn view(&mut self) -> Result<ViewMut<'_>, Error> {
        let strides = in_order(self.dtype, &self.shape, false);
        Ok(ViewMut::from_output(self.dtype, self.mapping.output(0), &self.shape, &strides)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use broadaxe_kernels::DType;

    use super::{Output, Plain};
    use crate::file::{Place, read};

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("broadaxe-write-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn comes_back_as_written() {
        let folder = folder("round");
        let bytes: Vec<u8> = (0..48).collect();
        let mut tried = 0;
        for dtype in DType::ALL {
            for shape in [vec![48 / dtype.size()], vec![2, 48 / dtype.size() / 2], vec![0, 7], vec![]] {
                let count: usize = shape.iter().product();
                let data = &bytes[..count * dtype.size()];
                for name in ["a.npy", "a.npz", "b.npz:x", "a.safetensors", "b.safetensors:x \"y\""] {
                    let place = Place::new(folder.join(name).to_str().unwrap());
                    let array = Plain { dtype, shape: &shape, bytes: data };
                    Output::create(&place).unwrap().save(&array).unwrap();
                    let back = read(&place, 1000).unwrap();
                    assert_eq!((back.dtype(), back.shape()), (dtype, &shape[..]), "{place}");
                    assert_eq!(back.into_bytes().unwrap(), data, "{place}");
                    tried += 1;
                }
            }
        }
        assert_eq!(tried, 13 * 4 * 5);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 5, "nothing but the five files");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn archives_keep_their_other_members() {
        let folder = folder("kept");
        let path = folder.join("a.npz");
        let save = |key: &str, bytes: &[u8]| {
            let array = Plain { dtype: DType::U8, shape: &[bytes.len()], bytes };
            Output::create(&Place::new(&format!("{}:{key}", path.display()))).unwrap().save(&array).unwrap();
        };
        let read =
            |key: &str| read(&Place::new(&format!("{}:{key}", path.display())), 1000).unwrap().into_bytes().unwrap();
        for (key, bytes) in [("x", &[1][..]), ("y", &[2, 3]), ("z \"\u{e9}", &[]), ("x", &[4, 5, 6])] {
            save(key, bytes);
        }
        let names: Vec<String> = crate::file::entries(&path).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["y", "z \"\u{e9}", "x"]);
        assert_eq!((read("x"), read("y"), read("z \"\u{e9}")), (vec![4, 5, 6], vec![2, 3], vec![]));
        for name in ["a.npz:x", "a.npz", "a.safetensors:x", "a.safetensors"] {
            let place = Place::new(folder.join(name).to_str().unwrap());
            fs::write(place.path(), "none").unwrap();
            let error = Output::create(&place).unwrap_err().to_string();
            assert!(error.contains("cannot keep the other arrays") && error.contains("remove it"), "{name}: {error}");
            assert_eq!(fs::read(place.path()).unwrap(), b"none");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    /// A file of several arrays is replaced only where that loses nothing.
    #[test]
    fn other_arrays_are_not_lost() {
        let folder = folder("others");
        for extension in ["npz", "safetensors"] {
            let path = folder.join("a").with_extension(extension);
            let (plain, keyed) = (Place::file(&path), |key: &str| Place::new(&format!("{}:{key}", path.display())));
            let array = |bytes: &'static [u8]| Plain { dtype: DType::U8, shape: &[3], bytes };
            let write = |place: &Place, bytes| Output::create(place)?.save(&array(bytes));
            fs::write(&path, "").unwrap();
            write(&plain, b"abc").unwrap();
            write(&plain, b"def").unwrap();
            write(&keyed("x"), b"ghi").unwrap();
            let before = fs::read(&path).unwrap();
            let error = write(&plain, b"jkl").unwrap_err();
            let want = format!("{0} contains x; write -o {0}:KEY to add or replace one", path.display());
            assert_eq!((error.kind().code(), error.to_string()), (2, want));
            assert_eq!(fs::read(&path).unwrap(), before);
            write(&keyed("result"), b"mno").unwrap();
            let read = |key: &str| read(&keyed(key), 1000).unwrap().into_bytes().unwrap();
            assert_eq!((read("result"), read("x")), (b"mno".to_vec(), b"ghi".to_vec()));
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing but the files");
        fs::remove_dir_all(folder).unwrap();
    }

    /// Tensors of dtypes that cannot be read are kept too, and so are texts; all tensors stay aligned.
    #[test]
    fn tensors_are_kept() {
        let folder = folder("tensors");
        let path = folder.join("a.safetensors");
        let header = r#"{"__metadata__":{"z":"1\n","a":"\u00e9"},"u":{"dtype":"U8","shape":[3],"data_offsets":[16,19]},"c":{"dtype":"C64","shape":[1],"data_offsets":[8,16]},"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        let data: Vec<u8> = (0..19).collect();
        fs::write(&path, [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()).unwrap();
        let save = |key: &str, dtype, shape: &[usize], bytes: &[u8]| {
            let place = Place::new(&format!("{}:{key}", path.display()));
            Output::create(&place).unwrap().save(&Plain { dtype, shape, bytes }).unwrap();
        };
        save("new", DType::F32, &[1], &[21, 22, 23, 24]);
        save("f", DType::U8, &[2], &[31, 32]);
        let written = fs::read(&path).unwrap();
        let length = u64::from_le_bytes(written[..8].try_into().unwrap()) as usize;
        assert_eq!(length % 8, 0);
        let want = r#"{"__metadata__":{"z":"1\n","a":"E"},"c":{"dtype":"C64","shape":[1],"data_offsets":[0,8]},"new":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},"u":{"dtype":"U8","shape":[3],"data_offsets":[12,15]},"f":{"dtype":"U8","shape":[2],"data_offsets":[15,17]}}"#;
        let want = want.replace("\"E\"", "\"\u{e9}\"");
        assert_eq!(std::str::from_utf8(&written[8..8 + length]).unwrap().trim_end(), want);
        let kept = [&data[8..16], &[21, 22, 23, 24], &data[16..19], &[31, 32]].concat();
        assert_eq!(written[8 + length..], kept);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn leaves_and_removes() {
        let folder = folder("sweep");
        let place = Place::new(folder.join("a.npy").to_str().unwrap());
        let stale = folder.join(".a.npy.1-0.broadaxe-tmp");
        let other = folder.join(".b.npy.1-0.broadaxe-tmp");
        fs::write(&stale, "left").unwrap();
        fs::write(&other, "left").unwrap();
        let held = Output::create(&place).unwrap();
        assert!(!stale.exists() && other.exists());
        let second = Output::create(&place).unwrap();
        assert!(held.whole.temporary().exists(), "a file that is being written is not swept");
        assert_ne!(held.whole.temporary(), second.whole.temporary());
        drop((held, second));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a dropped output leaves nothing");
        fs::remove_dir_all(folder).unwrap();
    }
}
