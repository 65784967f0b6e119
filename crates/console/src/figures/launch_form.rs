//! The form of a launch: its name, dates, goal, products, campaigns and code.

use domain::{
    Revision,
    time::{LocalDay, parse_day},
};
use gateway::{Context, Entry, Error, Input, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    amounts,
    shapes::{Panel, Saved},
};
use crate::{
    area::{page_spec, receiver_spec},
    forms::{
        Conflict, form_or_hint, is_stale, keyed_input, nonblank_text, page_form, redirect_after,
        refuse_form,
    },
    shell, text,
    view::View,
};

const CREATE: &str = "put_launch_dashboard";
const UPDATE: &str = "update_launch_dashboard";
const TITLE: &str = "Mudar o lançamento";
const NEW_TITLE: &str = "Novo lançamento";
/// The path of the form of a new launch.
pub(super) const NEW: &str = "/lancamentos/novo";
/// The revision of a launch that does not exist yet.
const ABSENT: Revision = Revision::new(0);
/// The number of projects that the form of a new launch offers.
const OFFERED: usize = 200;

/// The page with the form of a new launch.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewLaunch {}

/// The page with the form of a launch.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct LaunchForm {
    projeto_id: String,
}

/// The submitted form of a launch.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct SaveLaunch {
    projeto_id: String,
    /// 0 se o lançamento ainda não existe.
    expected_revision: Revision,
    #[serde(default)]
    nome: String,
    #[serde(default)]
    inicio: String,
    #[serde(default)]
    fim: String,
    /// A meta em unidades da moeda, como 60.000,00.
    #[serde(default)]
    meta: String,
    #[serde(default)]
    moeda: String,
    /// Um por linha.
    #[serde(default)]
    produtos: String,
    /// Uma por linha.
    #[serde(default)]
    campanhas: String,
    #[serde(default)]
    lancamento: String,
    /// A chave de idempotência deste envio.
    pedido: Option<String>,
}

const FORM: Spec = page_spec(
    "console_launch_form",
    TITLE,
    "/lancamentos/{projeto_id}/painel",
)
.fails(&[403, 404]);
const SAVE: Spec = receiver_spec(
    "console_save_launch",
    "Salvar o lançamento",
    "/lancamentos/{projeto_id}/painel",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413]);

const NEW_FORM: Spec = page_spec("console_new_launch", NEW_TITLE, NEW).fails(&[403]);
const CREATION: Spec = receiver_spec("console_create_launch", "Criar lançamento", NEW)
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[400, 403, 404, 409, 413]);

pub(crate) const NEW_LAUNCH: Entry = Entry::for_page::<NewLaunch>(
    NEW_FORM,
    "O formulário de um lançamento novo, de um projeto à escolha.",
);
pub(crate) const CREATE_LAUNCH: Entry = Entry::for_page::<SaveLaunch>(
    CREATION,
    "Cria um lançamento; mostra as duas versões se o projeto já tem um.",
);
pub(crate) const LAUNCH_FORM: Entry = Entry::for_page::<LaunchForm>(
    FORM,
    "O formulário da meta, das datas, dos produtos e das campanhas de um lançamento.",
);
pub(crate) const SAVE_LAUNCH: Entry = Entry::for_page::<SaveLaunch>(
    SAVE,
    "Salva meta, datas, produtos e campanhas; mostra as duas versões se o lançamento mudou antes.",
);

impl Page for LaunchForm {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(UPDATE)?;
        let panel = read_panel(&view, &self.projeto_id).await?;
        let body = html! {
            p class="crumbs" {
                a href=(view.href_to("/lancamentos")) { "Lançamentos" } " › "
                a href=(view.href_to(&launch_path(&self.projeto_id))) dir="auto" { (panel.nome) }
            }
            h1 { (TITLE) }
            p class="soft" { (saved_by_notice(&panel)) }
            (draw_form(&view, &SaveLaunch::from_panel(&panel), &[]))
        };
        Ok(shell::reading_page(&view, TITLE, &body))
    }
}

impl Page for NewLaunch {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(CREATE)?;
        let projects = load_projects(&view).await?;
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/lancamentos")) { "Lançamentos" } }
            h1 { (NEW_TITLE) }
            @if projects.is_empty() {
                p class="empty" {
                    "Um lançamento mostra as vendas de um projeto, e nenhum projeto ativo está sem lançamento. "
                    a href=(view.href_to("/projetos")) { "Ver os projetos" }
                }
            } @else {
                (draw_form(&view, &SaveLaunch::new(LocalDay::from_instant(ctx.now)), &projects))
            }
        };
        Ok(shell::reading_page(&view, NEW_TITLE, &body))
    }
}

impl Page for SaveLaunch {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let operation = if self.is_new() { CREATE } else { UPDATE };
        let outcome = match self.build_input().await {
            Ok(input) => view.call(operation, input).await.map(|_: Value| ()),
            Err(refused) => Err(refused),
        };
        match outcome {
            Ok(()) => Ok(redirect_after(
                &view,
                &launch_path(&self.projeto_id),
                operation,
            )),
            Err(error) if is_stale(&error) => self.conflict_reply(&view).await,
            Err(error) => {
                let projects = match self.is_new() {
                    true => load_projects(&view).await?,
                    false => vec![],
                };
                let form = form_or_hint(self.long_texts(), || draw_form(&view, &self, &projects));
                Ok(refuse_form(
                    &view,
                    "O lançamento não foi salvo",
                    &error,
                    &form,
                ))
            }
        }
    }
}

impl SaveLaunch {
    /// Creates the form of a launch that does not exist yet.
    fn new(today: LocalDay) -> Self {
        Self {
            projeto_id: String::new(),
            expected_revision: ABSENT,
            nome: String::new(),
            inicio: today.0.to_string(),
            fim: String::new(),
            meta: String::new(),
            moeda: "BRL".into(),
            produtos: String::new(),
            campanhas: String::new(),
            lancamento: String::new(),
            pedido: None,
        }
    }

    fn is_new(&self) -> bool {
        self.expected_revision == ABSENT
    }

    /// Creates the form of a stored launch.
    fn from_panel(panel: &Panel) -> Self {
        let goal = amounts::format_money(panel.meta_centavos, "")
            .trim()
            .to_owned();
        Self {
            projeto_id: panel.projeto_id.clone(),
            expected_revision: panel.revision,
            nome: panel.nome.clone(),
            inicio: panel.inicio.0.to_string(),
            fim: panel.fim.0.to_string(),
            meta: goal,
            moeda: panel.moeda.clone(),
            produtos: panel.produtos.join("\n"),
            campanhas: panel.campanhas.join("\n"),
            lancamento: panel.lancamento.clone().unwrap_or_default(),
            pedido: None,
        }
    }

    async fn build_input(&self) -> Result<Input> {
        let goal = match self.meta.trim() {
            "" => 0,
            text => amounts::parse_money(text)
                .map_err(|why| Error::invalid_field("meta", "money", &why.to_string()))?,
        };
        let code = nonblank_text(&self.lancamento);
        let has_code = code.is_some();
        let mut fields = json!({
            "projetoId": self.projeto_id,
            "expected_revision": self.expected_revision,
            "nome": self.nome.trim(),
            "inicio": self.inicio,
            "fim": self.fim,
            "meta_centavos": goal,
            "moeda": nonblank_text(&self.moeda),
            "produtos": nonblank_lines(&self.produtos),
            "campanhas": nonblank_lines(&self.campanhas),
            "lancamento": code.map(|code| code.trim().to_owned()),
        });
        if !self.is_new() {
            fields["sem_lancamento"] = (!has_code).into();
        }
        keyed_input(self.pedido.as_deref(), fields).await
    }

    fn long_texts(&self) -> [&str; 3] {
        [&self.nome, &self.produtos, &self.campanhas]
    }

    /// Lists the fields as lines of text, for the comparison of two versions.
    fn describe_fields(&self) -> String {
        let goal = if self.meta.trim().is_empty() {
            "sem meta"
        } else {
            self.meta.trim()
        };
        format!(
            "Nome: {}\nDe: {}\nAté: {}\nMeta: {goal}\nMoeda: {}\nProdutos: {}\nCampanhas: {}\nCódigo: {}\n",
            self.nome,
            typed_day_text(&self.inicio),
            typed_day_text(&self.fim),
            self.moeda,
            nonblank_lines(&self.produtos).join(", "),
            nonblank_lines(&self.campanhas).join(", "),
            self.lancamento,
        )
    }

    /// Replies with a page that shows the stored version beside the version of the form, and lets the
    /// person save the form over the stored version.
    async fn conflict_reply(&self, view: &View<'_>) -> Result<Reply> {
        let stored = read_panel(view, &self.projeto_id).await?;
        let mine = Self {
            expected_revision: stored.revision,
            ..self.clone()
        };
        let conflict = Conflict {
            what: "o lançamento",
            by: html! { (saved_by_notice(&stored)) },
            stored: &Self::from_panel(&stored).describe_fields(),
            mine: &self.describe_fields(),
            again: form_or_hint(self.long_texts(), || {
                draw_labelled_form(view, &mine, &[], "Salvar a minha por cima")
            }),
            keep: launch_path(&self.projeto_id),
        };
        conflict.choice_page(view).await
    }
}

async fn read_panel(view: &View<'_>, id: &str) -> Result<Panel> {
    let input = json!({ "projetoId": id });
    let saved: Saved = view.read("get_launch_dashboard", input).await?;
    Ok(saved.lancamento)
}

fn launch_path(id: &str) -> String {
    format!("/lancamentos/{id}")
}

fn saved_by_notice(panel: &Panel) -> Markup {
    html! {
        @if let Some(name) = &panel.updated_by_name { (name) " o salvou em " } @else { "Salvo em " }
        (text::time_tag(&panel.updated_at)) "."
    }
}

/// Formats a day of the form: `10/11/2026`. A text that is not a day stays unchanged.
fn typed_day_text(text: &str) -> String {
    parse_day(text).map_or_else(|| text.to_owned(), |day| amounts::format_day(LocalDay(day)))
}

/// Returns the lines of a text, without blank lines.
fn nonblank_lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

/// A project that can get a launch.
#[derive(Deserialize)]
struct Project {
    id: String,
    nome: String,
}

/// Reads the newest active projects without a launch, at most `OFFERED`.
async fn load_projects(view: &View<'_>) -> Result<Vec<Project>> {
    #[derive(Deserialize)]
    struct Projects {
        projetos: Vec<Project>,
    }
    let input = json!({ "limit": OFFERED });
    let offered: Projects = view.read("list_projects_without_launch", input).await?;
    Ok(offered.projetos)
}

/// Draws the form of a launch. `projects` lists the projects to which a new launch may belong.
fn draw_form(view: &View<'_>, written: &SaveLaunch, projects: &[Project]) -> Markup {
    let label = if written.is_new() {
        "Criar lançamento"
    } else {
        "Salvar"
    };
    draw_labelled_form(view, written, projects, label)
}

fn draw_labelled_form(
    view: &View<'_>,
    written: &SaveLaunch,
    projects: &[Project],
    label: &str,
) -> Markup {
    let (to, back) = if written.is_new() {
        (NEW.to_owned(), "/lancamentos".to_owned())
    } else {
        let path = launch_path(&written.projeto_id);
        (format!("{path}/painel"), path)
    };
    let fields = html! {
        input type="hidden" name="expected_revision" value=(written.expected_revision);
        @if written.is_new() {
            label class="field" {
                span { "Projeto" }
                select name="projeto_id" required {
                    @for project in projects {
                        option value=(project.id) selected[project.id == written.projeto_id] { (project.nome) }
                    }
                }
                small { "O lançamento mostra as vendas deste projeto." }
            }
        }
        label class="field" {
            span { "Nome" }
            input name="nome" value=(written.nome) required maxlength="200" dir="auto" autocomplete="off";
        }
        div class="sides" {
            label class="field" {
                span { "Primeiro dia" }
                input type="date" name="inicio" value=(written.inicio) required;
            }
            label class="field" {
                span { "Último dia" }
                input type="date" name="fim" value=(written.fim) required;
            }
        }
        div class="sides" {
            label class="field" {
                span { "Meta de receita" }
                input name="meta" value=(written.meta) inputmode="decimal" autocomplete="off";
                small { "Por exemplo, 60.000 ou 60.000,00. Em branco ou com 0, o lançamento fica sem meta." }
            }
            label class="field" {
                span { "Moeda" }
                input name="moeda" value=(written.moeda) pattern="[A-Z]{3}" maxlength="3" required autocomplete="off";
                small { "Três letras, como BRL. Só contam as vendas nessa moeda." }
            }
        }
        label class="field" {
            span { "Produtos" }
            textarea name="produtos" rows="3" spellcheck="false" { "\n" (written.produtos) }
            small { "O código de cada produto nas lojas, um por linha." }
        }
        label class="field" {
            span { "Campanhas" }
            textarea name="campanhas" rows="3" spellcheck="false" { "\n" (written.campanhas) }
            small { "O utm_campaign de cada uma, uma por linha; * vale por qualquer texto, como em pao_*." }
        }
        label class="field" {
            span { "Código do lançamento" }
            input name="lancamento" value=(written.lancamento) maxlength="200" autocomplete="off";
            small { "O código que vem nas compras e nas visitas. Em branco, contam só os produtos e as campanhas." }
        }
        div class="row" {
            button type="submit" { (label) }
            a class="button quiet" href=(view.href_to(&back)) { "Cancelar" }
        }
    };
    html! { div class="launch-form" { (page_form(view, &to, &fields)) } }
}
