//! Several files in one input: what the fuzzer changes is a single run of bytes, but many formats are folders.
//!
//! Each file is [`MARK`], its path, a line end and its bytes. Nothing says how long a file is, so that bytes can be put in
//! and left out anywhere. An input without a mark at its begin is one file as it is, so any file can be tried.

/// Stands before each file.
pub const MARK: &[u8] = b"\0\xf0file\xf0\0";

/// Files: path and bytes of each.
pub type Files = Vec<(String, Vec<u8>)>;

/// Most files of an input: more only take longer to look at.
const MOST: usize = 64;
/// Longest path.
const PATH: usize = 255;

/// The input that stands for these files.
pub fn joined(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let parts = files.iter().map(|(path, bytes)| [MARK, path.as_bytes(), b"\n", bytes].concat());
    parts.collect::<Vec<_>>().concat()
}

/// The files of an input; `name` is that of one that stands for itself.
pub fn split(input: &[u8], name: &str) -> Files {
    let Some(mut rest) = input.strip_prefix(MARK) else {
        return vec![(name.to_owned(), input.to_vec())];
    };
    let mut files = Files::new();
    while files.len() < MOST {
        let end = rest.windows(MARK.len()).position(|at| at == MARK);
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        let line = part.iter().take(PATH).position(|&b| b == b'\n');
        let (path, bytes) = line.map_or((name.as_bytes(), part), |at| (&part[..at], &part[at + 1..]));
        files.push((String::from_utf8_lossy(path).into_owned(), bytes.to_vec()));
        match after.strip_prefix(MARK) {
            Some(next) => rest = next,
            None => break,
        }
    }
    files
}
