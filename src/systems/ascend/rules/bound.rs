//! What a change of pipes can save at most: no order of the same work ends before the pipe that needs most of one core.

use super::operator::{Kind, Pipe};
use super::seen::Seen;
use crate::analysis::compare::units::Follows;
use crate::analysis::finding::{Number, Saving};
use crate::base::number::{fixed, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};

/// What remains of the time, and what can be saved of it at most.
pub(super) struct Rest {
    /// In the unit of the whole.
    pub(super) saved: f64,
    /// What holds the rest, as the end of a sentence.
    pub(super) text: Message,
    /// What it takes; `None` where nothing tells it.
    pub(super) number: Option<Number>,
}

/// What remains if a pipe of a kind of core took no time; without one, if the pipes of each core passed at the same time.
///
/// Cores of one kind wait for those of another, and nothing tells how long: of their time nothing remains for sure but what
/// their pipes need, however long they took.
pub(super) fn rest(seen: &Seen, without: Option<(&Kind, &Pipe)>) -> Rest {
    let is_gone = |kind: &Kind, pipe: &Pipe| {
        without.is_some_and(|(own, gone)| own.name == kind.name && gone.name == pipe.name)
    };
    let pipes = || seen.kinds.iter().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
    let longest = seen.longest();
    if seen.unit == Unit::Share || pipes().any(|(_, pipe)| pipe.need.is_none()) {
        return by_share(seen, longest, is_gone);
    }
    let others = pipes().filter(|(kind, pipe)| !is_gone(kind, pipe));
    let most = others.filter_map(|(kind, pipe)| Some((pipe.need.filter(|need| 0.0 < *need)?, kind, pipe)));
    let Some((need, kind, pipe)) = most.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return whole(longest);
    };
    let saved = (longest - need).max(0.0);
    let time = |value: f64| with_unit(value, &seen.unit);
    // What a kind of core does not take at all cannot be saved of it.
    let own = without.map(|(kind, _)| (kind, seen.time(kind))).filter(|(_, own)| *own < saved);
    if let Some((kind, own)) = own {
        let text = message("the {kind} cores take {time} in all, and start together.");
        let number = Number::new(phrase("Longest of these cores"), own, seen.unit.clone());
        let text = text.with("kind", &kind.name).with("time", time(own));
        return Rest { saved: own, text, number: Some(number) };
    }
    let text = message("{pipe} of the {kind} cores still takes {time}.");
    let text = text.with("pipe", &pipe.name).with("kind", &kind.name).with("time", time(need));
    let number = Number::new(phrase("What another pipe needs"), need, seen.unit.clone());
    let which = format!("{} {}", kind.name, pipe.name);
    let number = number.note(which.clone()).of(which).of_units(pipe.needs.clone(), Follows::Most);
    Rest { saved, text, number: Some(number) }
}

/// Where only shares are known: of whatever kind of core lasts longest, so much is still needed.
fn by_share(seen: &Seen, longest: f64, is_gone: impl Fn(&Kind, &Pipe) -> bool) -> Rest {
    let least = |kind: &Kind| {
        let others = kind.pipes.iter().filter(|pipe| !is_gone(kind, pipe));
        others.map(|pipe| pipe.of_every.min(100.0)).fold(0.0, f64::max)
    };
    let share = seen.kinds.iter().map(least).reduce(f64::min).unwrap_or(0.0);
    if share <= 0.0 {
        return whole(longest);
    }
    let text = message("another pipe still needs at least {n} % of the time of every core.");
    Rest {
        saved: longest * (1.0 - share / 100.0),
        text: text.with("n", fixed(share, 1)),
        number: Some(Number::new(phrase("What another pipe needs"), share, Unit::Percent)),
    }
}

fn whole(saved: f64) -> Rest {
    Rest { saved, text: message("what other pipes need of each core is not recorded."), number: None }
}

impl Rest {
    /// As the saving of a finding, with what it supposes: `If MTE2 took no time: `.
    pub(super) fn saving(&self, seen: &Seen, model: Message) -> Saving {
        if self.saved <= 0.0 {
            return Saving::default();
        }
        let model = model.with_message("rest", self.text.clone());
        Saving::at_most(self.saved, seen.whole, seen.unit.clone(), model).of(seen.share())
    }
}
