//! Packed files as streams: gzip, xz, zstd and what `atrace -z` wrote, each with all of its parts one after the other and
//! held against the checksums that the file has of them.
//!
//! | file | parts | checked against |
//! |---|---|---|
//! | gzip | members, zeros behind the last one | CRC-32 and size of each member |
//! | xz | streams, zeros between them | CRC-32, CRC-64 or SHA-256 of each block, sizes in the index |
//! | zstd | frames, those to be skipped left out | XXH64 of each frame that has one |
//! | atrace | one zlib stream | Adler-32 |

use super::reader::Reader;
use super::source::{Part, Source};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{BufRead, Error, ErrorKind, Read, Result, Seek, SeekFrom};

/// Endings of the names of a kind of packed file, without the dot, and the unpacked bytes.
pub(super) type Packed = (&'static [&'static str], Box<dyn Read>);

/// The unpacked bytes of a file that begins with `head`; `None` where it is not packed.
///
/// # Errors
/// The kind of file, and why not even its beginning can be read.
pub(super) fn open(
    source: &Source,
    head: &[u8],
) -> std::result::Result<Option<Packed>, (&'static str, Error)> {
    let reader = || Reader::new(source);
    Ok(Some(if head.starts_with(&[0x1f, 0x8b, 8]) {
        (&["gz", "gzip"], Box::new(Gzip(Some(flate2::bufread::GzDecoder::new(reader())))))
    } else if head.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        (&["xz"], Box::new(lzma_rust2::XzReader::new(reader(), true)))
    } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let mut frames = Zstd { source: reader(), decoder: FrameDecoder::new() };
        frames.next_frame().map_err(|error| ("zstd", error))?;
        (&["zst", "zstd"], Box::new(frames))
    } else if let Some(start) = deflated_trace(head) {
        let part: Source = std::rc::Rc::new(Part::new(source.clone(), start..source.len()));
        (&["ctrace"], Box::new(flate2::read::ZlibDecoder::new(Reader::new(&part))))
    } else {
        return Ok(None);
    }))
}

/// The members of a gzip file; `None` behind the last one.
struct Gzip(Option<flate2::bufread::GzDecoder<Reader>>);

impl Read for Gzip {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        while let Some(member) = &mut self.0 {
            let n = member.read(buf)?;
            if 0 < n || buf.is_empty() {
                return Ok(n);
            }
            let Some(mut reader) = self.0.take().map(flate2::bufread::GzDecoder::into_inner) else { break };
            match behind_zeros(&mut reader)? {
                Some(0x1f) => self.0 = Some(flate2::bufread::GzDecoder::new(reader)),
                Some(_) => return Err(damaged("bytes behind the last gzip member are no further one")),
                None => {}
            }
        }
        Ok(0)
    }
}

/// The next byte that is not zero, which stays unread.
fn behind_zeros(reader: &mut Reader) -> Result<Option<u8>> {
    loop {
        let ahead = reader.fill_buf()?;
        let n_zeros = ahead.iter().take_while(|byte| **byte == 0).count();
        let next = ahead.get(n_zeros).copied();
        if next.is_some() || ahead.is_empty() {
            reader.consume(n_zeros);
            return Ok(next);
        }
        reader.consume(n_zeros);
    }
}

/// The frames of a zstd file.
struct Zstd {
    source: Reader,
    decoder: FrameDecoder,
}

impl Zstd {
    /// Whether there is a further frame with data; its header is read then.
    fn next_frame(&mut self) -> Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    self.source.seek(SeekFrom::Current(length.into()))?;
                }
                Err(error) => return Err(Error::other(error)),
            }
        }
        Ok(false)
    }

    /// Holds the frame that was read to its end against its checksum.
    fn verify(&self) -> Result<()> {
        let (said, found) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if said.is_none() || said == found {
            Ok(())
        } else {
            Err(damaged("zstd frame does not have a matching checksum"))
        }
    }
}

impl Read for Zstd {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        while self.decoder.can_collect() == 0 {
            if self.decoder.is_finished() {
                self.verify()?;
                if !self.next_frame()? {
                    return Ok(0);
                }
            } else {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(Error::other)?;
            }
        }
        self.decoder.read(buf)
    }
}

/// Where the packed bytes begin in what `atrace -z` wrote: words to the person at the terminal, `TRACE:`, a zlib stream.
fn deflated_trace(head: &[u8]) -> Option<u64> {
    const WORD: &[u8] = b"TRACE:\n";
    let at = memchr::memmem::find(head, WORD)? + WORD.len();
    let is_zlib = matches!(head.get(at..at + 2), Some([0x78, 0x01 | 0x5e | 0x9c | 0xda]));
    is_zlib.then(|| u64::try_from(at).ok())?
}

fn damaged(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}
