//! Label stores: folders to which labels are appended. A crash at any time leaves a store intact.
//!
//! Entries are appended to one open shard, for example `labels-000007.bin`. Once this shard contains enough labels, it
//! is sealed: it is compressed to `labels-000007.xz` and added to `manifest.json`. The compressed file and the manifest
//! are written atomically, and the manifest can be rebuilt from the shards. Opening a store removes an incomplete frame
//! at the end of the open shard. Only one process at a time can open a store for writing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as BTreeEntry;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::labelled_game::{LabelStoreEntry, Origin};
use super::shard::{self, MAGIC, ShardError, ShardReader};
use crate::io::file::{self, LockedFile};
use crate::learn::xz;

const MANIFEST_FILE_NAME: &str = "manifest.json";
const LOCK_FILE_NAME: &str = "lock";
const FORMAT: &str = "honinbo-labels";
const VERSION: u32 = 1;
/// Maximum size of a manifest in bytes.
const MAX_MANIFEST_BYTES: usize = 64 << 20;
/// Number of labels at which the open shard is sealed.
pub const LABELS_PER_SHARD: u64 = 8_192;

/// Error while reading or writing a label store.
#[derive(Debug, thiserror::Error)]
pub enum LabelStoreError {
    #[error("{}: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    /// Another process has the store open for writing.
    #[error("{}: another process is writing to this store; stop it or use another folder", .0.display())]
    InUse(PathBuf),
    #[error("{}: {error}", path.display())]
    Shard { path: PathBuf, error: ShardError },
    #[error("{}: the manifest is damaged ({error}); delete it to have it rebuilt", path.display())]
    DamagedManifest {
        path: PathBuf,
        error: serde_json::Error,
    },
    /// The manifest has an unsupported format or version.
    #[error(
        "{}: expected {FORMAT} version {VERSION}, found {found}; use the version of the program that wrote it",
        path.display()
    )]
    UnsupportedManifest {
        path: PathBuf,
        /// Format and version of the file.
        found: String,
    },
}

impl LabelStoreError {
    /// Returns true if the error is that a file is not a shard, because it does not start with the magic.
    pub const fn is_not_a_shard(&self) -> bool {
        matches!(
            self,
            Self::Shard {
                error: ShardError::NotAShard,
                ..
            }
        )
    }
}

/// Index of the sealed shards of a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    version: u32,
    /// Sealed shards by file name.
    pub shards: BTreeMap<String, ShardSummary>,
}

/// Summary of the content of a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardSummary {
    pub games: u64,
    /// Number of labels for each board size.
    pub labels: BTreeMap<String, u64>,
    /// For each source ID, the number of the next entry: the highest number of an existing entry plus 1.
    pub next: BTreeMap<u64, u64>,
    /// SHA-256 of the compressed file in hexadecimal; empty for an open shard.
    pub sha256: String,
}

impl ShardSummary {
    /// Returns the total number of labels for all board sizes.
    pub fn label_count(&self) -> u64 {
        self.labels.values().sum()
    }

    /// Adds the games and labels of an entry to the summary.
    pub fn add(&mut self, entry: &LabelStoreEntry) {
        for game in &entry.games {
            let labels = self.labels.entry(game.size().to_string()).or_default();
            *labels += game.labels.len() as u64;
        }
        self.games += entry.games.len() as u64;
        let Origin {
            source_id: source,
            number,
        } = entry.origin;
        let next = self.next.entry(source).or_default();
        *next = (*next).max(number + 1);
    }

    fn merge(&mut self, other: &Self) {
        self.games += other.games;
        for (size, labels) in &other.labels {
            *self.labels.entry(size.clone()).or_default() += labels;
        }
        for (&source, &number) in &other.next {
            let next = self.next.entry(source).or_default();
            *next = (*next).max(number);
        }
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            shards: BTreeMap::new(),
        }
    }
}

/// Label store opened for writing.
#[derive(Debug)]
pub struct LabelStore {
    folder: PathBuf,
    manifest: Manifest,
    /// Number of the open shard.
    number: u64,
    /// File of the open shard.
    file: File,
    /// Length of the open shard in bytes.
    byte_len: u64,
    /// Summary of the open shard.
    summary: ShardSummary,
    /// Prevents other processes from opening the store for writing.
    _lock: LockedFile,
}

impl LabelStore {
    /// Opens the store in `folder` for writing. Creates the folder if it does not exist. Completes or undoes a change
    /// that a crash has interrupted. Does not read the sealed shards that the manifest already lists.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read or written, if another process has the store open for writing, or
    /// if the manifest or one of the shards read is damaged.
    pub fn open(folder: &Path) -> Result<Self, LabelStoreError> {
        fs::create_dir_all(folder).map_err(io_error(folder))?;
        let lock = lock_store(&folder.join(LOCK_FILE_NAME))?;
        let manifest = recover_store(folder)?;
        let sealed = manifest.shards.keys().next_back();
        let number = sealed.and_then(|name| shard_number(name)).unwrap_or(0) + 1;
        let (file, byte_len, summary) =
            open_shard_for_appending(&shard_path(folder, number, "bin"))?;
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
            number,
            file,
            byte_len,
            summary,
            _lock: lock,
        })
    }

    /// Returns the combined summary of all shards, including the open one.
    pub fn summary(&self) -> ShardSummary {
        let mut total = self.summary.clone();
        for shard in self.manifest.shards.values() {
            total.merge(shard);
        }
        total
    }

    /// Returns the number of the next entry of `source`: the highest number of an existing entry plus 1, or 0 if there
    /// are no entries.
    pub fn next_entry_number(&self, source: u64) -> u64 {
        let sealed = self.manifest.shards.values();
        let shards = sealed.chain([&self.summary]);
        let next = shards.filter_map(|shard| shard.next.get(&source));
        next.copied().max().unwrap_or(0)
    }

    /// Appends an entry to the open shard in a single write. Seals the shard if it then contains enough labels.
    ///
    /// # Errors
    /// Returns an error if the entry cannot be written or the shard cannot be sealed. If the entry cannot be written,
    /// the store is restored to its previous state if possible.
    pub fn append(&mut self, entry: &LabelStoreEntry) -> Result<(), LabelStoreError> {
        let path = shard_path(&self.folder, self.number, "bin");
        let frame = shard::encode_frame(entry);
        if let Err(cause) = self.file.write_all(&frame) {
            // If this fails too, the incomplete frame is removed when the store is opened again.
            let _ = file::truncate(&mut self.file, self.byte_len);
            return Err(LabelStoreError::Io { path, cause });
        }
        self.byte_len += frame.len() as u64;
        self.summary.add(entry);
        if self.summary.label_count() >= LABELS_PER_SHARD {
            self.seal()?;
        }
        Ok(())
    }

    /// Seals the open shard and starts the next one. Has no effect if the open shard is empty.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written. No labels are lost in this case.
    pub fn seal(&mut self) -> Result<(), LabelStoreError> {
        if self.byte_len == MAGIC.len() as u64 {
            return Ok(());
        }
        let path = shard_path(&self.folder, self.number, "bin");
        // The next shard is opened first, so that an error leaves the store unchanged.
        let next = open_shard_for_appending(&shard_path(&self.folder, self.number + 1, "bin"))?;
        seal_shard(&path, &mut self.manifest, self.summary.clone())?;
        self.number += 1;
        (self.file, self.byte_len, self.summary) = next;
        write_manifest(&self.folder, &self.manifest)?;
        fs::remove_file(&path).map_err(io_error(&path))
    }
}

/// Returns the paths of all shards of a store, in the order of their numbers.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn shard_files(folder: &Path) -> Result<Vec<PathBuf>, LabelStoreError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(io_error(folder))? {
        let name = entry.map_err(io_error(folder))?.file_name();
        let Some(name) = name.to_str().filter(|name| shard_number(name).is_some()) else {
            continue;
        };
        names.push(name.to_owned());
    }
    // If sealing was interrupted before the open shard was removed, a shard exists in both forms. In this case, the
    // sealed one is used.
    let sealed_name = |name: &str| name.strip_suffix(".bin").map(|stem| format!("{stem}.xz"));
    let all = names.clone();
    names.retain(|name| sealed_name(name).is_none_or(|sealed| !all.contains(&sealed)));
    names.sort();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Returns an iterator over the entries of a shard file. In an open shard, the iterator ends without an error at an
/// incomplete or damaged frame.
///
/// # Errors
/// Returns an error if the file cannot be opened or is not a shard.
pub fn read_shard(path: &Path) -> Result<ShardEntries, LabelStoreError> {
    let file = File::open(path).map_err(io_error(path))?;
    let is_sealed = is_sealed(path);
    let reader: Box<dyn Read + Send> = match is_sealed {
        true => Box::new(xz::decompress(file)),
        false => Box::new(BufReader::new(file)),
    };
    let reader = match ShardReader::new(reader) {
        Ok(reader) => Some(reader),
        Err(ShardError::Frame(_)) if !is_sealed => None,
        Err(error) => return Err(shard_error(path)(error)),
    };
    Ok(ShardEntries {
        path: path.to_owned(),
        is_sealed,
        reader,
    })
}

/// Iterator over the entries of a shard file, returned by [`read_shard`]. Ends after the first error.
pub struct ShardEntries {
    path: PathBuf,
    is_sealed: bool,
    reader: Option<ShardReader<Box<dyn Read + Send>>>,
}

impl Iterator for ShardEntries {
    type Item = Result<LabelStoreEntry, LabelStoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.reader.as_mut()?.next()? {
            Err(ShardError::Frame(_)) if !self.is_sealed => None,
            entry => Some(entry.map_err(shard_error(&self.path))),
        }
    }
}

fn shard_error(path: &Path) -> impl Fn(ShardError) -> LabelStoreError + use<> {
    let path = path.to_owned();
    move |error| LabelStoreError::Shard {
        path: path.clone(),
        error,
    }
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> LabelStoreError + use<> {
    let path = path.to_owned();
    move |cause| LabelStoreError::Io {
        path: path.clone(),
        cause,
    }
}

fn lock_store(path: &Path) -> Result<LockedFile, LabelStoreError> {
    let lock = LockedFile::open_and_lock(path).map_err(io_error(path))?;
    lock.ok_or_else(|| LabelStoreError::InUse(path.to_owned()))
}

fn shard_path(folder: &Path, number: u64, extension: &str) -> PathBuf {
    folder.join(format!("labels-{number:06}.{extension}"))
}

fn shard_number(name: &str) -> Option<u64> {
    let (stem, extension) = name.split_once('.')?;
    let digits = stem.strip_prefix("labels-")?;
    matches!(extension, "bin" | "xz").then(|| digits.parse().ok())?
}

/// Makes the manifest and the files in `folder` consistent: adds missing sealed shards to the manifest, removes shards
/// without a file from it, deletes open shards that have already been sealed, and seals all open shards that are not
/// the last shard.
fn recover_store(folder: &Path) -> Result<Manifest, LabelStoreError> {
    let mut manifest = read_manifest(&folder.join(MANIFEST_FILE_NAME))?;
    let files = shard_files(folder)?;
    let exists = |name: &str| folder.join(name).exists();
    manifest.shards.retain(|name, _| exists(name));
    for path in files.iter().filter(|path| is_sealed(path)) {
        let stale = path.with_extension("bin");
        if stale.exists() {
            fs::remove_file(&stale).map_err(io_error(&stale))?;
        }
        if let BTreeEntry::Vacant(slot) = manifest.shards.entry(file_name(path)) {
            slot.insert(summarise_shard(path)?);
        }
    }
    // Shards copied from another store may still be open.
    let open_shards: Vec<&PathBuf> = files.iter().filter(|path| !is_sealed(path)).collect();
    let last = files.last();
    for path in open_shards.into_iter().filter(|&path| Some(path) != last) {
        let summary = summarise_shard(path)?;
        seal_shard(path, &mut manifest, summary)?;
        fs::remove_file(path).map_err(io_error(path))?;
    }
    write_manifest(folder, &manifest)?;
    Ok(manifest)
}

fn read_manifest(path: &Path) -> Result<Manifest, LabelStoreError> {
    let bytes = match file::read_regular_file(path, MAX_MANIFEST_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Manifest::default()),
        bytes => bytes.map_err(io_error(path))?,
    };
    let path = || path.to_owned();
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|error| LabelStoreError::DamagedManifest {
            path: path(),
            error,
        })?;
    match (manifest.format.as_str(), manifest.version) {
        (FORMAT, VERSION) => Ok(manifest),
        (format, version) => Err(LabelStoreError::UnsupportedManifest {
            path: path(),
            found: format!("{format} version {version}"),
        }),
    }
}

fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), LabelStoreError> {
    let path = folder.join(MANIFEST_FILE_NAME);
    let text = serde_json::to_string_pretty(manifest).expect("a manifest is plain data");
    file::write_atomic(&path, text).map_err(io_error(&path))
}

/// Compresses the open shard at `path` to a sealed shard and adds the sealed shard to `manifest`. The caller writes the
/// manifest and removes the open shard.
fn seal_shard(
    path: &Path,
    manifest: &mut Manifest,
    summary: ShardSummary,
) -> Result<(), LabelStoreError> {
    let bytes = fs::read(path).map_err(io_error(path))?;
    let sealed = path.with_extension("xz");
    let compressed = xz::compress(&bytes).map_err(io_error(&sealed))?;
    let sha256 = to_hex(&Sha256::digest(&compressed));
    file::write_atomic(&sealed, compressed).map_err(io_error(&sealed))?;
    let summary = ShardSummary { sha256, ..summary };
    manifest.shards.insert(file_name(&sealed), summary);
    Ok(())
}

/// Reads the shard at `path` and returns a summary of its content.
fn summarise_shard(path: &Path) -> Result<ShardSummary, LabelStoreError> {
    let mut summary = ShardSummary::default();
    for entry in read_shard(path)? {
        summary.add(&entry?);
    }
    if is_sealed(path) {
        let bytes = fs::read(path).map_err(io_error(path))?;
        summary.sha256 = to_hex(&Sha256::digest(&bytes));
    }
    Ok(summary)
}

/// Opens the open shard at `path`, creating it if it does not exist. Truncates it before the first incomplete or
/// damaged frame. Returns the file, its length in bytes and a summary of its content.
fn open_shard_for_appending(path: &Path) -> Result<(File, u64, ShardSummary), LabelStoreError> {
    let wrap = io_error(path);
    let mut file = file::open_append(path).map_err(&wrap)?;
    let mut summary = ShardSummary::default();
    let mut byte_len = 0;
    match ShardReader::new(BufReader::new(&file)) {
        Ok(mut reader) => {
            for entry in reader.by_ref() {
                match entry {
                    Ok(entry) => summary.add(&entry),
                    // The writer was probably interrupted while it wrote this frame.
                    Err(ShardError::Frame(_)) => break,
                    Err(error) => return Err(shard_error(path)(error)),
                }
            }
            byte_len = reader.valid_len();
        }
        Err(ShardError::Frame(_)) => {}
        Err(error) => return Err(shard_error(path)(error)),
    }
    file::truncate(&mut file, byte_len).map_err(&wrap)?;
    if byte_len > 0 {
        return Ok((file, byte_len, summary));
    }
    file.write_all(MAGIC).map_err(&wrap)?;
    Ok((file, MAGIC.len() as u64, summary))
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn is_sealed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "xz")
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
