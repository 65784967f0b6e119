//! The state of the agenda that is stored in its address: layout, day, filters and switches.

use std::fmt::Write;

use domain::{EventStatus, text_enum, time::Millis};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::links::percent_encode;

use super::{
    days::{self, Span},
    events::Event,
};

text_enum! {
    /// The layout of the agenda.
    pub enum Layout {
        Month = "mes",
        Week = "semana",
        List = "lista",
        /// A list of the pieces of all dates.
        All = "todas",
        Day = "dia",
        Undated = "sem-data",
    }
}

/// The query fields of the agenda. They identify bookmarks of an earlier version, whose agenda had
/// the path `/`.
pub(super) const FIELDS: [&str; 11] = [
    "ver",
    "dia",
    "status",
    "canal",
    "pessoa",
    "espera",
    "atrasadas",
    "q",
    "datas",
    "horarios",
    "foco",
];

/// Returns the query of an address whose path is `/`, if the query names a field of the agenda.
pub(crate) fn bookmark_query(address: &str) -> Option<&str> {
    let (_, query) = address.split_once('?')?;
    let mut names = query
        .split('&')
        .map(|pair| pair.split('=').next().unwrap_or_default());
    names.any(|name| FIELDS.contains(&name)).then_some(query)
}

/// Returns the query that another page received to lead back to the agenda (see
/// [`Shown::return_query`]). Empty if the query is too long, or has characters that
/// [`Shown::return_query`] never writes.
pub(super) fn checked_return_query(given: Option<&str>) -> String {
    const LONGEST: usize = 2_000;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%&=._~-".contains(c);
    let given = given.filter(|given| given.len() <= LONGEST && given.chars().all(is_plain));
    given.unwrap_or_default().to_owned()
}

/// The layout, day, filters and switches of a view.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub layout: Layout,
    /// A day of the shown month or week.
    pub day: Date,
    pub status: Option<EventStatus>,
    pub channel: Option<String>,
    /// The id of an assignee.
    pub person: Option<String>,
    /// True if only events that wait for the viewer are shown.
    pub waiting: bool,
    /// True if only late events are shown.
    pub late: bool,
    pub text: Option<String>,
    pub commemorative: bool,
    pub best_hours: bool,
}

impl Shown {
    pub fn new(layout: Layout, day: Date) -> Self {
        Self {
            layout,
            day,
            status: None,
            channel: None,
            person: None,
            waiting: false,
            late: false,
            text: None,
            commemorative: true,
            best_hours: true,
        }
    }

    /// Returns the path and query of this view.
    pub fn view_address(&self) -> String {
        let mut address = format!("/agenda?ver={}&dia={}", self.layout.as_str(), self.day);
        for (name, value) in self.filter_fields() {
            let value = percent_encode(value);
            let _ = write!(address, "&{name}={value}");
        }
        if let Some(text) = &self.text {
            let text = percent_encode(text);
            let _ = write!(address, "&q={text}");
        }
        address
    }

    /// Returns the address of the page that creates a calendar with the filters of this view. That page
    /// names the filters that a calendar cannot have.
    pub fn subscription_address(&self) -> String {
        let text = self.text.as_deref().map(|text| ("q", text));
        let filters = self.filter_fields().into_iter().chain(text);
        let kept = filters.filter(|(name, _)| !["datas", "horarios"].contains(name));
        let pairs = kept.map(|(name, value)| format!("{name}={}", percent_encode(value)));
        let query = pairs.collect::<Vec<_>>().join("&");
        match query.is_empty() {
            true => "/agenda/assinar".to_owned(),
            false => format!("/agenda/assinar?{query}"),
        }
    }

    /// Returns the query with which other pages lead back to this view: layout and filters, without the
    /// day.
    pub fn return_query(&self) -> String {
        let address = self.view_address();
        let pairs = address.split(['?', '&']).skip(1);
        let kept: Vec<&str> = pairs.filter(|pair| !pair.starts_with("dia=")).collect();
        kept.join("&")
    }

    /// Returns the query fields of the filters and switches, except for the search text.
    pub fn filter_fields(&self) -> Vec<(&'static str, &str)> {
        let flag = |is_set: bool, value| is_set.then_some(value);
        [
            ("status", self.status.map(EventStatus::as_str)),
            ("canal", self.channel.as_deref()),
            ("pessoa", self.person.as_deref()),
            ("espera", flag(self.waiting, "sim")),
            ("atrasadas", flag(self.late, "sim")),
            ("datas", flag(!self.commemorative, "nao")),
            ("horarios", flag(!self.best_hours, "nao")),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }

    /// Returns the address of this view after one change.
    pub fn address_with(&self, change: impl FnOnce(&mut Self)) -> String {
        let mut other = self.clone();
        change(&mut other);
        other.with_bounded_layout().view_address()
    }

    /// Replaces the view of all dates by a list of a month, unless the database applies a filter.
    pub fn with_bounded_layout(mut self) -> Self {
        if self.layout == Layout::All && !self.has_database_filter() {
            self.layout = Layout::List;
        }
        self
    }

    /// Returns the days of the view. The view of all dates draws only the days with events.
    pub fn span(&self) -> Span {
        match self.layout {
            Layout::Month => Span::weeks_of_month(self.day),
            Layout::Week => Span::week_of(self.day),
            Layout::List | Layout::Undated => Span::month_of(self.day),
            Layout::All => Span::all_days(),
            Layout::Day => Span::single_day(self.day),
        }
    }

    /// Returns a day in the view that is `by` periods later.
    pub fn shifted_day(&self, by: i32) -> Date {
        match self.layout {
            Layout::Month | Layout::List | Layout::Undated => {
                days::add_months(self.day.first_of_month(), by)
            }
            Layout::Week => days::add_days(self.day, 7 * by),
            Layout::Day => days::add_days(self.day, by),
            Layout::All => self.day,
        }
    }

    /// Returns the title of the view, which names its days.
    pub fn title(&self) -> String {
        match self.layout {
            Layout::Month | Layout::List => days::month_and_year(self.day),
            Layout::Week => days::span_text(self.span()),
            Layout::Day => format!("{} de {}", days::long_day_text(self.day), self.day.year()),
            Layout::All => "Todas as datas".into(),
            Layout::Undated => "Sem data".into(),
        }
    }

    pub fn is_filtered(&self) -> bool {
        let named = [&self.channel, &self.person];
        self.status.is_some() || named.iter().any(|one| one.is_some()) || self.waiting || self.late
    }

    /// Returns true if a filter or a search text is set that the database applies. Otherwise the events
    /// of all dates do not fit on a page.
    pub fn has_database_filter(&self) -> bool {
        let others = Self {
            waiting: false,
            ..self.clone()
        };
        others.is_filtered() || self.text.is_some()
    }

    /// Adds the filters that `list_events` supports to the inputs. Returns true if at least one filter
    /// was added.
    pub fn add_filters(&self, inputs: &mut [&mut Value]) -> bool {
        let filters = [
            ("status", self.status.map(EventStatus::as_str)),
            ("channel", self.channel.as_deref()),
            ("assignee_id", self.person.as_deref()),
        ];
        let mut is_narrowed = self.late;
        if self.late {
            for input in inputs.iter_mut() {
                input["atrasados"] = true.into();
            }
        }
        for (name, value) in filters {
            for input in inputs.iter_mut() {
                if let Some(value) = value {
                    input[name] = json!(value);
                    is_narrowed = true;
                }
            }
        }
        is_narrowed
    }

    /// Returns true if an event matches the filters. Archived events match only if the status filter is
    /// `arquivado`.
    pub fn matches_event(
        &self,
        event: &Event,
        waits: impl Fn(&Event) -> bool,
        now: Millis,
    ) -> bool {
        let status = match self.status {
            Some(status) => event.status == status,
            None => event.status != EventStatus::Archived,
        };
        status
            && self.channel.as_ref().is_none_or(|name| event.goes_to(name))
            && self
                .person
                .as_ref()
                .is_none_or(|id| event.assignee_member_ids.contains(id))
            && (!self.waiting || waits(event))
            && (!self.late || event.is_late(now))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_address_contains_the_state_of_the_view() {
        let mut shown = Shown::new(Layout::Month, date(2026, 11, 22));
        assert_eq!(shown.view_address(), "/agenda?ver=mes&dia=2026-11-22");
        shown.channel = Some("blog & cia".into());
        shown.text = Some("pão".into());
        shown.waiting = true;
        shown.best_hours = false;
        assert_eq!(
            shown.view_address(),
            "/agenda?ver=mes&dia=2026-11-22&canal=blog%20%26%20cia&espera=sim&horarios=nao&q=p%C3%A3o"
        );
        assert_eq!(
            shown.return_query(),
            "ver=mes&canal=blog%20%26%20cia&espera=sim&horarios=nao&q=p%C3%A3o"
        );
        assert_eq!(
            checked_return_query(Some(&shown.return_query())),
            shown.return_query()
        );
        assert_eq!(checked_return_query(Some("ver=mes&q={/x}")), "");
        let week = shown.address_with(|other| other.layout = Layout::Week);
        assert!(week.starts_with("/agenda?ver=semana&"));
    }

    #[test]
    fn a_view_moves_by_the_length_of_its_period() {
        let shifted_day = |layout| Shown::new(layout, date(2026, 1, 31)).shifted_day(1);
        assert_eq!(shifted_day(Layout::Month), date(2026, 2, 1));
        assert_eq!(shifted_day(Layout::Week), date(2026, 2, 7));
        assert_eq!(shifted_day(Layout::Day), date(2026, 2, 1));
    }
}
