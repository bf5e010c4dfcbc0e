//! Memory traces as the tool lays them out, in all variants. The numbers are made up.

/// How a file is written.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) words: usize,
    pub(crate) has_tiles: bool,
    /// `None` where no word says it.
    pub(crate) times: Option<bool>,
}

pub(crate) const B: Layout = Layout { words: 19, has_tiles: false, times: None };
pub(crate) const C: Layout = Layout { words: 19, has_tiles: true, times: None };
pub(crate) const D: Layout = Layout { words: 20, has_tiles: true, times: Some(false) };
pub(crate) const D_TIMES: Layout = Layout { words: 20, has_tiles: true, times: Some(true) };

/// A field that the device does not have.
pub(crate) const ABSENT: u32 = u32::MAX;
/// Bytes of a register.
pub(crate) const REGISTER: usize = 32;

/// A send by its nineteen words.
#[derive(Clone, Copy)]
pub(crate) struct Send(pub(crate) [u32; 19]);

impl Send {
    /// A scattered access of 16 lanes with 4 bytes each.
    pub(crate) fn scatter(offset: u32, is_write: bool) -> Self {
        Self([offset, is_write.into(), 1, 1, 0, 0, 0, 0, 32, 16, 0, 2, 1, 0, 0, 4, 1, 16, 0])
    }

    pub(crate) fn with(mut self, word: usize, value: u32) -> Self {
        self.0[word] = value;
        self
    }

    fn head() -> Self {
        Self([0, 0, 0, 1, 0, 0, 0, 0, 32, 8, 0, 1, 1, 0, 0, 4, 1, 8, 0])
    }

    fn end(offset: u32) -> Self {
        Self([offset, 0, 0, 1, 0, 0, 0, 0, 32, 16, 0, 0, 1, 1, 0, 4, 1, 1, 0])
    }

    fn payload(&self) -> usize {
        self.0[11] as usize * REGISTER
    }
}

/// Blocks: the head of a thread, loads (scattered, of a block, of a rectangle, of shared memory), a store, the end.
pub(crate) fn blocks() -> Vec<(u32, Vec<Send>)> {
    let scatter = Send::scatter;
    vec![
        (0, vec![Send::head()]),
        (3, vec![scatter(0x210, false), scatter(0x230, false).with(8, 64).with(11, 4)]),
        (4, vec![scatter(0x2f8, true).with(17, 8).with(18, 8).with(11, 1)]),
        (
            6,
            vec![
                scatter(0x310, false).with(2, 0).with(11, 1).with(16, 16),
                scatter(0x320, false).with(14, 1).with(11, 1),
            ],
        ),
        (7, vec![scatter(0x330, true).with(4, 1).with(3, 0)]),
        (8, vec![]),
        (9, vec![Send::end(0x350)]),
    ]
}

/// One record: the block, the mask, and the numbers of each payload, in units of the width of its addresses.
pub(crate) type Record = (u32, u32, Vec<Vec<u64>>);

/// What one software thread does.
pub(crate) fn software_thread(group: u32, base: u64) -> Vec<Record> {
    let lanes = |stride: u64| (0..16).map(|lane| base + stride * lane).collect::<Vec<u64>>();
    let far = |stride: u64| (0..16).map(|lane| 0x1_0000_0000 + base + stride * lane).collect::<Vec<u64>>();
    let mut head = vec![0; 8];
    (head[1], head[6], head[7]) = (u64::from(group), 2, 3);
    let block = vec![0, 0, base + 0x8000, 0, 0, 0, 0, 0];
    let media = vec![64, 8, 31 | 7 << 16, 0, 0, 0, 0, 0];
    vec![
        (0, 0xFFFF, vec![head]),
        (3, 0xFFFF, vec![lanes(4), far(256)]),
        (3, 0x00FF, vec![lanes(8), far(8)]),
        (8, 0x00FF, vec![]),
        (4, 0xFF00, vec![lanes(4)[..8].to_vec()]),
        (6, 0xFFFF, vec![block, media]),
        (7, 0xFFFF, vec![lanes(4)]),
        (9, 0xFFFF, vec![vec![]]),
    ]
}

/// Hardware threads: five numbers, and their records.
pub(crate) fn threads() -> Vec<([u32; 5], Vec<Record>)> {
    vec![
        ([1, ABSENT, 0, 3, 2], software_thread(4, 0x4000)),
        ([0, ABSENT, 0, 0, 1], [software_thread(5, 0x1000), software_thread(6, 0x2000)].concat()),
    ]
}

/// A file.
pub(crate) fn file(
    layout: Layout,
    blocks: &[(u32, Vec<Send>)],
    threads: &[([u32; 5], Vec<Record>)],
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut word = |n: u32| out.extend(n.to_le_bytes());
    word(blocks.len() as u32);
    for (id, sends) in blocks {
        word(*id);
        word(sends.len() as u32);
        for send in sends {
            for (at, value) in send.0.iter().enumerate() {
                if at == 8 && layout.words == 20 {
                    word(0);
                }
                word(*value);
            }
        }
    }
    word(REGISTER as u32);
    layout.times.into_iter().for_each(|has| word(has.into()));
    if layout.has_tiles {
        word(1);
        word(0);
    }
    word(threads.len() as u32);
    let mut time = 1_000_u64;
    for (fields, records) in threads {
        fields.iter().for_each(|field| out.extend(field.to_le_bytes()));
        out.extend((records.len() as u32).to_le_bytes());
        for (id, mask, payloads) in records {
            out.extend(id.to_le_bytes());
            out.extend(mask.to_le_bytes());
            let has_times = layout.times == Some(true);
            if has_times {
                out.extend(time.to_le_bytes());
            }
            let sends = &blocks.iter().find(|(block, _)| block == id).unwrap().1;
            for (n, (send, values)) in sends.iter().zip(payloads).enumerate() {
                if has_times && 0 < n {
                    fields.iter().for_each(|field| out.extend(field.to_le_bytes()));
                    out.extend(time.to_le_bytes());
                    out.extend(vec![0; REGISTER - 28]);
                }
                let mut payload: Vec<u8> = match send.0[8] {
                    64 => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
                    _ => values.iter().flat_map(|value| (*value as u32).to_le_bytes()).collect(),
                };
                payload.resize(send.payload(), 0);
                out.extend(payload);
            }
            time += 37;
        }
    }
    out
}
