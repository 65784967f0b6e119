//! The SQL of a list of events: its tables, conditions and order. These parts determine the index that
//! the database uses.

use domain::{EventId, EventStatus, MemberId, time::Millis};

use sea_orm::DbBackend;
use serde::Serialize;

use crate::{
    Result,
    conditions::Conditions,
    variants::{UNDECIDED, select_late_by_variants},
};

/// The filter of a list of events.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only events that this member created or is assigned to.
    pub visible_to: Option<MemberId>,
    pub assigned_to: Option<MemberId>,
    pub statuses: Vec<EventStatus>,
    /// The channel of the event or of one of its variants, compared regardless of case and accents.
    pub channel: Option<String>,
    /// The tag, compared regardless of case and accents.
    pub tag: Option<String>,
    /// Only events with a variant that was neither approved nor refused.
    pub with_undecided_variants: bool,
    /// Only these events.
    pub only: Option<Vec<EventId>>,
    /// Text contained in the title, caption, tag or the name of an assignee, regardless of case and
    /// accents.
    pub text: Option<String>,
    pub from: Option<Millis>,
    /// The end of the span, exclusive.
    pub until: Option<Millis>,
    /// Only events that are late at this instant: their date, or the hour of one of their variants, has
    /// passed without a post.
    pub late_at: Option<Millis>,
    /// Only events without a date.
    pub undated: bool,
    /// Only events after this position (agenda_at, id).
    pub after: Option<(Millis, EventId)>,
}

/// The rows of a list in agenda order: their source table and their conditions.
///
/// The events of one member are read through an index of `event_people`, all events through an
/// index of `events`.
#[derive(Default, Clone)]
pub(super) struct Rows {
    of_member: bool,
    pub conditions: Conditions,
}

impl Rows {
    /// Returns the tables of the query; `e` is the event. SQLite reads the tables of a CROSS JOIN in the
    /// order in which they are written.
    pub fn source_tables(&self) -> &'static str {
        if self.of_member {
            "event_people p CROSS JOIN events e"
        } else {
            "events e"
        }
    }

    /// Returns the columns that sort the rows: instant and id.
    pub fn sort_columns(&self) -> (&'static str, &'static str) {
        if self.of_member {
            ("p.agenda_at", "p.event_id")
        } else {
            ("e.agenda_at", "e.id")
        }
    }

    pub fn order_by_clause(&self) -> String {
        let (at, id) = self.sort_columns();
        format!("{at}, {id}")
    }

    pub fn where_condition(&self) -> &str {
        if self.conditions.text.is_empty() {
            "TRUE"
        } else {
            &self.conditions.text
        }
    }

    /// Restricts the rows to events visible to a member, assigned to a member, or both.
    pub fn restrict_to_members(
        &mut self,
        visible_to: Option<MemberId>,
        assigned_to: Option<MemberId>,
    ) {
        let query = &mut self.conditions;
        let other = match (&visible_to, &assigned_to) {
            (Some(viewer), Some(assignee)) if viewer != assignee => assigned_to.clone(),
            _ => None,
        };
        let is_assigned = assigned_to.is_some() && other.is_none();
        let Some(member) = visible_to.or(assigned_to) else {
            return;
        };
        self.of_member = true;
        let id = query.bind(String::from(member));
        query.and(&format!("p.member_id = {id} AND e.id = p.event_id"));
        if is_assigned {
            query.and("p.is_assigned");
        }
        if let Some(other) = other {
            let id = query.bind(String::from(other));
            query.and(&format!(
                "EXISTS (SELECT 1 FROM event_people o
                 WHERE o.event_id = p.event_id AND o.member_id = {id} AND o.is_assigned)"
            ));
        }
    }

    pub fn restrict_to_statuses(&mut self, statuses: &[EventStatus]) {
        if statuses.is_empty() {
            return;
        }
        let query = &mut self.conditions;
        if statuses.iter().all(|status| status.is_open()) && (self.of_member || statuses.len() > 1)
        {
            // This must repeat the condition of the partial index verbatim, because the planner
            // does not use the index otherwise. For the same reason, the condition excludes
            // statuses instead of listing the wanted ones.
            query.and(if self.of_member {
                "p.is_open"
            } else {
                "e.status NOT IN ('publicado', 'arquivado')"
            });
            let others = EventStatus::OPEN.iter();
            let others = others.filter(|status| !statuses.contains(status));
            let others: Vec<String> = others.map(|status| status_literal(*status)).collect();
            if !others.is_empty() {
                query.and(&format!("e.status NOT IN ({})", others.join(", ")));
            }
            return;
        }
        let statuses: Vec<String> = statuses
            .iter()
            .map(|status| status_literal(*status))
            .collect();
        query.and(&format!("e.status IN ({})", statuses.join(", ")));
    }

    /// Returns the SQL of a limit. For a bound limit, PostgreSQL would plan a page of a tenth of all
    /// rows, find that plan too expensive, and make another plan at each read; so its limit is a
    /// literal. SQLite gets a bound value, because it would compile each different text again.
    pub fn limit(&mut self, backend: DbBackend, limit: i64) -> String {
        if backend == DbBackend::Postgres {
            return limit.to_string();
        }
        self.conditions.bind(limit)
    }

    pub fn restrict_to_filter(&mut self, filter: &Filter) {
        let (at, id) = self.sort_columns();
        let query = &mut self.conditions;
        // `agenda_at` equals the date of a dated event, and the indexes contain this column.
        if let Some(from) = filter.from {
            let from = query.bind(from);
            query.and(&format!("{at} >= {from}"));
        }
        if filter.from.is_some() || filter.until.is_some() {
            let until = query.bind(filter.until.unwrap_or(Millis::MAX));
            query.and(&format!("{at} < {until}"));
        }
        if let Some(now) = filter.late_at {
            let now = query.bind(now);
            let late_variants = select_late_by_variants(&now);
            query.and(&format!("({at} < {now} OR {id} IN ({late_variants}))"));
        }
        if filter.undated {
            let never = query.bind(Millis::MAX);
            query.and(&format!("{at} = {never}"));
        }
        if filter.with_undecided_variants {
            query.and(&format!(
                "e.id IN (SELECT v.event_id FROM event_variants v WHERE {UNDECIDED})"
            ));
        }
        if let Some((last_at, last_id)) = &filter.after {
            self.restrict_to_after(*last_at, last_id.as_str());
        }
    }

    /// Restricts the rows to those after this position in the agenda.
    pub fn restrict_to_after(&mut self, last_at: Millis, last_id: &str) {
        let (at, id) = self.sort_columns();
        let query = &mut self.conditions;
        let (last_at, last_id) = (query.bind(last_at), query.bind(last_id));
        query.and(&format!("({at}, {id}) > ({last_at}, {last_id})"));
    }

    /// Restricts the rows to those with one of these ids. All ids are bound as one variable, because a
    /// statement may have at most 32,766 variables on SQLite and 65,535 on PostgreSQL.
    pub fn restrict_to_ids(&mut self, backend: DbBackend, ids: &[impl Serialize]) -> Result<()> {
        let (_, id) = self.sort_columns();
        let query = &mut self.conditions;
        let list = query.bind(serde_json::to_string(ids)?);
        query.and(&match backend {
            DbBackend::Postgres => format!(
                "{id} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(CAST({list} AS TEXT) AS jsonb))))"
            ),
            _ => format!("{id} IN (SELECT value FROM json_each({list}))"),
        });
        Ok(())
    }

    /// Restricts the rows to the events of a channel and the events with a variant for the channel. The
    /// lists are the spellings of the channel in events and in variants; at least one list is not empty.
    pub fn restrict_to_channel(&mut self, of_events: Vec<String>, of_variants: Vec<String>) {
        if of_variants.is_empty() {
            return self.restrict_to_texts("e.channel", of_events);
        }
        let query = &mut self.conditions;
        let mut bind = |texts: Vec<String>| {
            let places: Vec<String> = texts.into_iter().map(|one| query.bind(one)).collect();
            places.join(", ")
        };
        let variants = bind(of_variants);
        let has_variant = format!(
            "EXISTS (SELECT 1 FROM event_variants v
             WHERE v.event_id = e.id AND v.channel IN ({variants}))"
        );
        let condition = match of_events.is_empty() {
            true => has_variant,
            false => format!("(e.channel IN ({}) OR {has_variant})", bind(of_events)),
        };
        query.and(&condition);
    }

    /// Restricts the rows to those whose column equals one of these texts. The list is not empty.
    pub fn restrict_to_texts(&mut self, column: &str, texts: Vec<String>) {
        let query = &mut self.conditions;
        let texts: Vec<String> = texts.into_iter().map(|text| query.bind(text)).collect();
        query.and(&format!("{column} IN ({})", texts.join(", ")));
    }
}

/// Returns a status in SQL. A bound status would make PostgreSQL plan each read for its value.
fn status_literal(status: EventStatus) -> String {
    format!("'{}'", status.as_str())
}
