//! An archive that is written from its first byte to its last, nothing packed: members are read where they stand.

use std::cell::RefCell;
use std::io::{Result, Write};
use std::rc::Rc;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// Bytes on their way.
#[derive(Clone, Default)]
struct Pipe(Rc<RefCell<Vec<u8>>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The archive.
pub(super) struct Archive {
    pipe: Pipe,
    zip: Option<ZipWriter<StreamWriter<Pipe>>>,
}

impl Archive {
    pub(super) fn new() -> Self {
        let pipe = Pipe::default();
        Self { zip: Some(ZipWriter::new_stream(pipe.clone())), pipe }
    }

    /// Begins a member of so many bytes.
    pub(super) fn begin(&mut self, name: &str, bytes: u64) -> Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let options = options.large_file(u64::from(u32::MAX) <= bytes);
        self.zip.as_mut().map_or(Ok(()), |zip| zip.start_file(name, options).map_err(Into::into))
    }

    /// Writes to the member.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.zip.as_mut().map_or(Ok(()), |zip| zip.write_all(bytes))
    }

    /// Ends the archive.
    pub(super) fn end(&mut self) -> Result<()> {
        self.zip.take().map_or(Ok(()), |zip| zip.finish().map(drop).map_err(Into::into))
    }

    /// Hands over what was written since.
    pub(super) fn hand_over(&mut self, out: &mut dyn Write) -> Result<()> {
        let bytes = std::mem::take(&mut *self.pipe.0.borrow_mut());
        out.write_all(&bytes)
    }
}
