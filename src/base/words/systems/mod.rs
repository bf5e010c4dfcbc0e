//! Words of single systems in Chinese, a file each; lessons apart, because they are long.

pub(super) mod zh_android;
#[cfg(feature = "demo")]
pub(super) mod zh_demo;
pub(super) mod zh_lessons;
pub(super) mod zh_perfetto;
