//! An archive that is written from its first byte to its last, nothing packed: members are read where they stand.

use crate::export::Out;
use std::io::{Result, Write};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// The archive.
pub(super) struct Archive {
    zip: ZipWriter<StreamWriter<Out>>,
}

impl Archive {
    pub(super) fn new(out: Out) -> Self {
        Self { zip: ZipWriter::new_stream(out) }
    }

    /// Begins a member of so many bytes.
    pub(super) fn begin(&mut self, name: &str, bytes: u64) -> Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let options = options.large_file(u64::from(u32::MAX) <= bytes);
        self.zip.start_file(name, options).map_err(Into::into)
    }

    /// Writes to the member.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.zip.write_all(bytes)
    }

    /// Ends the archive.
    pub(super) fn end(self) -> Result<()> {
        self.zip.finish().map(drop).map_err(Into::into)
    }
}
