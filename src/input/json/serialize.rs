//! Values of files as JSON: digits, texts and orders stay as the file has them; what JSON cannot say (NaN, infinities)
//! becomes null.

use super::Json;
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => to.serialize_unit(),
            Json::Bool(truth) => to.serialize_bool(*truth),
            Json::Number(digits) => Digits(digits).serialize(to),
            Json::String(text) => to.serialize_str(text),
            Json::Array(items) => to.collect_seq(items),
            Json::Object(members) => to.collect_map(members.iter().map(|(name, value)| (name, value))),
        }
    }
}

/// Digits as a number, to the last of them; null when they are none.
pub struct Digits<'a>(pub &'a str);

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let digits = self.0.trim();
        if let Ok(raw) = serde_json::from_str::<&RawValue>(digits)
            && raw.get().starts_with(|c: char| c == '-' || c.is_ascii_digit())
        {
            return raw.serialize(to);
        }
        // Numbers that only lenient readers take, such as `.5` and `+1`.
        digits.parse::<f64>().ok().filter(|v| v.is_finite()).serialize(to)
    }
}
