//! Every limit in one table. Reaching one is a fault that is said in words, never a freeze.

/// Deepest nesting of JSON values that is followed; deeper values are passed over.
pub const JSON_DEPTH: usize = 512;
/// Longest text that is interned (names); longer ones are cut and said.
pub const NAME_BYTES: usize = 16 * 1024;
/// Longest single event or record of a text format that is read; longer ones are passed over.
pub const RECORD_BYTES: usize = 64 * 1024 * 1024;
/// Largest JSON block that is held whole to become a tree. Blocks of real profiles have some hundred kilobytes.
pub const TREE_BYTES: u64 = 512 * 1024 * 1024;
/// Most memory that the tree of one JSON text may take; what comes after is left out and said. A tree holds three to nine
/// times the bytes of its text in a worker (a test of the reader that makes the largest ones measures it), so nearly all blocks below
/// [`TREE_BYTES`] fit, and both fit beside the rest of a document into the 4 GiB of a worker.
pub const TREE_ROOM: usize = 1_500_000_000;
/// Most rows of one table.
pub const ROWS: usize = u32::MAX as usize - 1;
/// Faults kept whole; more are only counted.
pub const FAULTS: usize = 1_000;
/// Faults of one code kept whole; more of it are folded into the last.
pub const FAULTS_OF_A_KIND: usize = 20;
/// Deepest nesting of archives.
pub const ARCHIVE_DEPTH: usize = 3;
/// Most entries of one bundle.
pub const ENTRIES: usize = 200_000;
/// Largest growth of an unpacked entry against its packed size, beyond the first 64 MiB and as far as all may grow together.
pub const UNPACK_RATIO: u64 = 1_200;
/// Largest growth of all packed entries of one gesture together against what was given, beyond the first
/// [`UNPACKED`] bytes: real traces shrink to a hundredth at most.
pub const UNPACKED_RATIO: u64 = 100;
/// Bytes that packed entries may come to together, however small they are.
pub const UNPACKED: u64 = 512 << 20;
/// Bytes of a stream that are kept while no format is known of it.
pub const UNKNOWN: u64 = 64 << 20;
/// Bytes handed to a reader at a time when a source is read by slices.
pub const CHUNK: usize = 1 << 20;
/// Most blocks of one container.
pub const BLOCKS: usize = 200_000;
/// Bytes that are searched in all for the next sound header after damage in one container.
pub const SEARCH_BYTES: u64 = 256 * 1024 * 1024;
