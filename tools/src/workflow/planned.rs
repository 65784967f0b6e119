//! The events that are due in a span, either by their own date or by the separate date of a variant.

use std::collections::HashMap;

use super::event_view::{EventChannel, EventView};
use crate::visibility;
use domain::{Event, EventId, EventStatus, time::Millis};
use gateway::{Context, Result};
use store::{
    events::{self, Filter},
    variants::{self, ListedChannel},
};

/// The maximum number of events whose own date is in the span, and of further events of which only a
/// variant is due in the span.
const MOST: i64 = 100;

/// The events that are due in a span, with the channels of their variants.
pub(super) struct Planned {
    events: Vec<Event>,
    channels: HashMap<EventId, Vec<ListedChannel>>,
}

impl Planned {
    /// Loads the events that are due in the span and that the caller may see.
    pub async fn load(ctx: &Context<'_>, (from, until): (Millis, Millis)) -> Result<Self> {
        let db = ctx.db();
        let visible_to = visibility::visible_to(ctx)?;
        let of_span = Filter {
            from: Some(from),
            until: Some(until),
            visible_to: visible_to.cloned(),
            ..Filter::default()
        };
        let mut events = events::list(&db, of_span, MOST).await?;
        events.retain(|event| event.status != EventStatus::Archived);
        let mut others = variants::list_due_pieces(&db, visible_to, (from, until), MOST).await?;
        others.retain(|id| events.iter().all(|event| event.id != *id));
        if !others.is_empty() {
            let only = Filter {
                only: Some(others),
                visible_to: visible_to.cloned(),
                ..Filter::default()
            };
            events.extend(events::list(&db, only, MOST).await?);
        }
        let ids = events.iter().map(|event| &event.id);
        let channels = variants::load_channels(&db, ids, ctx.now).await?;
        Ok(Self { events, channels })
    }

    /// Returns the channels of the variants of an event.
    fn list_channels(&self, event: &Event) -> &[ListedChannel] {
        self.channels.get(&event.id).map_or(&[], Vec::as_slice)
    }

    /// Returns the first instant in a span at which an event or one of its variants is due.
    fn find_first_due(&self, event: &Event, (from, until): (Millis, Millis)) -> Option<Millis> {
        let channels = self.list_channels(event).iter();
        let instants = channels.map(|channel| channel.due_at).chain([event.due_at]);
        let in_span = instants.flatten().filter(|at| (from..until).contains(at));
        in_span.min()
    }

    /// Lists the events that are due in a part of the span, in the order of their first instant in this
    /// part.
    pub fn list_between(&self, ctx: &Context<'_>, span: (Millis, Millis)) -> Vec<EventView> {
        let events = self.events.iter();
        let in_span = events.filter_map(|event| Some((self.find_first_due(event, span)?, event)));
        let mut in_span: Vec<_> = in_span.collect();
        in_span.sort_by_key(|(at, _)| *at);
        let views = in_span.into_iter().map(|(_, event)| {
            let channels = self.list_channels(event).iter().cloned();
            EventView {
                canais: channels.map(EventChannel::from).collect(),
                ..EventView::from_event_for_list(event.clone(), ctx)
            }
        });
        views.collect()
    }
}
