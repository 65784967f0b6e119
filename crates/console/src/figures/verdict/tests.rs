use domain::{
    sales::Pace,
    time::{LocalDay, parse_day},
};

use super::*;

fn local_day(text: &str) -> LocalDay {
    LocalDay(parse_day(text).expect("a day"))
}

/// Returns the progress of a launch of ten days with a goal of R$ 1.000, on the day `today`.
fn launch_progress(today: &str, done: i64, sales: i64) -> Progress<'static> {
    Progress {
        currency: "BRL",
        pace: Pace {
            goal_cents: 100_000,
            done_cents: done,
            starts_on: local_day("2026-11-01"),
            ends_on: local_day("2026-11-10"),
            today: local_day(today),
        },
        sales,
        has_data: true,
    }
}

#[test]
fn a_launch_that_runs_is_judged_by_its_pace() {
    for (today, done, tone, sentence) in [
        (
            "2026-11-05",
            20_000,
            Tone::Bad,
            "No ritmo de agora, não chega à meta: 40% dela no fim.",
        ),
        (
            "2026-11-05",
            40_000,
            Tone::Wait,
            "No ritmo de agora, fica perto da meta: 80% dela no fim.",
        ),
        (
            "2026-11-05",
            50_000,
            Tone::Good,
            "No ritmo de agora, chega à meta: 100% dela no fim.",
        ),
        (
            "2026-11-05",
            100_000,
            Tone::Good,
            "Meta batida: 100% dela, e faltam 5 dias.",
        ),
        (
            "2026-11-09",
            120_000,
            Tone::Good,
            "Meta batida: 120% dela, e falta 1 dia.",
        ),
        (
            "2026-11-10",
            120_000,
            Tone::Good,
            "Meta batida: 120% dela, e hoje é o último dia.",
        ),
        (
            "2026-11-10",
            99_999,
            Tone::Bad,
            "Hoje é o último dia, e faltam R$\u{a0}0,01 para a meta.",
        ),
    ] {
        let verdict = judge_launch(&launch_progress(today, done, 5));
        assert_eq!((verdict.tone, verdict.sentence.as_str()), (tone, sentence));
    }
    let verdict = judge_launch(&launch_progress("2026-11-05", 20_000, 5));
    assert_eq!(
        verdict.basis,
        "R$\u{a0}200,00 de R$\u{a0}1.000,00 (20%), no 5º dia de 10. O dia de hoje ainda não terminou. O ritmo é de \
         R$\u{a0}40,00 por dia; para a meta são precisos R$\u{a0}160,00 por dia, e faltam 5 dias."
    );
}

#[test]
fn a_launch_that_has_not_begun_says_when_it_begins() {
    let verdict = judge_launch(&launch_progress("2026-10-31", 0, 0));
    assert_eq!(verdict.sentence, "Começa amanhã, 01/11/2026.");
    assert_eq!(verdict.basis, "Meta: R$\u{a0}1.000,00.");
    let verdict = judge_launch(&launch_progress("2026-10-20", 0, 0));
    assert_eq!(verdict.sentence, "Começa em 12 dias, 01/11/2026.");
}

#[test]
fn a_launch_that_is_over_says_how_it_ended() {
    let over = |done, sales| judge_launch(&launch_progress("2026-11-11", done, sales));
    assert_eq!(
        over(66_500, 5).sentence,
        "Terminou com 66% da meta: faltaram R$\u{a0}335,00."
    );
    assert_eq!(
        over(100_000, 5).sentence,
        "Terminou com a meta batida: 100% dela."
    );
    assert_eq!(over(0, 0).sentence, "Terminou sem nenhuma venda.");
}

#[test]
fn a_launch_without_sales_a_goal_or_data_has_its_own_sentence() {
    let sentence = |today| judge_launch(&launch_progress(today, 0, 0)).sentence;
    assert_eq!(
        sentence("2026-11-01"),
        "Nenhuma venda ainda: hoje é o primeiro dia."
    );
    assert_eq!(sentence("2026-11-04"), "Nenhuma venda em 4 dias.");
    assert_eq!(
        judge_launch(&launch_progress("2026-11-10", 0, 0)).basis,
        "Meta: R$\u{a0}1.000,00. Hoje é o último dia."
    );
    let without_goal = |today| {
        let mut progress = launch_progress(today, 5_000, 1);
        progress.pace.goal_cents = 0;
        progress
    };
    let verdict = judge_launch(&without_goal("2026-11-04"));
    assert_eq!(verdict.sentence, "R$\u{a0}50,00 em 1 venda até agora.");
    assert_eq!(
        verdict.basis,
        "Sem meta, não há com que comparar o ritmo. Faltam 6 dias."
    );
    let verdict = judge_launch(&without_goal("2026-11-12"));
    assert_eq!(verdict.sentence, "Terminou com R$\u{a0}50,00 em 1 venda.");
    let verdict = judge_launch(&Progress {
        has_data: false,
        ..launch_progress("2026-11-04", 0, 0)
    });
    assert_eq!(verdict.tone, Tone::Wait);
}

#[test]
fn a_launch_is_compared_with_the_same_day_of_the_previous_launch() {
    let text = |now, before, is_over| compare_with_launch(now, before, "Pão", "BRL", is_over);
    assert_eq!(
        text(120, 100, false),
        "No mesmo dia do lançamento anterior, “Pão”, eram R$\u{a0}1,00: +20% agora."
    );
    assert_eq!(
        text(100, 100, true),
        "No mesmo número de dias do lançamento anterior, “Pão”, eram R$\u{a0}1,00: igual."
    );
    assert_eq!(
        text(100, 0, false),
        "No mesmo dia do lançamento anterior, “Pão”, eram R$\u{a0}0,00."
    );
}

#[test]
fn sales_are_compared_with_the_previous_period() {
    let verdict = |cents, count, before, days| {
        judge_sales(&Sold {
            currency: "BRL",
            cents,
            sales: count,
            before,
            days,
            has_data: true,
        })
    };
    for (verdict, tone, sentence) in [
        (
            verdict(11_200, 3, Some(10_000), 30),
            Tone::Good,
            "A receita subiu 12%: R$\u{a0}112,00, contra R$\u{a0}100,00 nos 30 dias anteriores.",
        ),
        (
            verdict(5_000, 1, Some(10_000), 1),
            Tone::Bad,
            "A receita caiu 50%: R$\u{a0}50,00, contra R$\u{a0}100,00 no dia anterior.",
        ),
        (
            verdict(10_000, 3, Some(10_000), 2),
            Tone::Plain,
            "A receita ficou igual: R$\u{a0}100,00, contra R$\u{a0}100,00 nos 2 dias anteriores.",
        ),
        (
            verdict(10_000, 3, Some(0), 2),
            Tone::Good,
            "R$\u{a0}100,00 de receita; nos 2 dias anteriores não houve nenhuma.",
        ),
        (
            verdict(0, 0, Some(10_000), 30),
            Tone::Bad,
            "Nenhuma venda em 30 dias; nos 30 dias anteriores foram R$\u{a0}100,00.",
        ),
        (
            verdict(0, 0, Some(0), 30),
            Tone::Wait,
            "Nenhuma venda em 30 dias, nem nos 30 dias anteriores.",
        ),
        (
            verdict(0, 0, None, 0),
            Tone::Plain,
            "Este período ainda não começou.",
        ),
    ] {
        assert_eq!((verdict.tone, verdict.sentence.as_str()), (tone, sentence));
    }
}

#[test]
fn subscriptions_are_compared_with_the_start_of_the_period() {
    let verdict = |active, active_before, started, left| {
        judge_subscriptions(&Subscribed {
            active,
            active_before,
            started,
            left,
            overdue: 1,
            days: 30,
            has_data: true,
        })
    };
    let grown = verdict(58, Some(55), 5, 2);
    assert_eq!(
        grown.sentence,
        "As assinaturas cresceram: 58 ativas, 3 a mais que 30 dias antes."
    );
    assert_eq!(
        grown.basis,
        "Entraram 5 e saíram 2. 1 está com o pagamento em atraso."
    );
    let fallen = verdict(54, Some(55), 0, 1);
    assert_eq!(
        fallen.sentence,
        "As assinaturas caíram: 54 ativas, 1 a menos que 30 dias antes."
    );
    assert_eq!(verdict(55, Some(55), 0, 0).tone, Tone::Plain);
    assert_eq!(
        verdict(0, Some(0), 0, 0).sentence,
        "Nenhuma assinatura ativa."
    );
}
