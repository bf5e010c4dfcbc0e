//! What the parts share: the plan, the chosen cell, and what the user changed.

use crate::base::number::{MISSING, thousands, with_unit};
use crate::base::unit::Unit;
use crate::draw::style::series_ink;
use crate::pane::context::ViewContext;
use crate::ui::{follow, follow_into};
use crate::views::plan::compute::{
    COUNTS, Emitter, KERNEL, PARAMETERS, Plan, RECORDS, SIZES, SLACK, WITHOUT,
};
use crate::views::plan::messages::{PlanQuery, Reply, Shown};
use leptos::prelude::*;

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct PlanState {
    pub(super) context: ViewContext,
    pub(super) shown: RwSignal<Option<Shown>>,
    /// The chosen block, and the type of the chosen cell.
    pub(super) block: RwSignal<Option<usize>>,
    pub(super) record_type: RwSignal<Option<usize>>,
    /// What writes the records of the chosen block.
    pub(super) emitters: RwSignal<Vec<Emitter>>,
    /// Whether bars of buffers share one scale of bytes.
    pub(super) is_in_bytes: RwSignal<bool>,
}

/// What can be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Records of a type that a block writes: row of the block, row of the type.
    Records(usize, usize),
    /// Executions of a block.
    Count(usize),
    /// Bytes of a record of a type.
    Size(usize),
}

/// Parameters that hold edits.
const EDITS: [&str; 4] = [RECORDS.id, COUNTS.id, SIZES.id, WITHOUT.id];

/// A number for people, or a dash.
pub(super) fn number(n: Option<u64>) -> String {
    n.map_or_else(|| MISSING.to_owned(), thousands)
}

/// Bytes in a unit that fits them.
pub(super) fn size(bytes: u64) -> String {
    with_unit(bytes as f64, &Unit::Bytes)
}

impl PlanState {
    pub(super) fn new(context: ViewContext) -> Self {
        let state = Self {
            context,
            shown: RwSignal::new(None),
            block: RwSignal::new(None),
            record_type: RwSignal::new(None),
            emitters: RwSignal::default(),
            is_in_bytes: RwSignal::new(false),
        };
        state.restore();
        state.follow();
        state
    }

    /// Takes over what the address says of this view, and keeps the address up to date.
    fn restore(self) {
        let take = move |name: &str, value: String| match name {
            "block" => self.block.set(value.parse().ok()),
            "type" => self.record_type.set(value.parse().ok()),
            "scale" => self.is_in_bytes.set(value == "bytes"),
            _ => {}
        };
        let list = move || {
            [
                ("block", self.block.get().map(|row| row.to_string())),
                ("type", self.record_type.get().map(|row| row.to_string())),
                ("scale", self.is_in_bytes.get().then(|| "bytes".to_owned())),
            ]
        };
        self.context.restore(super::VIEW.id, take, list);
    }

    /// Asks anew when what is asked about changes.
    fn follow(self) {
        let context = self.context;
        let revision = Memo::new(move |_| context.head.with(|head| (head.contents.planned, head.revision)));
        let values = Memo::new(move |_| {
            context.values.with(|values| {
                let own =
                    values.iter().filter(|(id, _)| PARAMETERS.iter().any(|parameter| parameter.id == **id));
                own.map(|(id, text)| (id.clone(), text.clone())).collect::<Vec<_>>()
            })
        });
        let ask = move || {
            let _ = revision.get();
            Some(context.ask(PlanQuery::Plan(values.get())))
        };
        follow_into(self.shown, ask, move |reply| {
            let Some(Reply::Plan(shown)) = reply else { return None };
            let shown = shown.map(|shown| *shown);
            let hottest = shown.as_ref().and_then(|shown| shown.plan.sums.hottest);
            // The eye goes to the largest cell first.
            if let Some((block, of)) = hottest.filter(|_| self.block.try_get_untracked() == Some(None)) {
                self.block.try_set(Some(block));
                self.record_type.try_set(Some(of));
            }
            Some(shown)
        });
        let ask = move || {
            let _ = revision.get();
            let (values, row) = (values.get(), self.block.get());
            if row.is_none() {
                self.emitters.set(Vec::new());
            }
            Some(context.ask(PlanQuery::Block { row: row?, values }))
        };
        follow(ask, move |reply| {
            if let Some(Reply::Block(emitters)) = reply {
                self.emitters.try_set(emitters);
            }
        });
    }

    /// Something of the plan; its default while there is none.
    pub(super) fn of<T: Default>(self, read: impl FnOnce(&Plan) -> T) -> T {
        self.shown.with(|shown| shown.as_ref().map_or_else(T::default, |shown| read(&shown.plan)))
    }

    /// The color of a type.
    pub(super) fn color(self, of: usize) -> String {
        self.context.palette.with(|palette| format!("#{:08x}", palette.rgba(series_ink(of))))
    }

    /// Name of a type, label of a block.
    pub(super) fn type_name(self, of: usize) -> String {
        self.of(|plan| plan.sheet.types.get(of).map(|one| one.record_type.name.clone()).unwrap_or_default())
    }

    /// Label of a block.
    pub(super) fn label(self, row: usize) -> String {
        self.of(|plan| plan.sheet.blocks.get(row).map(|block| block.block.label.clone()).unwrap_or_default())
    }

    /// The text of a parameter.
    pub(super) fn value(self, id: &str) -> String {
        self.context.values.with(|values| values.get(id).cloned().unwrap_or_default())
    }

    /// Shows another kernel; edits are of the one before.
    pub(super) fn choose_kernel(self, name: String) {
        self.context.values.update(|values| values.retain(|id, _| !EDITS.contains(&id.as_str())));
        self.block.set(None);
        self.record_type.set(None);
        self.context.set_value(KERNEL.id, name);
    }

    /// Takes all edits back.
    pub(super) fn reset(self) {
        self.context.values.update(|values| values.retain(|id, _| !EDITS.contains(&id.as_str())));
        self.context.send_values();
    }

    /// Edits a number; the number of the file takes the edit back.
    pub(super) fn edit(self, edit: &Edit, n: u64) {
        let found = untrack(|| {
            self.of(|plan| {
                let sheet = &plan.sheet;
                let label = |row: usize| sheet.blocks.get(row).map(|block| block.block.label.clone());
                Some(match *edit {
                    Edit::Records(row, of) => {
                        let one = sheet.types.get(of)?;
                        let base = sheet.blocks.get(row)?.block.records.get(of).map_or(0, |(n, _)| *n);
                        (RECORDS.id, format!("{}/{}", label(row)?, one.record_type.name), Some(base))
                    }
                    Edit::Count(row) => (COUNTS.id, label(row)?, sheet.blocks.get(row)?.counted),
                    Edit::Size(of) => {
                        let one = sheet.types.get(of)?;
                        (SIZES.id, one.record_type.name.clone(), Some(one.record_type.bytes))
                    }
                })
            })
        });
        let Some((id, name, base)) = found else { return };
        let text = untrack(|| self.value(id));
        let mut rows: Vec<String> =
            text.split(';').filter(|row| !row.trim().is_empty()).map(str::to_owned).collect();
        rows.retain(|row| row.split(',').next().map(str::trim) != Some(name.as_str()));
        if base != Some(n) {
            rows.push(format!("{name},{n}"));
        }
        self.context.set_value(id, rows.join(";"));
    }

    /// Leaves a type or a block out, or takes it in again.
    pub(super) fn leave_out(self, name: &str, is_out: bool) {
        let text = untrack(|| self.value(WITHOUT.id));
        let own = text.split(';').map(str::trim).filter(|other| !other.is_empty() && *other != name);
        let mut names: Vec<&str> = own.collect();
        if is_out {
            names.push(name);
        }
        self.context.set_value(WITHOUT.id, names.join(";"));
    }

    /// How much slack is set; none is 0.
    pub(super) fn slack(self) -> String {
        let text = self.value(SLACK.id);
        if text.is_empty() { "0".to_owned() } else { text }
    }
}
