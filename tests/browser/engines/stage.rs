//! The view that a profile is walked through in: where something lies in its picture, and what the address and its files
//! say of it.

/// A view with a picture that can be zoomed and selected in.
pub(crate) struct Stage {
    /// Its tab.
    pub(crate) tab: &'static str,
    /// What is there once it is built.
    pub(crate) built: &'static str,
    /// So many pixels of its picture are overview and ruler.
    pub(crate) top: u32,
    /// What tells of something that was clicked.
    pub(crate) detail: &'static str,
    /// How much its picture shows from left to right, by the address; more than anything where all is shown.
    pub(crate) width: &'static str,
    /// The rows that it saves: what the menu calls them, the end of the file's name, and how the file begins.
    pub(crate) csv: [&'static str; 3],
    /// What the menu calls its picture.
    pub(crate) png: &'static str,
}

pub(crate) const TIMELINE: Stage = Stage {
    tab: "tab-timeline",
    built: "document.querySelector('[role=tree] [role=treeitem]')",
    top: 48,
    detail: "document.querySelector('.detail__title')",
    width: "Number((new URLSearchParams(location.hash.slice(1)).get('window') ?? 'all').replace('all', '1e300').split(',').at(-1))",
    csv: ["slices-csv", ".slices.csv", "track_path,name,start_"],
    png: "Visible timeline as PNG",
};

pub(crate) const TRACE: Stage = Stage {
    tab: "tab-trace",
    built: "document.querySelector('.executions__surface canvas')?.checkVisibility()",
    top: 64,
    detail: "document.querySelector('.executions__fact')",
    width: "(([from, to]) => to - from)((new URLSearchParams(new URLSearchParams(location.hash.slice(1)).get('s.trace')).get('at') ?? '0,1e300').split(','))",
    csv: ["lane-accesses-csv", ".accesses.csv", "launch,thread,instance,ordinal,pc,lane,address,"],
    png: "Save as PNG",
};

pub(crate) const SCHEDULE: Stage = Stage {
    tab: "tab-schedule",
    built: "document.querySelector('.schedule__surface canvas')?.checkVisibility()",
    top: 74,
    detail: "document.querySelector('.schedule__detail .detail__name')",
    width: "(([from, to]) => to - from)((new URLSearchParams(new URLSearchParams(location.hash.slice(1)).get('s.schedule')).get('time') ?? '0,1e300').split(','))",
    csv: ["map-csv", ".map.csv", "block,unit,record,start,elapsed,"],
    png: "Save as PNG",
};
