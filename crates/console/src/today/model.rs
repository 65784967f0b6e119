//! The answers of operations that the page reads.

use domain::{
    EventStatus, Format,
    time::{Millis, Timestamp},
};
use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use crate::view::View;

/// The fields of an event that the page needs.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub id: String,
    pub title: String,
    pub channel: String,
    pub status: EventStatus,
    pub due_at: Option<Timestamp>,
    pub assignees_names: Vec<String>,
    pub refusal_reason: Option<String>,
    /// The channels of the event's variants.
    #[serde(default)]
    pub canais: Vec<EventChannel>,
}

/// A channel on which an event is published.
#[derive(Debug, Deserialize)]
pub(super) struct EventChannel {
    pub canal: String,
    pub formato: Format,
    /// The channel's own publication time. `None` if the channel is published with the event.
    pub due_at: Option<Timestamp>,
    /// True if the hour of the channel has passed and the post is not online, or is not known to be
    /// online.
    #[serde(default)]
    pub atrasada: bool,
}

/// An approved event with channels that changed afterwards.
#[derive(Debug, Deserialize)]
pub(super) struct ChangedPiece {
    pub id: String,
    pub title: String,
    pub variantes: Vec<ChangedChannel>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChangedChannel {
    pub canal: String,
    pub formato: Format,
}

/// An entry of a list: an event, or some of its channels, that are due at the same instant.
#[derive(Debug)]
pub(super) struct Outing<'a> {
    pub event: &'a Event,
    pub at: Option<Millis>,
    /// The channels whose own publication time is `at`. Empty if the event itself is due.
    pub channels: Vec<&'a EventChannel>,
}

impl Event {
    /// Lists the due instants of the event and its channels in the span, each as one entry, in order of
    /// time.
    fn list_outings(&self, (from, until): (Millis, Millis)) -> Vec<Outing<'_>> {
        let channels = self.canais.iter().filter_map(|one| Some(one.due_at?.0));
        let own = self.due_at.map(|due| due.0);
        let mut instants: Vec<Millis> = channels.chain(own).collect();
        instants.retain(|at| (from..until).contains(at));
        instants.sort_unstable();
        instants.dedup();
        let outings = instants.into_iter().map(|at| Outing {
            event: self,
            at: Some(at),
            channels: match own == Some(at) {
                true => vec![],
                false => {
                    let channels = self.canais.iter();
                    let due = channels.filter(|one| one.due_at.is_some_and(|due| due.0 == at));
                    due.collect()
                }
            },
        });
        outings.collect()
    }

    /// Returns the entry of a late event. Contains the late channels only if the date of the event
    /// itself has not passed.
    fn late_outing(&self, now: Millis) -> Outing<'_> {
        let late = self.canais.iter().filter(|one| one.atrasada);
        let own = self.due_at.map(|due| due.0);
        let is_late_itself = own.is_some_and(|due| due < now);
        let channels: Vec<_> = match is_late_itself {
            true => vec![],
            false => late.collect(),
        };
        let first = channels.iter().filter_map(|one| Some(one.due_at?.0)).min();
        Outing {
            event: self,
            at: first.or(own),
            channels,
        }
    }

    /// Returns the event as one entry of a list.
    fn as_outing(&self) -> Outing<'_> {
        Outing {
            event: self,
            at: self.due_at.map(|due| due.0),
            channels: vec![],
        }
    }
}

/// Lists the events and channels that are due in the span, in order of time.
pub(super) fn list_outings(events: &[Event], span: (Millis, Millis)) -> Vec<Outing<'_>> {
    let outings = events.iter().flat_map(|event| event.list_outings(span));
    let mut outings: Vec<_> = outings.collect();
    outings.sort_by_key(|outing| outing.at);
    outings
}

/// Lists the late events, or their late channels, in order of time.
pub(super) fn list_late_outings(events: &[Event], now: Millis) -> Vec<Outing<'_>> {
    let mut late: Vec<_> = events.iter().map(|event| event.late_outing(now)).collect();
    late.sort_by_key(|outing| outing.at);
    late
}

/// Returns each event as one entry, in the given order.
pub(super) fn list_events(events: &[Event]) -> Vec<Outing<'_>> {
    events.iter().map(Event::as_outing).collect()
}

/// A first step that the team has not taken yet.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    Convidar,
    CriarDemanda,
    ConectarRede,
    ConectarAgente,
}

/// The answer of `get_my_day`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Day {
    pub recusados: Vec<Event>,
    pub a_aprovar: Vec<Event>,
    #[serde(default)]
    pub canais_mudados: Vec<ChangedPiece>,
    pub atrasados: Vec<Event>,
    pub hoje: Vec<Event>,
    pub semana: Vec<Event>,
    pub primeiros_passos: Vec<Step>,
}

impl Day {
    pub async fn read(view: &View<'_>) -> Result<Self> {
        if !view.may_call("get_my_day") {
            return Ok(Self::default());
        }
        let mut day: Self = view.read("get_my_day", json!({})).await?;
        // Refused and pending events are shown in their own lists, so they are removed from the list of
        // late events.
        let listed = day.recusados.iter().chain(&day.a_aprovar);
        let listed: Vec<String> = listed.map(|event| event.id.clone()).collect();
        day.atrasados.retain(|event| !listed.contains(&event.id));
        Ok(day)
    }

    /// True if nothing waits for the viewer.
    pub fn has_no_work(&self) -> bool {
        let lists = [&self.recusados, &self.a_aprovar, &self.atrasados];
        lists.into_iter().all(Vec::is_empty) && self.canais_mudados.is_empty()
    }
}
