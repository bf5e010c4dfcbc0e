//! A folder as a tar stream (GNU, for long names), so that a folder named on the command line
//! reaches the page in one request. The length is known before the first byte is sent.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tar::{Builder, EntryType, Header};

/// One tar block.
const BLOCK: usize = 512;

/// The zeros at the end of an archive.
const END: u64 = 2 * BLOCK as u64;

/// The files of a folder, with the sizes they had when the folder was looked at.
pub struct Tar {
    members: Vec<Member>,
}

struct Member {
    /// Its header blocks, with its name inside the archive, which begins with the folder's own.
    header: Vec<u8>,
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
        let heads = self.members.iter().map(|member| member.header.len() as u64);
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
            out.write_all(&member.header)?;
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
            members.push(Member { header: header(&name, meta.len())?, source, size: meta.len() });
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

/// The header blocks of a file: one, or three when its name is longer than 100 bytes.
fn header(name: &str, size: u64) -> io::Result<Vec<u8>> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_size(size);
    let mut archive = Builder::new(Vec::new());
    // The contents follow when they are sent.
    archive.append_data(&mut header, name, io::empty())?;
    Ok(archive.get_ref().clone())
}

#[cfg(test)]
mod tests {
    use super::{Tar, header};

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
        let n_bytes = |n: usize| header(&"x".repeat(n), 0).map(|blocks| blocks.len()).ok();
        assert_eq!((n_bytes(101), n_bytes(100)), (Some(3 * 512), Some(512)));
    }
}
