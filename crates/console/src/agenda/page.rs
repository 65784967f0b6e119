use std::collections::HashSet;

use domain::{
    Capability, EventStatus,
    time::{HOUR, LocalDate, Millis, brasilia_day, parse_day, weekday_and_hour},
};
use futures::future::{OptionFuture, join, try_join};
use gateway::{Content, Context, Entry, Page, Reply, Result, Spec};
use jiff::civil::Date;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    card::Card,
    chips::{self, Counted},
    commemorative,
    days::weekday_number,
    events::{self, Event, Events},
    grid::{self, Around, Day},
    person::{self, Named},
    planning,
    shown::{Layout, Shown},
    week::{self, Now},
};
use crate::{area::page_spec, shell, view::View};

/// The cookie that stores the last layout.
const COOKIE: &str = "pauta_agenda";
const A_YEAR: u32 = 365 * 24 * 3600;
/// The maximum number of undated events in the tray.
const MOST_IN_TRAY: usize = 30;
/// The maximum number of good hours that a week marks.
const BEST_HOURS: usize = 5;
/// The maximum number of pages of 200 events that the view of all dates reads.
const MOST_PAGES_OF_ALL: usize = 1;
/// The default hour of a new demand.
const USUAL_HOUR: i8 = 12;

/// The page of the agenda.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Agenda {
    /// `mes`, `semana`, `lista`, `todas`, `dia` ou `sem-data`; ausente, a forma usada por último.
    ver: Option<String>,
    /// Um dia (AAAA-MM-DD) do mês ou da semana; ausente, hoje.
    dia: Option<String>,
    status: Option<String>,
    canal: Option<String>,
    /// O id de um responsável, ou o nome dele como foi digitado.
    pessoa: Option<String>,
    /// Presente, só o que espera por quem olha.
    espera: Option<String>,
    /// Presente, só as atrasadas.
    atrasadas: Option<String>,
    q: Option<String>,
    /// `nao` esconde as datas comemorativas.
    datas: Option<String>,
    /// `nao` esconde os bons horários.
    horarios: Option<String>,
    /// O id de um evento que aparece mesmo num dia cheio.
    foco: Option<String>,
}

const ROUTE: Spec = page_spec("console_agenda", "Agenda", "/agenda")
    .partial(&[303])
    .fails(&[400]);

pub(super) const AGENDA: Entry = Entry::for_page::<Agenda>(ROUTE, "A agenda editorial.");

#[derive(Deserialize)]
struct Insights {
    horarios: Vec<BestHour>,
}

/// A good hour to publish. Weekdays count from Sunday.
#[derive(Debug, Clone, Copy, Deserialize)]
struct BestHour {
    dia_semana: i8,
    hora: i8,
}

/// The data of one page.
struct Drawn<'a> {
    view: &'a View<'a>,
    shown: &'a Shown,
    base: &'a str,
    /// The query that leads back to the view.
    kept: &'a str,
    today: Date,
    clashing: HashSet<&'a str>,
    best: Vec<BestHour>,
    focus: Option<&'a str>,
}

impl Page for Agenda {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let today = brasilia_day(ctx.now);
        let mut shown = self.requested_view(&view, today);
        let typed = shown.person.take_if(|person| !person::is_id(person));
        let mut unclear = None;
        if let Some(typed) = typed {
            match person::find_people(&view, &typed).await? {
                Named::One(found) => {
                    let address = shown.address_with(|other| other.person = Some(found.id));
                    return Ok(Reply::new(Content::Redirect(view.href_to(&address))));
                }
                Named::Unclear(people) => unclear = Some((typed, people)),
            }
        }
        let (dated, undated, best) = read_agenda(&view, &shown).await?;
        let waits = |event: &Event| waits_for_viewer(&view, event);
        let base = view.href_to("");
        let kept = shown.return_query();
        let clashes = planning::find_clashes(&dated.list, ctx.now);
        let gaps = match shown.text {
            None if !matches!(shown.layout, Layout::Day | Layout::Undated | Layout::All) => {
                planning::find_gaps(&dated.list, shown.span(), today)
            }
            _ => vec![],
        };
        let all = dated.list.iter().chain(&undated.list);
        let counted = Counted {
            waiting: all.clone().filter(|event| waits(event)).count(),
            late: all.clone().filter(|event| event.is_late(ctx.now)).count(),
            person: match &shown.person {
                Some(id) => person::person_name(&view, id, all.clone()).await?,
                None => None,
            },
            events: all.collect(),
        };
        let drawn = Drawn {
            view: &view,
            shown: &shown,
            base: &base,
            kept: &kept,
            today,
            clashing: clashes
                .iter()
                .flatten()
                .map(|event| event.id.as_str())
                .collect(),
            best,
            focus: self.foco.as_deref(),
        };
        let may_make = view.may_call("create_demand");
        let may_change = ["update_event", "submit_for_approval"];
        let may_change: Vec<_> = may_change
            .into_iter()
            .filter(|name| view.may_call(name))
            .collect();
        let span = shown.span();
        let body = html! {
            div id="agenda" class={ "agenda lay-" (shown.layout.as_str()) } data-module="calendar"
                data-now=(format_now(ctx.now)) data-from=(span.from) data-to=(span.to)
                data-may=(may_change.join(" ")) {
                (shell::draw_paper_head(&view, "Agenda em"))
                div class="spread" {
                    h1 { "Agenda" }
                    div class="row" {
                        a class="subscribe" href={ (base) (shown.subscription_address()) } { "Assinar no seu calendário" }
                        @if may_make { a class="button" href={ (base) "/demandas/nova" } data-key="c" { "Nova demanda" } }
                    }
                }
                (chips::draw_navigation(&base, &shown, today))
                (chips::draw_filters(&base, &shown, &counted))
                @if let Some((typed, people)) = &unclear { (chips::ambiguous_name_notice(&base, &shown, typed, people)) }
                (chips::draw_notices(&base, &kept, &gaps, &clashes, may_make))
                @if dated.more || undated.more {
                    p class="notice wait" { "Há mais peças do que cabem aqui. Use um filtro ou veja uma semana só." }
                }
                (drawn.draw_layout(&dated.list, &undated.list))
                @if view.has_capability(Capability::TasksAssign) { (draw_shortcuts()) }
                dialog id="olhar" aria-label="Visão rápida" {}
            }
        };
        let reply = shell::console_page(&view, "Agenda", &body);
        Ok(match self.ver {
            Some(_) if is_remembered(shown.layout) => {
                reply.with_header("set-cookie", layout_cookie(&view, &shown))
            }
            _ => reply,
        })
    }
}

impl Agenda {
    fn requested_view(&self, view: &View<'_>, today: Date) -> Shown {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let layout = self.ver.as_deref().and_then(|name| name.parse().ok());
        let layout = layout
            .or_else(|| remembered_layout(view))
            .unwrap_or(Layout::Month);
        let day = self.dia.as_deref().and_then(parse_day);
        let day = day.filter(|day| (2000..=9990).contains(&day.year()));
        let shown = Shown {
            status: self.status.as_deref().and_then(|name| name.parse().ok()),
            channel: text(&self.canal),
            person: text(&self.pessoa),
            waiting: text(&self.espera).is_some(),
            late: text(&self.atrasadas).is_some(),
            text: text(&self.q).map(|text| text.trim().chars().take(200).collect()),
            commemorative: self.datas.as_deref() != Some("nao"),
            best_hours: self.horarios.as_deref() != Some("nao"),
            ..Shown::new(layout, day.unwrap_or(today))
        };
        shown.with_bounded_layout()
    }
}

/// Reads the events with a date, the events without a date, and the best hours, all concurrently.
async fn read_agenda(view: &View<'_>, shown: &Shown) -> Result<(Events, Events, Vec<BestHour>)> {
    let span = shown.span();
    let mut dated = json!({ "de": span.from, "ate": span.to });
    let mut undated = json!({ "sem_data": true });
    if let Some(text) = &shown.text {
        dated["q"] = json!(text);
        undated["q"] = json!(text);
    }
    let most = match shown.layout {
        Layout::All => {
            // The view of all dates has too many pieces to read, so the database applies the filters.
            shown.add_filters(&mut [&mut dated, &mut undated]);
            MOST_PAGES_OF_ALL
        }
        _ => events::MOST_PAGES,
    };
    let has_days = shown.layout != Layout::Undated;
    let read_dated = has_days.then(|| events::read_pages(view, dated.clone(), most));
    let read_dated: OptionFuture<_> = read_dated.into();
    let insights = "get_publishing_time_insights";
    let is_asked = has_days && shown.best_hours && view.may_call(insights);
    let best: OptionFuture<_> = is_asked
        .then(|| view.read::<Insights>(insights, json!({})))
        .into();
    let ((read, best), mut all_undated) = try_join(
        async { Ok(join(read_dated, best).await) },
        events::read_pages(view, undated.clone(), most),
    )
    .await?;
    let mut all_dated = read.transpose()?.unwrap_or_default();
    let may_narrow = shown.layout != Layout::All;
    if may_narrow
        && (all_dated.more || all_undated.more)
        && shown.add_filters(&mut [&mut dated, &mut undated])
    {
        // There are more events than one page can read, so the events are read again with the filters in
        // the query.
        if has_days {
            all_dated = events::read_events(view, dated).await?;
        }
        all_undated = events::read_events(view, undated).await?;
    }
    let mut best = best
        .transpose()?
        .map_or_else(Vec::new, |best| best.horarios);
    best.truncate(BEST_HOURS);
    best.sort_by_key(|best| best.hora);
    Ok((all_dated, all_undated, best))
}

/// Returns true if the viewer has to act on an event, as assignee or as approver.
fn waits_for_viewer(view: &View<'_>, event: &Event) -> bool {
    let me = view.member().id.as_str();
    match event.status {
        EventStatus::InApproval => {
            let approval = event.aprovacao.as_ref();
            view.has_capability(Capability::Approve)
                && approval.is_none_or(|approval| approval.waits_for(view.member()))
        }
        status => status.is_editable() && event.assignee_member_ids.iter().any(|id| id == me),
    }
}

impl<'a> Drawn<'a> {
    fn draw_layout(&self, dated: &'a [Event], undated: &'a [Event]) -> Markup {
        let around = Around {
            base: self.base,
            shown: self.shown,
            kept: self.kept,
            focus: self.focus,
        };
        let days = self.build_days(dated);
        let is_empty = days.iter().all(|day| day.cards.is_empty());
        let tray: Vec<_> = self.visible_cards(undated).collect();
        let days = match self.shown.layout {
            Layout::Undated => return grid::draw_tray(&around, &tray, true, usize::MAX),
            Layout::Month => grid::draw_month(&around, &days),
            Layout::Week => week::draw_week(&around, &days, Now::from_instant(self.view.ctx.now)),
            Layout::List | Layout::All | Layout::Day => grid::draw_day_list(&around, &days),
        };
        html! {
            @if is_empty { p class="soft" { "Nada planejado" @if self.shown.is_filtered() || self.shown.text.is_some() { " com estes filtros" } " neste período." } }
            div class="board" {
                (days)
                (grid::draw_tray(&around, &tray, false, MOST_IN_TRAY))
            }
        }
    }

    /// Returns the cards of the events that match the filters.
    fn visible_cards(&self, events: &'a [Event]) -> impl Iterator<Item = Card<'a>> {
        let may_move = self.view.has_capability(Capability::TasksAssign);
        events
            .iter()
            .filter(|event| {
                self.shown.matches_event(
                    event,
                    |event| waits_for_viewer(self.view, event),
                    self.view.ctx.now,
                )
            })
            .map(move |event| Card {
                event,
                is_past: event
                    .due_instant()
                    .is_some_and(|due| due < self.view.ctx.now),
                clashes: self.clashing.contains(event.id.as_str()),
                may_move: may_move && event.is_movable(),
            })
    }

    fn build_days(&self, dated: &'a [Event]) -> Vec<Day<'a>> {
        let mut cards = self.visible_cards(dated).peekable();
        let mut days = vec![];
        let dates: Vec<Date> = match self.shown.layout {
            Layout::All => {
                let mut dates: Vec<_> = dated.iter().filter_map(Event::due_day).collect();
                dates.dedup();
                dates
            }
            _ => self.shown.span().iter_days().collect(),
        };
        for date in dates {
            let mut of_day = vec![];
            while let Some(card) = cards.next_if(|card| card.event.due_day() <= Some(date)) {
                of_day.push(card);
            }
            let is_month = self.shown.layout == Layout::Month;
            days.push(Day {
                date,
                is_past: date < self.today,
                is_today: date == self.today,
                is_outside: is_month && date.month() != self.shown.day.month(),
                commemorated: match self.shown.commemorative {
                    true => commemorative::commemorative_names(date),
                    false => vec![],
                },
                good_hours: self.best_hours_on(date).collect(),
                best_hours: self.free_best_hours(date, &of_day),
                hour_of_new: match self.shown.layout {
                    Layout::All => None,
                    _ => self.new_demand_hour(date),
                },
                cards: of_day,
            });
        }
        days
    }

    /// Returns the future best hours of a day at which nothing is planned.
    fn free_best_hours(&self, date: Date, cards: &[Card<'_>]) -> Vec<i8> {
        let taken: Vec<i8> = cards
            .iter()
            .filter_map(|card| card.event.due_instant())
            .map(|due| weekday_and_hour(due).1)
            .collect();
        let hours = self.best_hours_on(date);
        hours.filter(|hour| !taken.contains(hour)).collect()
    }

    fn best_hours_on(&self, date: Date) -> impl Iterator<Item = i8> {
        let earliest = self.earliest_hour(date);
        self.best
            .iter()
            .filter(move |best| best.dia_semana == weekday_number(date))
            .map(|best| best.hora)
            .filter(move |hour| earliest.is_some_and(|earliest| *hour >= earliest))
    }

    /// Returns the first full hour of a day that is still in the future.
    fn earliest_hour(&self, date: Date) -> Option<i8> {
        let next = self.view.ctx.now + HOUR;
        match date.cmp(&brasilia_day(next)) {
            std::cmp::Ordering::Less => None,
            std::cmp::Ordering::Equal => Some(weekday_and_hour(next).1),
            std::cmp::Ordering::Greater => Some(0),
        }
    }

    fn new_demand_hour(&self, date: Date) -> Option<String> {
        let earliest = self.earliest_hour(date)?;
        let hour = self
            .best_hours_on(date)
            .next()
            .unwrap_or(USUAL_HOUR)
            .max(earliest);
        let may_make = self.view.may_call("create_demand");
        may_make.then(|| format!("{hour:02}:00"))
    }
}

/// Draws the keyboard shortcuts of the agenda, for the help.
fn draw_shortcuts() -> Markup {
    let shortcuts = [
        ("Espaço", "Ver a peça em foco"),
        ("Alt ← →", "Mover um dia"),
        ("Alt ↑ ↓", "Mover uma semana"),
        ("Alt Shift ↑ ↓", "Mover meia hora"),
        (
            "x ou Shift + clique",
            "Selecionar, para mover várias de uma vez",
        ),
        ("Ctrl Z", "Desfazer o último movimento"),
    ];
    html! {
        dl data-keys hidden { @for (key, what) in shortcuts { dt { (key) } dd { (what) } } }
    }
}

/// Formats the current time in Brasília, as the script reads it.
fn format_now(now: Millis) -> String {
    format!(
        "{}T{}",
        brasilia_day(now),
        LocalDate::from_instant(now).hour
    )
}

fn is_remembered(layout: Layout) -> bool {
    matches!(layout, Layout::Month | Layout::Week | Layout::List)
}

/// Returns the layout in the cookie.
fn remembered_layout(view: &View<'_>) -> Option<Layout> {
    let layout = view.plain_cookie(COOKIE)?.parse().ok();
    layout.filter(|layout| is_remembered(*layout))
}

fn layout_cookie(view: &View<'_>, shown: &Shown) -> String {
    let layout = shown.layout.as_str();
    let path = view.href_to("/");
    format!("{COOKIE}={layout}; Path={path}; Max-Age={A_YEAR}; HttpOnly; SameSite=Lax")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::agenda::shown;

    #[test]
    fn each_field_of_the_page_identifies_a_bookmark() {
        let schema = schemars::schema_for!(Agenda);
        let fields = schema
            .get("properties")
            .and_then(serde_json::Value::as_object);
        let fields: BTreeSet<&str> = fields
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(fields, BTreeSet::from(shown::FIELDS));
    }
}
