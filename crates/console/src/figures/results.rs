//! The results of published posts: the page, its CSV file, and the table of results on the page of a
//! piece.

use domain::time::LocalDay;
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    period,
    sheet::{Cell, Sheet},
};
use crate::{
    area::page_spec, channels::channel_name, links::percent_encode, shell, text, view::View,
};

const PATH: &str = "/resultados";
/// The number of posts on the page, and in one read for the CSV file.
const ON_PAGE: u64 = 50;
const IN_READ: u64 = 200;
/// The length of the default period, in days.
const USUAL: i32 = 30;
const NAME: &str = "resultados";

/// The figures by which posts can be sorted: value of the input field, and label.
const ORDERS: [(&str, &str); 8] = [
    ("publicado_em", "Mais novos"),
    ("alcance", "Alcance"),
    ("visualizacoes", "Visualizações"),
    ("curtidas", "Curtidas"),
    ("comentarios", "Comentários"),
    ("compartilhamentos", "Compartilhamentos"),
    ("salvos", "Salvos"),
    ("cliques", "Cliques"),
];

/// The ages of a post at which its figures are read: value of the input field, and label.
const AGES: [(&str, &str); 5] = [
    ("", "Última leitura"),
    ("1h", "1 hora depois"),
    ("24h", "1 dia depois"),
    ("7d", "7 dias depois"),
    ("30d", "30 dias depois"),
];

/// The page of results.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ResultsPage {
    /// Primeiro dia.
    inicio: Option<String>,
    /// Último dia.
    fim: Option<String>,
    /// O número que ordena.
    ordem: Option<String>,
    /// A leitura que se mostra.
    idade: Option<String>,
    /// De onde a lista continua.
    cursor: Option<String>,
    /// A tabela a baixar.
    csv: Option<String>,
}

const ROUTE: Spec = page_spec("console_results", "Resultados dos posts", PATH).fails(&[400, 403]);

pub(crate) const RESULTS: Entry = Entry::for_page::<ResultsPage>(
    ROUTE,
    "O que deram os posts que a Pauta publicou em um período.",
);

#[derive(Deserialize)]
struct Answer {
    resultados: Vec<Post>,
    next_cursor: Option<String>,
}

/// A published post.
#[derive(Deserialize)]
struct Post {
    event_id: String,
    titulo: String,
    canal: String,
    formato: String,
    publicado_em: String,
    leituras: Vec<Reading>,
}

/// The figures of a post at one age. `None` means that the network did not give the figure.
#[derive(Deserialize)]
struct Reading {
    idade: String,
    lida_em: Option<String>,
    motivo: Option<String>,
    alcance: Option<i64>,
    visualizacoes: Option<i64>,
    curtidas: Option<i64>,
    comentarios: Option<i64>,
    compartilhamentos: Option<i64>,
    salvos: Option<i64>,
    cliques: Option<i64>,
}

impl Page for ResultsPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let mut input = period::period_input(self.inicio.as_deref(), self.fim.as_deref());
        for (name, value) in [("ordem", &self.ordem), ("idade", &self.idade)] {
            if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
                input[name] = value.into();
            }
        }
        let age = self.idade.as_deref().unwrap_or_default();
        if self.csv.is_some() {
            return Ok(read_all_posts(&view, input, age).await?.csv_reply());
        }
        input["limit"] = ON_PAGE.into();
        if let Some(cursor) = self.cursor.as_deref().filter(|cursor| !cursor.is_empty()) {
            input["cursor"] = cursor.into();
        }
        let answer: Answer = view.read("list_results", input).await?;
        let today = LocalDay::from_instant(ctx.now);
        let day = |day: &Option<String>| day.as_deref().and_then(|day| day.parse().ok());
        let until = day(&self.fim).map_or(today, LocalDay);
        let from = day(&self.inicio).map_or(until.plus_days(1 - USUAL), LocalDay);
        let order = self.ordem.as_deref().unwrap_or_default();
        let (from_day, until_day) = (from.0, until.0);
        let query = format!(
            "inicio={from_day}&fim={until_day}&ordem={}&idade={}",
            percent_encode(order),
            percent_encode(age)
        );
        let address = view.href_to(&format!("{PATH}?{query}"));
        let sheet = to_sheet(&view, answer.resultados, age);
        let body = html! {
            div class="spread" {
                h1 { "Resultados dos posts" }
                a class="button quiet" href=(view.href_to("/publicacoes")) { "Publicações" }
            }
            form method="get" action=(view.href_to(PATH)) class="row period" {
                label { span { "De" } input type="date" name="inicio" value=(from.0); }
                label { span { "Até" } input type="date" name="fim" value=(until.0); }
                (draw_select_field("Ordem", "ordem", &ORDERS, order))
                (draw_select_field("Leitura", "idade", &AGES, age))
                button type="submit" class="quiet" { "Mostrar" }
            }
            p class="soft" {
                "Posts que a Pauta publicou. A rede pode atrasar os números em até 48 horas; o que ela não informa "
                "fica como não disponível, e não como zero. Cliques são visitas aos sites pelo link do post."
            }
            h2 { "No período" }
            (sheet.draw_table(&address))
            (shell::next_page_link(&view, &format!("{PATH}?{query}&"), answer.next_cursor.as_deref()))
        };
        Ok(shell::console_page(&view, "Resultados dos posts", &body))
    }
}

fn draw_select_field(words: &str, name: &str, options: &[(&str, &str)], chosen: &str) -> Markup {
    html! {
        label {
            span { (words) }
            select name=(name) {
                @for (key, words) in options { option value=(key) selected[*key == chosen] { (words) } }
            }
        }
    }
}

/// Reads all posts of a period for the CSV file, page by page.
async fn read_all_posts(view: &View<'_>, mut input: Value, age: &str) -> Result<Sheet> {
    input["limit"] = IN_READ.into();
    let mut sheet = to_sheet(view, vec![], age);
    loop {
        let answer: Answer = view.read("list_results", input.clone()).await?;
        sheet
            .rows
            .extend(to_sheet(view, answer.resultados, age).rows);
        match answer.next_cursor {
            Some(cursor) => input["cursor"] = cursor.into(),
            None => return Ok(sheet),
        }
    }
}

fn to_sheet(view: &View<'_>, posts: Vec<Post>, age: &str) -> Sheet {
    let rows = posts.into_iter().map(|post| {
        let mut own = post.leituras.iter().rev();
        let reading = match age {
            "" => own.find(|reading| reading.lida_em.is_some()),
            age => own.find(|reading| reading.idade == age),
        };
        let reading = reading.or_else(|| post.leituras.last().filter(|_| age.is_empty()));
        let mut row = vec![
            Cell::Link(
                post.titulo.clone(),
                view.href_to(&format!("/eventos/{}", post.event_id)),
            ),
            Cell::from_text(format!("{} {}", channel_name(&post.canal), post.formato)),
            Cell::Moment(post.publicado_em.clone()),
            Cell::from_text(reading.map_or("sem leitura", |reading| age_label(&reading.idade))),
        ];
        row.extend(figure_cells(reading));
        let note = reading.and_then(|reading| reading.motivo.clone());
        row.push(Cell::from_text(note.unwrap_or_default()));
        row
    });
    Sheet {
        name: NAME,
        title: "Posts",
        columns: &[
            "Peça",
            "Canal",
            "Publicado em",
            "Leitura",
            "Alcance",
            "Visualizações",
            "Curtidas",
            "Comentários",
            "Compartilhamentos",
            "Salvos",
            "Cliques",
            "Observação",
        ],
        rows: rows.collect(),
    }
}

fn figure_cells(reading: Option<&Reading>) -> Vec<Cell> {
    let figures = match reading {
        Some(one) => [
            one.alcance,
            one.visualizacoes,
            one.curtidas,
            one.comentarios,
            one.compartilhamentos,
            one.salvos,
            one.cliques,
        ],
        None => [None; 7],
    };
    let cells = figures
        .into_iter()
        .map(|figure| figure.map_or(Cell::Unavailable, Cell::Count));
    cells.collect()
}

fn age_label(age: &str) -> &str {
    let known = AGES.iter().find(|(key, _)| *key == age);
    known.map_or(age, |(_, words)| words)
}

/// Draws the results of the posts of a piece. Empty if there are none, or if the viewer may not see
/// results.
pub(crate) async fn draw_piece_results(view: &View<'_>, event_id: &str) -> Result<Markup> {
    if !view.may_call("list_results") {
        return Ok(html! {});
    }
    let input = json!({ "event_id": event_id, "limit": 20 });
    let answer: Answer = view.read("list_results", input).await?;
    let sheets = answer.resultados.into_iter().map(|post| {
        let place = format!("{} {}", channel_name(&post.canal), post.formato);
        let rows = post.leituras.iter().map(|reading| {
            let mut row = vec![
                Cell::from_text(age_label(&reading.idade)),
                reading.lida_em.clone().map_or_else(
                    || Cell::from_text(reading.motivo.clone().unwrap_or_default()),
                    |at| Cell::from_text(text::format_iso_moment(&at)),
                ),
            ];
            row.extend(figure_cells(Some(reading)));
            row
        });
        let sheet = Sheet {
            name: NAME,
            title: "",
            columns: &[
                "Leitura",
                "Lida em",
                "Alcance",
                "Visualizações",
                "Curtidas",
                "Comentários",
                "Compartilhamentos",
                "Salvos",
                "Cliques",
            ],
            rows: rows.collect(),
        };
        (place, sheet)
    });
    let sheets: Vec<(String, Sheet)> = sheets.collect();
    Ok(html! {
        @if !sheets.is_empty() {
            section id="resultados-da-peca" class="stack screen-only" aria-labelledby="resultados-titulo" {
                h2 id="resultados-titulo" { "Resultados" }
                @for (place, sheet) in &sheets {
                    h3 { (place) }
                    @if sheet.rows.is_empty() {
                        p class="soft" { "Sem leitura. A primeira é feita uma hora depois da publicação." }
                    } @else {
                        (sheet.draw_plain(place))
                    }
                }
            }
        }
    })
}
