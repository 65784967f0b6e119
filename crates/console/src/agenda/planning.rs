//! Finds gaps and clashes in a plan.

use std::collections::HashMap;

use domain::{
    EventStatus,
    time::{HOUR, Millis},
};
use jiff::civil::Date;

use super::{
    days::{Span, add_days},
    events::Event,
};

/// The shortest gap that gets a notice, in days.
const LONG: i32 = 7;

/// Two or more events on one channel, each due less than an hour after the previous one.
pub(super) type Clash<'e> = Vec<&'e Event>;

/// Finds the clashes in the future. `events` must be ordered by date.
pub(super) fn find_clashes(events: &[Event], now: Millis) -> Vec<Clash<'_>> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Clash<'_>> = vec![];
    for event in events.iter().filter(|event| is_planned(event)) {
        let Some(due) = event.due_instant().filter(|due| *due >= now) else {
            continue;
        };
        let group = last.get(event.channel.as_str()).copied();
        let before = group.and_then(|group| groups[group].last()?.due_instant());
        match group {
            Some(group) if before.is_some_and(|before| due - before < HOUR) => {
                groups[group].push(event);
            }
            _ => {
                last.insert(&event.channel, groups.len());
                groups.push(vec![event]);
            }
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Finds the gaps of at least `LONG` days from `today` on.
pub(super) fn find_gaps(events: &[Event], span: Span, today: Date) -> Vec<Span> {
    let from = span.from.max(today);
    let mut days: Vec<Date> = events
        .iter()
        .filter(|event| is_planned(event))
        .filter_map(Event::due_day)
        .filter(|day| (from..=span.to).contains(day))
        .collect();
    // The day after the span closes the last gap.
    days.push(add_days(span.to, 1));
    let mut result = vec![];
    let mut next = from;
    for day in days {
        if (day - next).get_days() >= LONG {
            result.push(Span {
                from: next,
                to: add_days(day, -1),
            });
        }
        next = next.max(add_days(day, 1));
    }
    result
}

fn is_planned(event: &Event) -> bool {
    event.status != EventStatus::Archived
}

#[cfg(test)]
mod tests {
    use domain::time::{Timestamp, start_of_day};
    use jiff::civil::date;
    use serde_json::json;

    use super::*;

    fn build_event(channel: &str, day: Date, minutes: i64, status: &str) -> Event {
        let due = Timestamp(start_of_day(day) + minutes * 60_000);
        serde_json::from_value(json!({
            "id": format!("{channel}-{minutes}"), "api_revision": 1, "title": "Peça",
            "channel": channel, "status": status, "due_at": due.to_string(),
            "assignee_member_ids": [], "assignees_names": [], "media": [],
            "created_by_name": "Ana",
        }))
        .expect("an event")
    }

    #[test]
    fn two_posts_within_an_hour_on_one_channel_clash() {
        let day = date(2026, 11, 26);
        let events = [
            build_event("instagram", day, 600, "a fazer"),
            build_event("blog", day, 610, "a fazer"),
            build_event("instagram", day, 630, "arquivado"),
            build_event("instagram", day, 659, "aprovado"),
            build_event("instagram", day, 719, "aprovado"),
            build_event("blog", day, 700, "a fazer"),
        ];
        let result = find_clashes(&events, start_of_day(day));
        let ids: Vec<_> = result.iter().flatten().map(|event| &event.id).collect();
        assert_eq!(ids, ["instagram-600", "instagram-659"]);
        // A past clash gets no notice.
        assert!(find_clashes(&events, start_of_day(date(2026, 11, 27))).is_empty());
    }

    #[test]
    fn a_week_with_nothing_planned_is_a_gap() {
        let span = Span {
            from: date(2026, 11, 1),
            to: date(2026, 12, 5),
        };
        let today = date(2026, 11, 10);
        let at = |day| build_event("blog", day, 600, "a fazer");
        assert_eq!(
            find_gaps(&[], span, today),
            [Span {
                from: today,
                to: span.to
            }]
        );
        let events = [
            at(date(2026, 11, 3)),
            at(date(2026, 11, 17)),
            at(date(2026, 11, 25)),
        ];
        let result = find_gaps(&events, span, today);
        let result: Vec<_> = result.iter().map(|gap| (gap.from, gap.to)).collect();
        let expected = [
            (date(2026, 11, 10), date(2026, 11, 16)),
            (date(2026, 11, 18), date(2026, 11, 24)),
            (date(2026, 11, 26), date(2026, 12, 5)),
        ];
        assert_eq!(result, expected);
        assert!(find_gaps(&[], span, date(2026, 12, 6)).is_empty());
    }
}
