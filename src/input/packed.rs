//! Packed files as streams: gzip, xz, zstd and what `atrace -z` wrote, each with all of its parts one after the other and
//! held against the checksums that the file has of them.
//!
//! | file | parts | checked against |
//! |---|---|---|
//! | gzip | members, zeros behind the last one | CRC-32 and size of each member |
//! | xz | streams, zeros between them | CRC-32, CRC-64 or SHA-256 of each block, sizes in the index |
//! | zstd | frames, those to be skipped left out | XXH64 of each frame that has one |
//! | atrace | one zlib stream | Adler-32 |

use super::{Part, Reader, Source, read_range};
use crate::base::fault::Kind;
use crate::base::number;
use crate::base::words::{message, phrase};
use flate2::bufread::{GzDecoder, ZlibDecoder};
use lzma_rust2::{Action, Status, XzStream};
use ruzstd::decoding::errors::{
    BlockHeaderReadError, DecodeBlockContentError, DecompressBlockError, FrameDecoderError,
    ReadFrameHeaderError,
};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{BufRead, Error, ErrorKind, Read, Result, Seek, SeekFrom};

/// Endings of the names of a kind of packed file, without the dot, and the unpacked bytes.
pub(super) type Packed = (&'static [&'static str], Box<dyn Read>);

/// Bytes that are unpacked at a time: the libraries throw away what a piece with damage became.
const PIECE: usize = 8192;
/// Bytes of the footer of an xz file.
const XZ_FOOTER: u64 = 12;

/// What a zstd frame ends with whose rest is missing: an empty last block, room for a checksum.
const ZSTD_END: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// Why unpacked bytes are missing or wrong, and what is opened nevertheless.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) kind: Kind,
    pub(super) note: &'static str,
    /// Whether no more bytes come out, so that the place of the damage is where they end.
    pub(super) is_end: bool,
}

impl Damage {
    /// Nothing behind it can be unpacked.
    pub(super) fn end(kind: Kind) -> Self {
        Self { kind, note: phrase("Data unpacked before the damage is opened."), is_end: true }
    }

    /// More bytes would come out than are kept: nothing is wrong with them.
    pub(super) fn too_large(kind: Kind) -> Self {
        Self { kind, note: phrase("The file is larger than that; the rest was not read."), is_end: true }
    }

    /// All bytes came out, some are wrong.
    pub(super) fn wrong(kind: Kind) -> Self {
        Self { kind, note: phrase("Some of the bytes are wrong. All are opened."), is_end: false }
    }

    /// Another number of bytes came out than is declared; `None` where both agree.
    pub(super) fn size(declared: u64, unpacked: u64) -> Option<Self> {
        let kind = Kind::Contradiction {
            a: message("the archive declares {n} bytes").with("n", number::thousands(declared)),
            b: message("{n} bytes were unpacked").with("n", number::thousands(unpacked)),
        };
        let note = phrase("The file is damaged. All unpacked bytes are opened.");
        (declared != unpacked).then_some(Self { kind, note, is_end: false })
    }

    /// What an error while unpacking means.
    pub(crate) fn of(error: Error) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(damage) => return damage,
            Err(error) => error,
        };
        Self::end(match error.kind() {
            ErrorKind::UnexpectedEof => Kind::Problem(message("the compressed data ends too early")),
            ErrorKind::InvalidData | ErrorKind::InvalidInput => {
                Kind::Problem(message("the compressed data is damaged here"))
            }
            ErrorKind::Unsupported => Kind::Problem(message("this compression method is not supported")),
            _ => Kind::Io { message: error.to_string() },
        })
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.kind, f)
    }
}

impl std::error::Error for Damage {}

/// The error of bytes that came out and have another checksum.
fn wrong_checksum() -> Error {
    let what = message("the decompressed bytes do not match the checksum in the archive");
    Error::other(Damage::wrong(Kind::Problem(what)))
}

/// The error of what xz keeps behind the blocks.
fn damage_behind() -> Error {
    let kind = Kind::Problem(message("the index or footer after the compressed data is damaged"));
    Error::other(Damage { is_end: false, ..Damage::end(kind) })
}

/// Packed files that are not read, and what they begin with.
const UNREAD: [(&str, &[u8]); 4] = [
    ("bzip2", b"BZh91AY&SY"),
    ("7z", &[b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c]),
    ("rar", b"Rar!\x1a\x07"),
    ("lz4", &[4, 0x22, 0x4d, 0x18]),
];

/// The unpacked bytes of a file that begins with `head`; `None` where it is not packed.
///
/// # Errors
/// The kind of file, and why not even its beginning can be read.
pub(crate) fn open(
    source: &Source,
    head: &[u8],
) -> std::result::Result<Option<Packed>, (&'static str, Error)> {
    Ok(Some(if head.starts_with(&[0x1f, 0x8b, 8]) {
        let member = Some(GzDecoder::new(Pieces(Reader::new(source))));
        (&["gz", "gzip"], Box::new(Gzip { file: source.clone(), member, n: 0 }))
    } else if head.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        (&["xz"], Box::new(Xz::new(source)))
    } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        (&["zst", "zstd"], zstd(source).map_err(|error| ("zstd", error))?)
    } else if let Some(start) = deflated_trace(head) {
        let part: Source = std::rc::Rc::new(Part::new(source.clone(), start..source.len()));
        (&["ctrace"], Box::new(ZlibDecoder::new(Pieces(Reader::new(&part)))))
    } else if let Some((what, _)) = UNREAD.iter().find(|(_, sign)| head.starts_with(sign)) {
        return Err((*what, ErrorKind::Unsupported.into()));
    } else {
        return Ok(None);
    }))
}

/// The unpacked bytes of all frames of zstd.
///
/// # Errors
/// When not even the first header can be read.
pub(crate) fn zstd(source: &Source) -> Result<Box<dyn Read>> {
    let (source, decoder) = (Reader::new(source), FrameDecoder::new());
    let mut frames = Zstd { source, decoder, is_verified: false, error: None };
    frames.next_frame()?;
    Ok(Box::new(frames))
}

/// A packed file that is shown in pieces.
pub(super) struct Pieces(pub(super) Reader);

impl Read for Pieces {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        self.0.read(buf)
    }
}

impl BufRead for Pieces {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        let ahead = self.0.fill_buf()?;
        Ok(ahead.get(..PIECE).unwrap_or(ahead))
    }

    fn consume(&mut self, n: usize) {
        self.0.consume(n);
    }
}

/// The members of a gzip file.
struct Gzip {
    file: Source,
    /// `None` behind the last one.
    member: Option<GzDecoder<Pieces>>,
    /// Unpacked bytes of the member so far.
    n: u64,
}

impl Read for Gzip {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        while let Some(member) = &mut self.member {
            let n = match member.read(buf) {
                Ok(n) => n,
                Err(error) if error.to_string().contains("checksum") => {
                    return Err(gzip_mismatch(&mut member.get_mut().0, &self.file, self.n)?);
                }
                Err(error) => return Err(error),
            };
            self.n += n as u64;
            if 0 < n || buf.is_empty() {
                return Ok(n);
            }
            let Some(Pieces(mut reader)) = self.member.take().map(GzDecoder::into_inner) else { break };
            match behind_zeros(&mut reader)? {
                Some(0x1f) => (self.member, self.n) = (Some(GzDecoder::new(Pieces(reader))), 0),
                Some(_) => {
                    let what = message("bytes after the last gzip member are not another member");
                    return Err(Error::other(Damage::end(Kind::Problem(what))));
                }
                None => {}
            }
        }
        Ok(0)
    }
}

/// What is wrong with a member of `n` bytes that was read to its end: its last four bytes are its size, without what is
/// above 32 bits, those before them its checksum.
fn gzip_mismatch(reader: &mut Reader, file: &Source, n: u64) -> Result<Error> {
    let end = reader.stream_position()?;
    let size = little_endian(file, end.saturating_sub(4))?;
    let damage = Damage::size(size | (n & !u64::from(u32::MAX)), n);
    Ok(damage.map_or_else(wrong_checksum, Error::other))
}

/// The number of four bytes at this place.
fn little_endian(file: &Source, at: u64) -> Result<u64> {
    let bytes = read_range(&**file, at..at.saturating_add(4)).map_err(|why| Error::other(why.0))?;
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
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

/// The streams of an xz file.
struct Xz {
    file: Source,
    source: Pieces,
    decoder: XzStream,
    /// What went wrong behind the bytes that were read last.
    error: Option<Error>,
    /// Whether all blocks were read although a checksum is wrong.
    is_over: bool,
}

impl Xz {
    fn new(file: &Source) -> Self {
        let (source, decoder) = (Pieces(Reader::new(file)), XzStream::new(true));
        Self { file: file.clone(), source, decoder, error: None, is_over: false }
    }

    /// Whether nothing but index and footer follow: the footer has the length of the index, in fours without the first.
    fn is_last_block(&self) -> bool {
        let len = self.file.len();
        let fours = little_endian(&self.file, len.saturating_sub(8)).unwrap_or(0);
        self.decoder.total_in() + 4 * (fours + 1) + XZ_FOOTER == len
    }
}

impl Read for Xz {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        while !self.is_over && !buf.is_empty() {
            let ahead = self.source.fill_buf()?;
            let action = if ahead.is_empty() { Action::Finish } else { Action::Run };
            let before = self.decoder.total_out();
            match self.decoder.process(ahead, buf, action) {
                Ok(done) => {
                    self.source.consume(done.bytes_consumed);
                    if 0 < done.bytes_produced || done.status == Status::StreamEnd {
                        return Ok(done.bytes_produced);
                    }
                    if done.bytes_consumed == 0 {
                        return Err(ErrorKind::InvalidData.into());
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    let is_checksum = text.contains("block checksum");
                    let is_behind = text.contains("index") || text.contains("footer");
                    self.is_over = is_behind || (is_checksum && self.is_last_block());
                    self.error = Some(match error.kind() {
                        _ if is_checksum => wrong_checksum(),
                        _ if is_behind => damage_behind(),
                        // Bytes that cannot be decoded have no kind of their own in this decoder.
                        ErrorKind::Other => ErrorKind::InvalidData.into(),
                        _ => error,
                    });
                    let n = usize::try_from(self.decoder.total_out() - before).unwrap_or(0);
                    return if n == 0 { self.read(buf) } else { Ok(n) };
                }
            }
        }
        Ok(0)
    }
}

/// The frames of a zstd file.
struct Zstd {
    source: Reader,
    decoder: FrameDecoder,
    /// Whether the frame was held against its checksum.
    is_verified: bool,
    /// What went wrong behind the bytes that the decoder still holds.
    error: Option<Error>,
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
                Err(error) => return Err(zstd_error(&error)),
            }
        }
        Ok(false)
    }

    /// Holds the frame that was read to its end against its checksum, once.
    fn verify(&mut self) -> Result<()> {
        let (said, found) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        let is_verified = std::mem::replace(&mut self.is_verified, true);
        if is_verified || said.is_none() || said == found { Ok(()) } else { Err(wrong_checksum()) }
    }

    /// Unpacks the next block. Behind damage the decoder would keep what later blocks may refer to: the frame is ended.
    fn decode_block(&mut self) -> Result<()> {
        let one = BlockDecodingStrategy::UptoBlocks(1);
        if let Err(error) = self.decoder.decode_blocks(&mut self.source, one) {
            self.error = Some(zstd_error(&error));
            let end = self.decoder.decode_blocks(ZSTD_END, BlockDecodingStrategy::All);
            end.map_err(|error| zstd_error(&error))?;
        }
        Ok(())
    }
}

impl Read for Zstd {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        while self.decoder.can_collect() == 0 {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if self.decoder.is_finished() {
                self.verify()?;
                if !self.next_frame()? {
                    return Ok(0);
                }
                self.is_verified = false;
            } else {
                self.decode_block()?;
            }
        }
        self.decoder.read(buf)
    }
}

/// Damage as the decoder of zstd has it: what reading its bytes came to, else the bytes are wrong. Its errors are never
/// texts and never one of any kind: either would take along the sentences of all that it can find.
fn zstd_error(error: &FrameDecoderError) -> Error {
    use DecodeBlockContentError as Body;
    use FrameDecoderError as Frame;
    use ReadFrameHeaderError as Header;
    match error {
        Frame::ReadFrameHeaderError(
            Header::MagicNumberReadError(read)
            | Header::FrameDescriptorReadError(read)
            | Header::WindowDescriptorReadError(read)
            | Header::DictionaryIdReadError(read)
            | Header::FrameContentSizeReadError(read),
        )
        | Frame::FailedToReadBlockHeader(BlockHeaderReadError::ReadError(read))
        | Frame::FailedToReadBlockBody(
            Body::ReadError { source: read, .. }
            | Body::DecompressBlockError(DecompressBlockError::BlockContentReadError(read)),
        )
        | Frame::FailedToReadChecksum(read)
        | Frame::FailedToDrainDecodebuffer(read) => Error::new(read.kind(), read.to_string()),
        Frame::WindowSizeTooBig { .. } => {
            let what = message("the zstd window size exceeds the limit");
            Error::other(Damage::end(Kind::Problem(what)))
        }
        _ => ErrorKind::InvalidData.into(),
    }
}

/// Where the packed bytes begin in what `atrace -z` wrote: words to the person at the terminal, `TRACE:`, a zlib stream.
fn deflated_trace(head: &[u8]) -> Option<u64> {
    const WORD: &[u8] = b"TRACE:\n";
    let at = memchr::memmem::find(head, WORD)? + WORD.len();
    let is_zlib = matches!(head.get(at..at + 2), Some([0x78, 0x01 | 0x5e | 0x9c | 0xda]));
    is_zlib.then(|| u64::try_from(at).ok())?
}
