//! Writes the samples of the welcome page: `cargo run --example make_samples`. Uses std alone.
//!
//! Nothing here was measured and nothing was copied: a small model of a chip runs an invented kernel, a small model of a
//! training step launches invented kernels. What they do is written in the format that the real tools write.

mod attention;
mod blocks;
mod chip;
mod pen;
mod training;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// One sample: its files, and what the welcome page says of it.
struct Sample {
    id: &'static str,
    title: &'static str,
    note: &'static str,
    file: &'static str,
    bytes: Vec<u8>,
    picture: Vec<Rect>,
}

/// A rectangle of a miniature: slice color (0 waits), x, y, width, height.
type Rect = (u8, f32, f32, f32, f32);

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples");
    fs::create_dir_all(&folder)?;
    let samples = [attention::sample(), training::sample()];
    let mut index = String::from("[\n");
    for (n, sample) in samples.iter().enumerate() {
        fs::write(folder.join(sample.file), &sample.bytes)?;
        println!("{}: {} bytes", sample.file, sample.bytes.len());
        let rects: Vec<String> =
            sample.picture.iter().map(|(p, x, y, w, h)| format!("[{p},{x},{y},{w},{h}]")).collect();
        let _ = write!(
            index,
            "  {{\n    \"id\": \"{}\",\n    \"title\": \"{}\",\n    \"note\": \"{}\",\n    \"files\": [\"{}\"],\n    \"bytes\": {},\n    \"picture\": [{}]\n  }}{}\n",
            sample.id,
            sample.title,
            sample.note,
            sample.file,
            sample.bytes.len(),
            rects.join(","),
            if n + 1 < samples.len() { "," } else { "" },
        );
    }
    index.push_str("]\n");
    fs::write(folder.join("index.json"), index)
}
