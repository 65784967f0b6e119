//! The head of the agenda: navigation, filters and notices.

use domain::EventStatus;
use maud::{Markup, html};

use super::{
    card::quick_view_path,
    days::{Span, short_day_text},
    events::{Event, class_and_sign, first_words},
    person::Person,
    planning::Clash,
    shown::{Layout, Shown},
};
use crate::piece::words;

/// The names of the layouts, in the order of the tabs.
const LAYOUTS: [(Layout, &str); 4] = [
    (Layout::Month, "Mês"),
    (Layout::Week, "Semana"),
    (Layout::List, "Lista"),
    (Layout::Undated, "Sem data"),
];
/// The maximum number of values that one filter offers.
const MOST_VALUES: usize = 30;
/// The maximum number of notices of one kind.
const MOST_NOTICES: usize = 3;

/// The values that the filters offer, each with its number of events.
pub(super) struct Counted<'a> {
    pub events: Vec<&'a Event>,
    pub waiting: usize,
    pub late: usize,
    /// The name of the person in the filter.
    pub person: Option<String>,
}

/// One value of a filter: its label, the number of events that match it, its address, and whether
/// it is selected.
type Choice = (String, usize, String, bool);

/// Draws the links to the earlier period, today and the later period, and the tabs of the layouts.
pub(super) fn draw_navigation(base: &str, shown: &Shown, today: jiff::civil::Date) -> Markup {
    let to = |day| shown.address_with(|other| other.day = day);
    let laid = |layout| shown.address_with(|other| other.layout = layout);
    let turns = !matches!(shown.layout, Layout::Undated | Layout::All);
    html! {
        div class="spread ways" {
            @if turns {
                div class="row turn" {
                    a class="button quiet" href={ (base) (to(shown.shifted_day(-1))) } data-key="p" aria-label="Antes" { "‹" }
                    a class="button quiet" href={ (base) (to(today)) "#hoje" } data-key="t" { "Hoje" }
                    a class="button quiet" href={ (base) (to(shown.shifted_day(1))) } data-key="n" aria-label="Depois" { "›" }
                    h2 { (shown.title()) }
                }
            } @else if shown.layout == Layout::All {
                h2 { (shown.title()) }
            } @else { h2 class="sr" { "Peças" } }
            nav class="row layouts" aria-label="Forma da agenda" {
                @for (layout, name) in LAYOUTS {
                    @let current = layout == shown.layout || (layout == Layout::List && matches!(shown.layout, Layout::Day | Layout::All));
                    a class="chip" href={ (base) (laid(layout)) } aria-current=[current.then_some("page")] { (name) }
                }
            }
        }
    }
}

/// Draws the filters as chips that link to a filtered view, and the search field.
pub(super) fn draw_filters(base: &str, shown: &Shown, counted: &Counted<'_>) -> Markup {
    let clear = shown.address_with(|other| {
        (other.status, other.channel, other.person) = (None, None, None);
        (other.waiting, other.late) = (false, false);
        other.text = None;
    });
    let late = shown.address_with(|other| other.late = !other.late);
    let is_list = matches!(shown.layout, Layout::List | Layout::All);
    let all = shown.address_with(|other| {
        other.layout = match other.layout {
            Layout::All => Layout::List,
            _ => Layout::All,
        }
    });
    let waiting = shown.address_with(|other| other.waiting = !other.waiting);
    let dates = shown.address_with(|other| other.commemorative = !other.commemorative);
    let hours = shown.address_with(|other| other.best_hours = !other.best_hours);
    html! {
        div class="agenda-filters" {
            nav class="row" aria-label="Filtros" {
                (draw_switch(base, &waiting, shown.waiting, html! { "Esperando por mim " small { (counted.waiting) } }))
                @if shown.late || counted.late > 0 {
                    (draw_switch(base, &late, shown.late, html! { "Atrasadas " small { (counted.late) } }))
                }
                @if is_list && shown.has_database_filter() {
                    (draw_switch(base, &all, shown.layout == Layout::All, html! { "Todas as datas" }))
                }
                (draw_choices(base, "Status", &status_choices(shown, counted)))
                (draw_choices(base, "Canal", &channel_choices(shown, counted)))
                (person_filter(base, shown, counted))
                (draw_switch(base, &dates, shown.commemorative, html! { "✦ Datas" }))
                (draw_switch(base, &hours, shown.best_hours, html! { "★ Bons horários" }))
                @if shown.is_filtered() || shown.text.is_some() {
                    a href={ (base) (clear) } { "Limpar filtros" }
                }
            }
            (search_field(base, shown))
        }
    }
}

fn search_field(base: &str, shown: &Shown) -> Markup {
    html! {
        form class="search" method="get" action={ (base) "/agenda" } role="search" {
            (hidden_fields(shown, "q"))
            input type="search" name="q" value=[shown.text.as_deref()] maxlength="200" aria-label="Procurar na agenda"
                placeholder="Procurar";
            button type="submit" class="quiet" { "Procurar" }
        }
    }
}

/// Draws a chip that is on or off. Its link toggles it.
fn draw_switch(base: &str, address: &str, is_on: bool, words: Markup) -> Markup {
    html! {
        a class="chip" href={ (base) (address) } aria-current=[is_on.then_some("true")] {
            (words) @if is_on { span class="sr" { " (ligado)" } }
        }
    }
}

/// Draws a chip that opens the list of the people in the view, and a field for other names.
fn person_filter(base: &str, shown: &Shown, counted: &Counted<'_>) -> Markup {
    let people = person_choices(shown, counted);
    let name = counted.person.as_deref();
    let name = name.or_else(|| shown.person.as_ref().map(|_| "alguém que saiu"));
    let cleared = shown.address_with(|other| other.person = None);
    let is_listed = people.iter().take(MOST_VALUES).any(|(.., is_on)| *is_on);
    html! {
        details class="filter" name="filtro" {
            summary class={ "chip" @if name.is_some() { " on" } } {
                "Pessoa" @if let Some(name) = name { ": " span dir="auto" { (name) } }
            }
            div class="choices" {
                form method="get" action={ (base) "/agenda" } {
                    (hidden_fields(shown, "pessoa"))
                    @if let Some(text) = &shown.text { input type="hidden" name="q" value=(text); }
                    input type="search" name="pessoa" maxlength="200" required aria-label="Nome da pessoa"
                        placeholder="Nome" list="pessoas" autocomplete="off";
                    button type="submit" class="quiet" { "Filtrar" }
                    datalist id="pessoas" { @for (name, ..) in &people { option value=(name) {} } }
                }
                @if let Some(name) = name.filter(|_| !is_listed) {
                    a class="chip" href={ (base) (cleared) } aria-current="true" {
                        span dir="auto" { (name) } span class="sr" { " (tirar)" }
                    }
                }
                (draw_chips(base, &people))
            }
        }
    }
}

/// Draws the notice for a typed name that matches no person or several people. Lists the matching
/// people.
pub(super) fn ambiguous_name_notice(
    base: &str,
    shown: &Shown,
    typed: &str,
    people: &[Person],
) -> Markup {
    html! {
        div class="notice wait" role="status" {
            @if people.is_empty() {
                p { "Ninguém da equipe se chama “" span dir="auto" { (typed) } "”. O filtro de pessoa não foi aplicado." }
            } @else {
                p { "Qual “" span dir="auto" { (typed) } "”?" }
                div class="row" {
                    @for person in people {
                        @let address = shown.address_with(|other| other.person = Some(person.id.clone()));
                        a class="chip" href={ (base) (address) } { span dir="auto" { (person.name) } }
                    }
                }
            }
        }
    }
}

/// Draws the hidden fields of a form that leads back to the view: layout, day, filters and switches,
/// without the field `but`.
fn hidden_fields(shown: &Shown, but: &str) -> Markup {
    let day = shown.day.to_string();
    html! {
        input type="hidden" name="ver" value=(shown.layout.as_str());
        input type="hidden" name="dia" value=(day);
        @for (name, value) in shown.filter_fields() {
            @if name != but { input type="hidden" name=(name) value=(value); }
        }
    }
}

/// Draws the values of a filter as chips.
fn draw_chips(base: &str, choices: &[Choice]) -> Markup {
    html! {
        @for (words, count, address, is_on) in choices.iter().take(MOST_VALUES) {
            a class="chip" href={ (base) (address) } aria-current=[is_on.then_some("true")] {
                span dir="auto" { (words) } " " small { (count) }
                @if *is_on { span class="sr" { " (tirar)" } }
            }
        }
    }
}

/// Draws a chip that opens the values of a filter.
fn draw_choices(base: &str, name: &str, choices: &[Choice]) -> Markup {
    let current = choices.iter().find(|(.., is_on)| *is_on);
    html! {
        @if !choices.is_empty() {
            details class="filter" name="filtro" {
                summary class={ "chip" @if current.is_some() { " on" } } {
                    (name) @if let Some((words, ..)) = current { ": " span dir="auto" { (words) } }
                }
                div class="choices" { (draw_chips(base, choices)) }
            }
        }
    }
}

fn status_choices(shown: &Shown, counted: &Counted<'_>) -> Vec<Choice> {
    let choice = |of: &EventStatus| {
        let count = counted
            .events
            .iter()
            .filter(|event| event.status == *of)
            .count();
        let is_on = shown.status == Some(*of);
        let address = shown.address_with(|other| other.status = (!is_on).then_some(*of));
        let (_, sign) = class_and_sign(*of);
        (count > 0 || is_on).then(|| {
            (
                format!("{sign} {}", words::status_name(*of)),
                count,
                address,
                is_on,
            )
        })
    };
    EventStatus::ALL.iter().filter_map(choice).collect()
}

fn channel_choices(shown: &Shown, counted: &Counted<'_>) -> Vec<Choice> {
    let events = counted.events.iter();
    let of_event = |event: &&'_ Event| -> Vec<String> {
        let channels = event.canais.iter().map(|one| one.canal.clone());
        channels.chain([event.channel.clone()]).collect()
    };
    let channels: Vec<String> = events.flat_map(of_event).collect();
    let mut names: Vec<&str> = channels.iter().map(String::as_str).collect();
    names.extend(shown.channel.as_deref());
    names.sort_unstable();
    names.dedup();
    let choice = |name: &str| {
        let count = counted
            .events
            .iter()
            .filter(|event| event.goes_to(name))
            .count();
        let is_on = shown.channel.as_deref() == Some(name);
        let address = shown.address_with(|other| other.channel = (!is_on).then(|| name.to_owned()));
        (words::channel_name(name).to_owned(), count, address, is_on)
    };
    names.into_iter().map(choice).collect()
}

fn person_choices(shown: &Shown, counted: &Counted<'_>) -> Vec<Choice> {
    let pairs = |event: &&'_ Event| -> Vec<(String, String)> {
        let names = event.assignees_names.iter().cloned();
        names
            .zip(event.assignee_member_ids.iter().cloned())
            .collect()
    };
    let mut people: Vec<_> = counted.events.iter().flat_map(pairs).collect();
    people.sort_unstable();
    let mut counts: Vec<(String, String, usize)> = vec![];
    for (name, id) in people {
        match counts.last_mut() {
            Some((_, last, count)) if *last == id => *count += 1,
            _ => counts.push((name, id, 1)),
        }
    }
    let choice = |(name, id, count): (String, String, usize)| {
        let is_on = shown.person.as_ref() == Some(&id);
        let address = shown.address_with(|other| other.person = (!is_on).then_some(id));
        (name, count, address, is_on)
    };
    counts.into_iter().map(choice).collect()
}

/// Draws the notices about gaps and clashes.
pub(super) fn draw_notices(
    base: &str,
    kept: &str,
    gaps: &[Span],
    clashes: &[Clash<'_>],
    may_make: bool,
) -> Markup {
    let count = gaps.len() + clashes.len();
    html! {
        @if count > 0 {
            details class="heed" {
            summary { @if count == 1 { "1 aviso" } @else { (count) " avisos" } small { " choques e dias vazios" } }
            ul aria-label="Atenção" {
                @for gap in gaps.iter().take(MOST_NOTICES) {
                    li {
                        span aria-hidden="true" { "◌ " } "Nada planejado de " (short_day_text(gap.from)) " a " (short_day_text(gap.to)) ". "
                        @if may_make {
                            a href={ (base) "/demandas/nova?dia=" (gap.from) "&hora=12:00" } {
                                "Criar demanda" span class="sr" { " em " (short_day_text(gap.from)) }
                            }
                        }
                    }
                }
                @for clash in clashes.iter().take(MOST_NOTICES) { (clash_notice(base, kept, clash)) }
                @if clashes.len() > MOST_NOTICES { li { "E mais " (clashes.len() - MOST_NOTICES) " choques." } }
            }
            }
        }
    }
}

fn clash_notice(base: &str, kept: &str, clash: &Clash<'_>) -> Markup {
    let first = clash.first();
    let channel = first.map_or("", |first| first.channel.as_str());
    let day = first.and_then(|first| first.due_day()).map(short_day_text);
    html! {
        li {
            span aria-hidden="true" { "⚠ " } "Choque em " (words::channel_name(channel))
            @if let Some(day) = day { ", " (day) } ": "
            @for (number, event) in clash.iter().take(MOST_NOTICES).enumerate() {
                @if number > 0 { ", " } (event_link(base, kept, event))
            }
            @if clash.len() > MOST_NOTICES { " e mais " (clash.len() - MOST_NOTICES) }
            " em menos de uma hora."
        }
    }
}

fn event_link(base: &str, kept: &str, event: &Event) -> Markup {
    html! {
        a href={ (base) (quick_view_path(&event.id, kept)) } {
            @if let Some(hour) = &event.hour { (hour) " " }
            span dir="auto" { (first_words(&event.title, 40)) }
        }
    }
}
