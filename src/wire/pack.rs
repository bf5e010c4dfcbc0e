//! Messages as bytes: small, exact to the last bit of a float, and read by little code.
//!
//! Page and worker are built together, so names of fields need not cross; [`super::VERSION`] tells two builds apart.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The bytes of a message.
pub fn pack<T: Serialize>(message: &T) -> Vec<u8> {
    // Fails only for types that cannot tell their length, and no message has one.
    postcard::to_allocvec(message).unwrap_or_default()
}

/// The message of some bytes.
///
/// # Errors
/// One sentence when they are not one.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|e| format!("{} bytes are not a message: {e}", bytes.len()))
}
