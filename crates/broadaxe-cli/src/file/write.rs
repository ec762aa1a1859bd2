//! Writes files atomically.
//!
//! The bytes go to a temporary file in the same folder, `.OUT.PID-N.broadaxe-tmp`, which is flushed to the disk and
//! renamed: in every case OUT is the previous file or the new one. The temporary file is created before anything is
//! computed, so that a folder that cannot be written is noticed at once.
//!
//! While it is being written the file is locked. What a killed run left behind is not, and that is how the next run for
//! the same OUT knows that it may remove it; process numbers would not say so across containers.

mod archive;
mod encode;
mod csv;

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use broadaxe::ViewMut;
use broadaxe_kernels::{DType, MappingMut};
pub use encode::{Plain, encode};

use self::{
    archive::{Archive, Kept},
    csv::MAX_CSV_RANK,
};
use super::{Format, Place, byte_count, in_order};
use crate::{
    error::{Error, ErrorKind},
    stop,
};

/// The name of the array in a `.npz` or `.safetensors` file when none is given.
const DEFAULT_KEY: &str = "result";
const MARK: &str = ".broadaxe-tmp";
/// How much of OUT's name is kept in the temporary name; file systems allow 255 bytes in all.
const MAX_STEM: usize = 180;

/// A file about to be written, under a temporary name until it is complete.
#[derive(Debug)]
pub struct Whole {
    path: PathBuf,
    file: File,
    temporary: PathBuf,
    kept: bool,
}

impl Whole {
    /// Creates the temporary file next to `path`.
    ///
    /// # Errors
    /// When there is something of this name that is no regular file, or the folder cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let path = target(path)?;
        let (file, temporary) = create_beside(&path)?;
        Ok(Self { path, file, temporary, kept: false })
    }

    /// Writes the contents and gives the file its name.
    ///
    /// # Errors
    /// When anything cannot be written; the previous file, if there was one, is then as it was.
    pub fn save(mut self, contents: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Error> {
        let write = || {
            contents(&mut self.file)?;
            self.file.flush()?;
            if let Ok(previous) = fs::metadata(&self.path) {
                fs::set_permissions(&self.temporary, previous.permissions())?;
            }
            self.file.sync_all()?;
            stop::keep(&self.temporary, &self.path)
        };
        write().map_err(|error| Error::io(&self.path, "write the file", &error))?;
        self.kept = true;
        // The new name is on the disk when the folder is; not every system can open a folder for that.
        if let Ok(folder) = File::open(folder(&self.path)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if !self.kept {
            stop::remove(&self.temporary);
        }
    }
}

/// An array file about to be written.
#[derive(Debug)]
pub struct Output {
    /// The format; nothing for text (.csv).
    format: Option<Format>,
    key: String,
    /// The members of an archive of this name that are kept.
    kept: Option<Kept>,
    whole: Whole,
}

impl Output {
    /// Creates the temporary file for OUT; `-o out.npz:name` says the name of the array, and keeps the other arrays of the file.
    ///
    /// # Errors
    /// When OUT's extension is not one of a format, it is no regular file, or its folder cannot be written; when arrays are to be
    /// kept and OUT is not an archive.
    pub fn create(place: &Place) -> Result<Self, Error> {
        let path = place.path();
        let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let format = Format::of(path);
        if format.is_none() && !is_text {
            let text = "the name of the output should end in .npy, .npz, .safetensors or .csv";
            return Err(Error::usage(format!("{}: {text}", path.display())));
        }
        if format == Some(Format::Npy) && place.key().is_some() {
            return Err(Error::usage(format!("{place}: a .npy file holds one array without a name")));
        }
        let key = place.key().unwrap_or(DEFAULT_KEY).to_owned();
        if key.is_empty() || key.len() > 1024 {
            return Err(Error::usage(format!("{place}: the name of the array should have 1 to 1024 bytes")));
        }
        let whole = Whole::create(path)?;
        let is_kept = format == Some(Format::Npz) && place.key().is_some() && path.exists();
        let kept = is_kept.then(|| Kept::open(path, &key)).transpose().map_err(|error| {
            let text = format!(
                "cannot keep the other arrays of the file: {}; without ':{key}' the file is replaced",
                error.message()
            );
            Error::new(ErrorKind::File, text).of(path)
        })?;
        Ok(Self { format, key, kept, whole })
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
            "a .csv file holds arrays of rank 0 to {MAX_CSV_RANK}, and the result has shape {shape}; write .npy, .npz or .safetensors"
        );
        Err(Error::usage(text).of(&self.whole.path))
    }

    /// Says whether elements can be computed into the file: those of a `.npz` cannot, as their checksum precedes them.
    pub fn can_be_mapped(&self) -> bool {
        self.format.is_some_and(|format| encode::head(format, &self.key, DType::U8, &[], 1).is_some())
    }

    /// Makes the file as long as an array of this dtype and shape needs, writes what comes before the elements, and maps these.
    ///
    /// `None` for few elements, which are better written at once, and where the system does not map them.
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
        let make = |file: &mut File| {
            let Some(mapping) = MappingMut::new(file, head.len() as u64, bytes)? else {
                file.set_len(0)?;
                return Ok(None);
            };
            file.write_all(&head)?;
            Ok(Some(Mapped { mapping, dtype, shape: shape.to_vec() }))
        };
        make(&mut self.whole.file).map_err(|error| Error::io(&self.whole.path, "write the file", &error))
    }

    /// Gives the file its name, all elements having been computed into it.
    ///
    /// # Errors
    /// Those of [`Whole::save`]; when another process truncated the file meanwhile.
    pub fn finish(self, mapped: Mapped) -> Result<(), Error> {
        if !mapped.mapping.is_whole() {
            let text = "cannot write the file: its temporary file was cut meanwhile";
            return Err(Error::new(ErrorKind::File, text).of(&self.whole.path));
        }
        // The pages that were written belong to the file, mapped or not.
        drop(mapped);
        self.whole.save(|_| Ok(()))
    }

    /// Writes the array and gives the file its name.
    ///
    /// # Errors
    /// Those of [`Whole::save`].
    pub fn save(self, array: &Plain<'_>) -> Result<(), Error> {
        let Self { format, key, kept, whole } = self;
        whole.save(|file| match (format, kept) {
            (None, _) => csv::write(array, file),
            (Some(format), None) => encode(format, &key, array, file),
            (Some(_), Some(mut kept)) => {
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

/// Follows a link, so that what it points to is replaced and not the link; rejects what is no regular file.
fn target(path: &Path) -> Result<PathBuf, Error> {
    let failed = |error: &io::Error| Error::io(path, "write the file", error);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(failed(&error)),
        Ok(meta) => {
            let real =
                if meta.is_symlink() { fs::canonicalize(path).map_err(|e| failed(&e))? } else { path.to_owned() };
            if fs::metadata(&real).map_err(|e| failed(&e))?.is_file() {
                Ok(real)
            } else {
                Err(Error::new(
                    ErrorKind::File,
                    "cannot write the file: the name belongs to something that is not a file",
                )
                .of(path))
            }
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Creates and locks a temporary file in the folder of `path`, after removing those that killed runs left there.
fn create_beside(path: &Path) -> Result<(File, PathBuf), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = &name[..name.floor_char_boundary(MAX_STEM)];
    let folder = folder(path);
    sweep(folder, stem);
    let mut number = 0;
    loop {
        let temporary = folder.join(format!(".{stem}.{}-{number}{MARK}", std::process::id()));
        match stop::create(&temporary) {
            // A run that swept between creation and lock has taken the file away: try the next.
            Ok(file) if file.try_lock().is_ok() && temporary.exists() => return Ok((file, temporary)),
            // Where files cannot be locked nothing is swept either.
            Ok(file) if temporary.exists() => return Ok((file, temporary)),
            Ok(_) => stop::remove(&temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {}
            Err(error) => return Err(Error::io(path, "create a temporary file next to it", &error)),
        }
        number += 1;
    }
}

/// Removes the temporary files for `stem` that no process holds locked. Files that cannot be removed stay: they do no harm.
fn sweep(folder: &Path, stem: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().and_then(|name| {
            let numbers = name.strip_prefix('.')?.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(MARK)?;
            let (process, number) = numbers.split_once('-')?;
            Some(process.parse::<u32>().is_ok() && number.parse::<u32>().is_ok())
        });
        if ours == Some(true)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && File::options().write(true).open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
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
                for name in ["a.npy", "a.npz", "a.npz:x", "a.safetensors", "a.safetensors:x \"y\""] {
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
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "nothing but the three files");
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
        fs::write(&path, "none").unwrap();
        let error = Output::create(&Place::new(&format!("{}:x", path.display()))).unwrap_err().to_string();
        assert!(error.contains("cannot keep the other arrays") && error.contains("without ':x'"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"none");
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
        assert!(held.whole.temporary.exists(), "a file that is being written is not swept");
        assert_ne!(held.whole.temporary, second.whole.temporary);
        drop((held, second));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a dropped output leaves nothing");
        fs::remove_dir_all(folder).unwrap();
    }
}
