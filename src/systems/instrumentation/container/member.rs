//! Members of the manifest, each with the way to it: a number that cannot be read is said, and none is taken in its place.

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::{Message, message, phrase};
use crate::input::json::Json;
use std::fmt::Display;

/// A number could not be read, and that was said.
pub(super) struct Unreadable;

/// The text of a manifest, and who hears what is wrong with it.
pub(super) struct Text<'a> {
    pub(super) path: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) say: &'a dyn Fn(Fault),
}

/// A value of a manifest.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    json: &'a Json<'a>,
    text: &'a Text<'a>,
    /// What it is in, and where.
    above: Option<(&'a Member<'a>, Step<'a>)>,
    /// Whether it is left out, and nothing around it, where a number in it cannot be read.
    is_part: bool,
}

/// The way from a value to one in it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

impl<'a> Member<'a> {
    /// The whole manifest.
    pub(super) fn root(json: &'a Json<'a>, text: &'a Text<'a>) -> Self {
        Self { json, text, above: None, is_part: true }
    }

    pub(super) fn json(&self) -> &'a Json<'a> {
        self.json
    }

    /// The member of this name.
    pub(super) fn get<'b>(&'b self, key: &'b str) -> Option<Member<'b>> {
        let above = Some((self, Step::Key(key)));
        self.json.get(key).map(|json| Member { json, text: self.text, above, is_part: false })
    }

    /// A text or number as text; empty for none.
    pub(super) fn text(&self, key: &str) -> String {
        text(self.json, key)
    }

    /// What is made of each member of a list, without those that have a number that cannot be read.
    pub(super) fn parts<T>(&self, key: &str, of: impl Fn(&Member) -> Result<T, Unreadable>) -> Vec<T> {
        let all = self.get(key).map_or_else(Vec::new, |list| list.items(true, of));
        all.into_iter().flatten().collect()
    }

    /// What is made of a member; `None` where it is absent, or has a number that cannot be read.
    pub(super) fn part<T>(&self, key: &str, of: impl Fn(&Member) -> Result<T, Unreadable>) -> Option<T> {
        let part = self.get(key).filter(|part| !part.json.is_null())?;
        of(&Member { is_part: true, ..part }).ok()
    }

    /// What is made of each member of a list; nothing where one has a number that cannot be read.
    pub(super) fn all<T>(
        &self,
        key: &str,
        of: impl Fn(&Member) -> Result<T, Unreadable>,
    ) -> Result<Vec<T>, Unreadable> {
        self.get(key).map_or_else(|| Ok(Vec::new()), |list| list.items(false, of).into_iter().collect())
    }

    /// What is made of each of its own items.
    pub(super) fn items<T>(&self, is_part: bool, of: impl Fn(&Member) -> T) -> Vec<T> {
        let items = self.json.items().iter().enumerate();
        let item = |(n, json)| Member { json, text: self.text, above: Some((self, Step::Item(n))), is_part };
        items.map(|found| of(&item(found))).collect()
    }

    /// A number, or the default where there is none.
    pub(super) fn number<T: TryFrom<u64>>(&self, key: &str, default: T) -> Result<T, Unreadable> {
        self.optional(key).map(|found| found.unwrap_or(default))
    }

    /// A number; `None` where there is none.
    pub(super) fn optional<T: TryFrom<u64>>(&self, key: &str) -> Result<Option<T>, Unreadable> {
        self.limited(key, expected::<T>(), |_| true)
    }

    /// The same where not every number will do.
    pub(super) fn limited<T: TryFrom<u64>>(
        &self,
        key: &str,
        expected: &'static str,
        is_right: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, Unreadable> {
        let Some(found) = self.present(key) else { return Ok(None) };
        found.read().filter(is_right).map(Some).ok_or_else(|| found.leave_out(expected, found.excerpt()))
    }

    /// A number that only tells something about what it is in; `None` where there is none, or it cannot be read.
    pub(super) fn fact<T: TryFrom<u64>>(&self, key: &str) -> Option<T> {
        let found = self.present(key)?;
        let read = found.read();
        if read.is_none() {
            let note = phrase("This number is left out.").into();
            found.say(Severity::Warning, (expected::<T>(), found.excerpt()), note);
        }
        read
    }

    /// A number that figures cannot do without: the default, too, where it cannot be read, which is said.
    pub(super) fn assumed<T: TryFrom<u64> + Display>(
        &self,
        key: &str,
        (expected, default): (&'static str, T),
        is_right: impl Fn(&T) -> bool,
    ) -> T {
        let Some(found) = self.present(key) else { return default };
        found.read().filter(is_right).unwrap_or_else(|| {
            let note = message("{n} is assumed.").with("n", &default);
            found.say(Severity::Warning, (expected, found.excerpt()), note);
            default
        })
    }

    /// The member of this name. One that is `null` is as good as none, but that is said.
    fn present<'b>(&'b self, key: &'b str) -> Option<Member<'b>> {
        let found = self.get(key)?;
        if found.json.is_null() {
            let note = phrase("It counts as missing.").into();
            found.say(Severity::Warning, (phrase("a whole number"), found.excerpt()), note);
            return None;
        }
        Some(found)
    }

    fn read<T: TryFrom<u64>>(&self) -> Option<T> {
        T::try_from(whole(self.json.as_text()?)?).ok()
    }

    /// Says that something else stands here, and what is left out for it.
    pub(super) fn leave_out(&self, expected: &'static str, found: String) -> Unreadable {
        let mut part = self;
        while let Some((above, _)) = part.above.filter(|_| !part.is_part) {
            part = above;
        }
        let note = message("{path} is left out.").with("path", part.path());
        self.say(Severity::Loss, (expected, found), note);
        Unreadable
    }

    fn say(&self, severity: Severity, (expected, found): (&'static str, String), note: Message) {
        let kind = Kind::Unexpected { expected: expected.into(), found: found.into() };
        let place = Place { byte: self.byte(), ..Place::entry(self.text.path) };
        (self.text.say)(Fault::new("GMT-NUM", severity, place.block(self.path()), kind).note(note));
    }

    /// What stands here, shortened.
    pub(super) fn excerpt(&self) -> String {
        match self.json.as_text() {
            Some(text) => excerpt(text.as_bytes()),
            None => excerpt(serde_json::to_string(self.json).unwrap_or_default().as_bytes()),
        }
    }

    /// Where it stands, as far as its text was not copied.
    fn byte(&self) -> Option<u64> {
        let text = self.json.as_text()?;
        let at = text.as_ptr().addr().checked_sub(self.text.bytes.as_ptr().addr())?;
        (at < self.text.bytes.len()).then(|| u64::try_from(at).ok())?
    }

    /// The way to it, such as `dispatches[0].buffers[1].capacity`.
    pub(super) fn path(&self) -> String {
        match self.above {
            None => String::new(),
            Some((above, Step::Item(n))) => format!("{}[{n}]", above.path()),
            Some((above, Step::Key(key))) if above.above.is_none() => key.to_owned(),
            Some((above, Step::Key(key))) => format!("{}.{key}", above.path()),
        }
    }
}

/// A value as a number.
pub(super) fn value<T: TryFrom<u64>>(member: &Member) -> Result<T, Unreadable> {
    member.read().ok_or_else(|| member.leave_out(expected::<T>(), member.excerpt()))
}

fn expected<T>() -> &'static str {
    if size_of::<T>() < size_of::<u64>() {
        phrase("a whole number below 2^32")
    } else {
        phrase("a whole number below 2^64")
    }
}

/// The members of an array.
pub(super) fn list<'a>(json: &'a Json<'a>, key: &str) -> impl Iterator<Item = &'a Json<'a>> {
    json.get(key).map_or(&[][..], Json::items).iter()
}

/// A text or number as text; empty for none.
pub(super) fn text(json: &Json, key: &str) -> String {
    json.get(key).and_then(Json::as_text).unwrap_or_default().to_owned()
}

/// A whole number; also hexadecimal behind `0x`.
pub(super) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
