//! Places that findings lead to: addresses as the page has them behind `#`.

use crate::analysis::named::{name_of, name_of_track};
use crate::base::pairs;
use crate::base::time::Span;
use crate::base::window::Window;
use crate::model::Trace;
use crate::model::code::CodeAddress;
use crate::model::id::{SliceId, TrackId};
use crate::navigation::route::{Route, SliceAddress};

/// A place that is being named.
#[derive(Clone, Debug, Default)]
pub struct Place(Route);

impl Place {
    /// A view by its id.
    pub fn view(id: &str) -> Self {
        Self(Route { view: Some(id.to_owned()), ..Route::default() })
    }

    /// With this time in sight, and an eighth of it on each side.
    #[must_use]
    pub fn around(mut self, span: Span) -> Self {
        self.0.window = Some(Window::around(span, 0.125));
        self
    }

    /// With this time chosen.
    #[must_use]
    pub fn range(mut self, span: Span) -> Self {
        self.0.selection.range = Some(span);
        self
    }

    /// With this slice chosen.
    #[must_use]
    pub fn slice(mut self, trace: &Trace, slice: SliceId) -> Self {
        self.0.slice = name_of(trace, slice).map(SliceAddress::Named);
        self
    }

    /// The chosen time is of these tracks.
    #[must_use]
    pub fn tracks(mut self, trace: &Trace, tracks: &[TrackId]) -> Self {
        self.0.selection.tracks = tracks.to_vec();
        self.0.selection.track_names.of = tracks.to_vec();
        self.0.selection.track_names.names =
            tracks.iter().filter_map(|id| name_of_track(trace, *id)).collect();
        self
    }

    /// With this figure of Details chosen, and the options chosen of it.
    #[must_use]
    pub fn figure(mut self, id: &str, chosen: &[usize]) -> Self {
        self.0.selection.figure = Some((id.to_owned(), chosen.to_vec()));
        self
    }

    /// With this line of a listing chosen.
    #[must_use]
    pub fn line(mut self, listing: &str, line: u32) -> Self {
        self.0.selection.line = Some((listing.to_owned(), line));
        self
    }

    /// With this instruction chosen.
    #[must_use]
    pub fn instruction(mut self, at: CodeAddress) -> Self {
        self.0.selection.address = Some(at);
        self
    }

    /// With this in the state of the view: the name and value that its own address has.
    #[must_use]
    pub fn state(mut self, name: &str, value: &str) -> Self {
        let view = self.0.view.clone().unwrap_or_default();
        let text = self.0.states.entry(view).or_default();
        let mut all = pairs::split(text);
        all.push((name.to_owned(), value.to_owned()));
        *text = pairs::join(all.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self
    }

    /// What else an address holds.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Route)) -> Self {
        change(&mut self.0);
        self
    }

    /// The address behind `#`.
    pub fn address(&self) -> String {
        self.0.text()
    }
}
