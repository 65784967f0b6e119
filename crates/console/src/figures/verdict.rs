//! The verdict at the head of a dashboard: a sentence that judges the figures, and the facts on which
//! the sentence is based.

use domain::sales::Stage;
use maud::{Markup, html};

use super::{
    amounts::{self, format_money},
    period,
    progress::Progress,
};
use crate::text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Bad,
    Wait,
    Plain,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub tone: Tone,
    pub sentence: String,
    /// The facts on which the sentence is based.
    pub basis: String,
}

impl Verdict {
    pub(super) fn new(tone: Tone, sentence: impl Into<String>, basis: impl Into<String>) -> Self {
        Self {
            tone,
            sentence: sentence.into(),
            basis: basis.into(),
        }
    }

    /// Draws the verdict, with further facts after its basis.
    pub fn draw(&self, more: &[String]) -> Markup {
        let class = match self.tone {
            Tone::Good => "verdict good",
            Tone::Bad => "verdict bad",
            Tone::Wait => "verdict wait",
            Tone::Plain => "verdict",
        };
        html! {
            div class=(class) {
                p class="sentence" { (self.sentence) }
                @if !self.basis.is_empty() { p { (self.basis) } }
                @for fact in more { p { (fact) } }
            }
        }
    }
}

/// Judges the progress of a launch.
pub(super) fn judge_launch(one: &Progress<'_>) -> Verdict {
    match one.pace.stage() {
        Stage::Future => future_verdict(one),
        _ if !one.has_data => Verdict::new(
            Tone::Wait,
            "Ainda não dá para dizer: não entrou nenhum dado de vendas.",
            goal_text(one),
        ),
        Stage::Running => running_verdict(one),
        Stage::Over => ended_verdict(one),
    }
}

fn future_verdict(one: &Progress<'_>) -> Verdict {
    let wait = one.pace.today.days_through(one.pace.starts_on) - 1;
    let when = match wait {
        1 => "amanhã".to_owned(),
        _ => format!("em {}", amounts::format_day_count(wait)),
    };
    let sentence = format!(
        "Começa {when}, {}.",
        amounts::format_day(one.pace.starts_on)
    );
    Verdict::new(Tone::Plain, sentence, goal_text(one))
}

fn running_verdict(one: &Progress<'_>) -> Verdict {
    let (left, done) = (
        one.pace.days_left(),
        format_money(one.pace.done_cents, one.currency),
    );
    let remaining = match left {
        0 => "hoje é o último dia".to_owned(),
        1 => "falta 1 dia".to_owned(),
        _ => format!("faltam {}", amounts::format_day_count(left)),
    };
    if one.is_without_sales() {
        let (tone, sentence) = match one.pace.elapsed_days() {
            1 => (
                Tone::Wait,
                "Nenhuma venda ainda: hoje é o primeiro dia.".into(),
            ),
            days => (
                Tone::Bad,
                format!("Nenhuma venda em {}.", amounts::format_day_count(days)),
            ),
        };
        return Verdict::new(
            tone,
            sentence,
            format!("{} {}.", goal_text(one), text::capitalize(&remaining)),
        );
    }
    if one.pace.goal_cents <= 0 {
        let sentence = format!(
            "{done} em {} até agora.",
            amounts::format_sale_count(one.sales)
        );
        let basis = format!(
            "Sem meta, não há com que comparar o ritmo. {}.",
            text::capitalize(&remaining)
        );
        return Verdict::new(Tone::Plain, sentence, basis);
    }
    let reached = amounts::format_percent(one.pace.done_cents, one.pace.goal_cents);
    let goal = format_money(one.pace.goal_cents, one.currency);
    if one.pace.done_cents >= one.pace.goal_cents {
        let sentence = format!("Meta batida: {reached} dela, e {remaining}.");
        let basis = format!("{done}, de uma meta de {goal}.");
        return Verdict::new(Tone::Good, sentence, basis);
    }
    let missing = format_money(one.pace.goal_cents - one.pace.done_cents, one.currency);
    let basis = format!(
        "{done} de {goal} ({reached}), no {}º dia de {}. O dia de hoje ainda não terminou.",
        one.pace.elapsed_days(),
        one.pace.total_days()
    );
    if left == 0 {
        let sentence = format!("Hoje é o último dia, e faltam {missing} para a meta.");
        return Verdict::new(Tone::Bad, sentence, basis);
    }
    let forecast = one.pace.expected_revenue().unwrap_or(one.pace.done_cents);
    let share = amounts::format_percent(forecast, one.pace.goal_cents);
    let pace = format_money(one.pace.revenue_per_day().unwrap_or(0), one.currency);
    let needed = format_money(one.pace.needed_revenue_per_day().unwrap_or(0), one.currency);
    let basis = format!(
        "{basis} O ritmo é de {pace} por dia; para a meta são precisos {needed} por dia, e {remaining}."
    );
    if forecast >= one.pace.goal_cents {
        let sentence = format!("No ritmo de agora, chega à meta: {share} dela no fim.");
        return Verdict::new(Tone::Good, sentence, basis);
    }
    let (tone, sentence) = if one.pace.is_critical() {
        let sentence = format!("No ritmo de agora, não chega à meta: {share} dela no fim.");
        (Tone::Bad, sentence)
    } else {
        let sentence = format!("No ritmo de agora, fica perto da meta: {share} dela no fim.");
        (Tone::Wait, sentence)
    };
    Verdict::new(tone, sentence, basis)
}

fn ended_verdict(one: &Progress<'_>) -> Verdict {
    let done = format_money(one.pace.done_cents, one.currency);
    let sold = format!("{done} em {}.", amounts::format_sale_count(one.sales));
    if one.is_without_sales() {
        return Verdict::new(Tone::Bad, "Terminou sem nenhuma venda.", goal_text(one));
    }
    if one.pace.goal_cents <= 0 {
        let sentence = format!(
            "Terminou com {done} em {}.",
            amounts::format_sale_count(one.sales)
        );
        return Verdict::new(Tone::Plain, sentence, "Não tinha meta.");
    }
    let reached = amounts::format_percent(one.pace.done_cents, one.pace.goal_cents);
    let goal = format_money(one.pace.goal_cents, one.currency);
    let basis = format!("{sold} A meta era de {goal}.");
    if one.pace.done_cents >= one.pace.goal_cents {
        let sentence = format!("Terminou com a meta batida: {reached} dela.");
        return Verdict::new(Tone::Good, sentence, basis);
    }
    let missing = format_money(one.pace.goal_cents - one.pace.done_cents, one.currency);
    let sentence = format!("Terminou com {reached} da meta: faltaram {missing}.");
    Verdict::new(Tone::Bad, sentence, basis)
}

fn goal_text(one: &Progress<'_>) -> String {
    match one.pace.goal_cents {
        ..=0 => "Ainda sem meta.".into(),
        goal => format!("Meta: {}.", format_money(goal, one.currency)),
    }
}

/// Compares the revenue with the revenue of the previous launch after the same number of days.
pub(super) fn compare_with_launch(
    now: i64,
    before: i64,
    name: &str,
    currency: &str,
    is_over: bool,
) -> String {
    let when = if is_over {
        "No mesmo número de dias"
    } else {
        "No mesmo dia"
    };
    let then = format!(
        "{when} do lançamento anterior, “{name}”, eram {}",
        format_money(before, currency)
    );
    match period::percent_change(now, before) {
        Some(change) if change == "igual" => format!("{then}: igual."),
        Some(change) => format!("{then}: {change} agora."),
        None => format!("{then}."),
    }
}

/// The sales of a period and of the previous period, in one currency.
pub(super) struct Sold<'a> {
    pub currency: &'a str,
    pub cents: i64,
    pub sales: i64,
    /// The revenue of the previous period, for as many days as have passed of the current period.
    /// `None` if the current period has not begun.
    pub before: Option<i64>,
    /// The number of days that have passed, including today.
    pub days: i64,
    pub has_data: bool,
}

/// Compares the revenue of a period with the revenue of the previous period.
pub(super) fn judge_sales(sold: &Sold<'_>) -> Verdict {
    let Some(before) = sold.before else {
        return Verdict::new(Tone::Plain, "Este período ainda não começou.", "");
    };
    if !sold.has_data {
        let sentence = "Ainda não dá para dizer: não entrou nenhum dado de vendas.";
        return Verdict::new(Tone::Wait, sentence, "");
    }
    let (now, then) = (
        format_money(sold.cents, sold.currency),
        format_money(before, sold.currency),
    );
    let days = amounts::format_day_count(sold.days);
    let earlier = match sold.days {
        1 => "no dia anterior".to_owned(),
        many => format!("nos {} dias anteriores", amounts::format_count(many)),
    };
    if sold.sales == 0 && sold.cents <= 0 {
        return match before {
            ..=0 => Verdict::new(
                Tone::Wait,
                format!("Nenhuma venda em {days}, nem {earlier}."),
                "",
            ),
            _ => Verdict::new(
                Tone::Bad,
                format!("Nenhuma venda em {days}; {earlier} foram {then}."),
                "",
            ),
        };
    }
    let basis = format!("{} em {days}.", amounts::format_sale_count(sold.sales));
    let Some(change) = period::percent_change(sold.cents, before) else {
        let sentence = format!("{now} de receita; {earlier} não houve nenhuma.");
        return Verdict::new(Tone::Good, sentence, basis);
    };
    let percent = change.trim_start_matches(['+', '−']);
    let (tone, verb) = match change.chars().next() {
        Some('+') => (Tone::Good, format!("subiu {percent}")),
        Some('−') => (Tone::Bad, format!("caiu {percent}")),
        _ => (Tone::Plain, "ficou igual".into()),
    };
    let sentence = format!("A receita {verb}: {now}, contra {then} {earlier}.");
    Verdict::new(tone, sentence, basis)
}

/// The subscriptions at the end of a period and at the end of the previous period.
pub(super) struct Subscribed {
    pub active: i64,
    pub active_before: Option<i64>,
    pub started: i64,
    pub left: i64,
    pub overdue: i64,
    /// The length of the period in days.
    pub days: i64,
    pub has_data: bool,
}

/// Judges the development of the subscriptions.
pub(super) fn judge_subscriptions(one: &Subscribed) -> Verdict {
    if !one.has_data {
        let sentence = "Ainda não dá para dizer: não entrou nenhum dado de assinaturas.";
        return Verdict::new(Tone::Wait, sentence, "");
    }
    let before = one.active_before.unwrap_or(one.active);
    let mut basis = match (one.started, one.left) {
        (0, 0) => "Ninguém entrou nem saiu.".to_owned(),
        (1, left) => format!("Entrou 1 e {}.", leaving_text(left)),
        (started, left) => format!(
            "Entraram {} e {}.",
            amounts::format_count(started),
            leaving_text(left)
        ),
    };
    if one.overdue > 0 {
        let overdue = amounts::format_count(one.overdue);
        let word = if one.overdue == 1 { "está" } else { "estão" };
        basis = format!("{basis} {overdue} {word} com o pagamento em atraso.");
    }
    let active = amounts::format_count(one.active);
    let earlier = format!("que {} antes", amounts::format_day_count(one.days));
    let difference = amounts::format_count((one.active - before).abs());
    let (tone, sentence) = match one.active.cmp(&before) {
        _ if one.active == 0 && before == 0 => (Tone::Wait, "Nenhuma assinatura ativa.".into()),
        std::cmp::Ordering::Greater => (
            Tone::Good,
            format!("As assinaturas cresceram: {active} ativas, {difference} a mais {earlier}."),
        ),
        std::cmp::Ordering::Less => (
            Tone::Bad,
            format!("As assinaturas caíram: {active} ativas, {difference} a menos {earlier}."),
        ),
        std::cmp::Ordering::Equal => (
            Tone::Plain,
            format!(
                "As assinaturas ficaram iguais: {active} ativas, como {} antes.",
                amounts::format_day_count(one.days)
            ),
        ),
    };
    Verdict::new(tone, sentence, basis)
}

fn leaving_text(number: i64) -> String {
    match number {
        0 => "ninguém saiu".into(),
        1 => "saiu 1".into(),
        many => format!("saíram {}", amounts::format_count(many)),
    }
}

#[cfg(test)]
mod tests;
