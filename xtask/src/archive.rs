//! A folder as a tar stream (POSIX ustar, with GNU long names), so that a folder named on the command line
//! reaches the page in one request. The length is known before the first byte is sent.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// One tar block.
const BLOCK: usize = 512;

/// The zeros at the end of an archive.
const END: u64 = 2 * BLOCK as u64;

/// The files of a folder, with the sizes they had when the folder was looked at.
pub struct Tar {
    members: Vec<Member>,
}

struct Member {
    /// Name inside the archive, beginning with the folder's own name.
    name: String,
    source: PathBuf,
    size: u64,
}

impl Tar {
    /// Looks at a folder and everything below it; symbolic links to folders are not followed.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let mut members = Vec::new();
        let name =
            folder.file_name().map_or_else(|| "folder".into(), |name| name.to_string_lossy().into_owned());
        collect(folder, &name, &mut members)?;
        Ok(Self { members })
    }

    /// How many bytes [`Tar::write`] writes.
    pub fn len(&self) -> u64 {
        let heads = self.members.iter().map(|member| header(member).len() as u64);
        let bodies = self.members.iter().map(|member| padded(member.size));
        heads.sum::<u64>() + bodies.sum::<u64>() + END
    }

    /// Whether the folder held no file.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Writes the archive. A file that has shrunk meanwhile is filled up with zeros, one that has grown is cut.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for member in &self.members {
            out.write_all(&header(member))?;
            let mut file = File::open(&member.source)?.take(member.size);
            let sent = io::copy(&mut file, out)?;
            zeros(padded(member.size) - sent, out)?;
        }
        zeros(END, out)
    }
}

fn collect(folder: &Path, name: &str, members: &mut Vec<Member>) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (source, name) = (entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy()));
        if entry.file_type()?.is_dir() {
            collect(&source, &name, members)?;
        } else if let Ok(meta) = fs::metadata(&source)
            && meta.is_file()
        {
            members.push(Member { name, source, size: meta.len() });
        }
    }
    Ok(())
}

/// The size of a file with what fills up its last block.
fn padded(size: u64) -> u64 {
    size.next_multiple_of(BLOCK as u64)
}

fn zeros(n: u64, out: &mut impl Write) -> io::Result<()> {
    io::copy(&mut io::repeat(0).take(n), out).map(drop)
}

/// The header blocks of a member: one, or three when the name is longer than 100 bytes.
fn header(member: &Member) -> Vec<u8> {
    let name = member.name.as_bytes();
    let mut blocks = Vec::new();
    if 100 < name.len() {
        blocks.extend(block(b"././@LongLink", name.len() as u64 + 1, b'L'));
        blocks.extend(name);
        blocks.resize(blocks.len() + 1, 0);
        blocks.resize(blocks.len().next_multiple_of(BLOCK), 0);
    }
    blocks.extend(block(&name[..name.len().min(100)], member.size, b'0'));
    blocks
}

fn block(name: &[u8], size: u64, kind: u8) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name);
    put(100, b"0000644\x000000000\x000000000\0");
    if size < 1 << 33 {
        put(124, format!("{size:011o}\0").as_bytes());
    } else {
        put(124, &[0x80, 0, 0, 0]); // GNU: a size over 8 GiB as a binary number
        put(128, &size.to_be_bytes());
    }
    put(136, b"00000000000\0        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::{Member, Tar, header};

    #[test]
    fn the_length_is_known_before_the_first_byte() {
        let folder = crate::place::root().join("xtask");
        let Ok(tar) = Tar::of(&folder) else { panic!("the folder of this crate can be read") };
        let mut bytes = Vec::new();
        assert!(tar.write(&mut bytes).is_ok());
        assert_eq!(bytes.len() as u64, tar.len());
        assert!(bytes.starts_with(b"xtask/Cargo.toml\0"));
    }

    #[test]
    fn a_long_name_stands_in_blocks_of_its_own() {
        let long = Member { name: "x".repeat(101), source: "x".into(), size: 0 };
        let short = Member { name: "x".repeat(100), source: "x".into(), size: 0 };
        assert_eq!((header(&long).len(), header(&short).len()), (3 * 512, 512));
    }
}
