//! Tables as `FlatBuffers` writes them.

/// A table of `FlatBuffers`: its bytes and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Table<'a>(pub(super) &'a [u8], pub(super) usize);

pub(super) fn int<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

pub(super) fn number32(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(int(bytes, at)?)).ok()
}

pub(super) fn number64(bytes: &[u8], at: usize) -> Option<i64> {
    Some(i64::from_le_bytes(int(bytes, at)?))
}

impl<'a> Table<'a> {
    pub(super) fn root(bytes: &'a [u8]) -> Option<Self> {
        Some(Self(bytes, number32(bytes, 0)?))
    }

    /// Where a field begins; `None` where it has its default.
    pub(super) fn field(self, number: usize) -> Option<usize> {
        let Self(bytes, at) = self;
        let back = i32::from_le_bytes(int(bytes, at)?);
        let fields = usize::try_from(i64::try_from(at).ok()? - i64::from(back)).ok()?;
        let size = usize::from(u16::from_le_bytes(int(bytes, fields)?));
        let slot = 4 + 2 * number;
        if size < slot + 2 {
            return None;
        }
        let offset = usize::from(u16::from_le_bytes(int(bytes, fields.checked_add(slot)?)?));
        (0 < offset).then(|| at.checked_add(offset)).flatten()
    }

    pub(super) fn byte(self, number: usize) -> u8 {
        self.field(number).and_then(|at| self.0.get(at).copied()).unwrap_or(0)
    }

    pub(super) fn short(self, number: usize) -> i64 {
        self.field(number).and_then(|at| int(self.0, at)).map_or(0, |b| i64::from(i16::from_le_bytes(b)))
    }

    pub(super) fn whole(self, number: usize) -> i64 {
        self.field(number).and_then(|at| int(self.0, at)).map_or(0, |b| i64::from(i32::from_le_bytes(b)))
    }

    pub(super) fn long(self, number: usize) -> i64 {
        self.field(number).and_then(|at| number64(self.0, at)).unwrap_or(0)
    }

    pub(super) fn table(self, number: usize) -> Option<Self> {
        let at = self.field(number)?;
        Some(Self(self.0, at.checked_add(number32(self.0, at)?)?))
    }

    /// A text of so many bytes at most, else none: many fields may share a long one.
    pub(super) fn text(self, number: usize, most: usize) -> String {
        let text = || {
            let at = self.field(number)?;
            let at = at.checked_add(number32(self.0, at)?)?;
            let size = number32(self.0, at).filter(|size| *size <= most)?;
            self.0.get(at.checked_add(4)?..at.checked_add(4)?.checked_add(size)?)
        };
        text().map_or(String::new(), |bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Where the items of a vector begin, and how many they are.
    pub(super) fn vector(self, number: usize) -> (usize, usize) {
        let vector = || {
            let at = self.field(number)?;
            let at = at.checked_add(number32(self.0, at)?)?;
            // Each item takes some bytes: no more are said than can be there.
            Some((at.checked_add(4)?, number32(self.0, at)?.min(self.0.len())))
        };
        vector().unwrap_or((0, 0))
    }

    pub(super) fn tables(self, number: usize) -> impl Iterator<Item = Self> {
        let (first, n) = self.vector(number);
        (0..n).map_while(move |at| {
            let at = first.checked_add(4 * at)?;
            Some(Self(self.0, at.checked_add(number32(self.0, at)?)?))
        })
    }
}
