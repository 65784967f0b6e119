//! Calendars to subscribe to: the form, the address (which is shown once), and the list.

use domain::{EventStatus, FEED_STATUSES, MOST_TAG};
use gateway::{Content, Context, Entry, InputForm, Page, Reply, Result, Spec, Verb};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{calendar_choices::Choices, clients::paste_block, once};
use crate::{
    area::{page_spec, receiver_spec},
    forms::{operation_form, refuse_form},
    piece::words::{channel_name, status_name},
    shell, text,
    view::{View, input_without_nulls},
};

/// The form of a new calendar. The page with the list of calendars has the same fields, so that an
/// address can choose its filters.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct CalendarForm {
    nome: String,
    /// `minhas` ou `equipe`.
    mostrar: String,
    canal: String,
    status: String,
    pessoa: String,
    tipo: String,
    projeto: String,
    q: String,
    /// O filtro “Espera por mim” da agenda, que um calendário não tem.
    espera: String,
    /// O filtro “Atrasadas” da agenda, que um calendário não tem.
    atrasadas: String,
}

/// The page that shows a new address once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Created {}

const PATH: &str = "/agenda/assinar";
const SHOWN_AT: &str = "/agenda/assinar/endereco";
const TEAM: &str = "equipe";
const OWN: &str = "minhas";

const CREATE_ROUTE: Spec = receiver_spec("console_create_calendar_feed", "Criar calendário", PATH)
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[400, 403, 404, 409]);

pub(super) const LIST: Entry = Entry::for_page::<CalendarForm>(
    page_spec("console_calendar_feeds", "Assinar no seu calendário", PATH),
    "Os próprios calendários, e o formulário que cria um.",
);
pub(super) const CREATE: Entry = Entry::for_page::<CalendarForm>(
    CREATE_ROUTE,
    "Cria um calendário e leva à página que mostra o endereço.",
);
pub(super) const CREATED: Entry = Entry::for_page::<Created>(
    page_spec("console_calendar_feed_made", "Calendário criado", SHOWN_AT).partial(&[303]),
    "Mostra uma vez o endereço do calendário que acaba de ser criado.",
);

#[derive(Deserialize)]
struct Feeds {
    calendarios: Vec<Feed>,
}

#[derive(Deserialize)]
struct Feed {
    id: String,
    nome: String,
    minhas: bool,
    status: Option<EventStatus>,
    channel: Option<String>,
    assignee_id: Option<String>,
    tipo: Option<String>,
    project_id: Option<String>,
    q: Option<String>,
    created_at: String,
    last_read_at: Option<String>,
}

impl Page for CalendarForm {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match ctx.spec.verb {
            Verb::Get => self.show_list(&view).await,
            _ => self.create(&view).await,
        }
    }
}

impl CalendarForm {
    async fn show_list(mut self, view: &View<'_>) -> Result<Reply> {
        let unfit = self.take_unfit_filters();
        let listed: Feeds = view.read("list_calendar_feeds", json!({})).await?;
        let choices = self.read_choices(view, &listed.calendarios).await?;
        let body = html! {
            h1 { "Assinar no seu calendário" }
            p { "A agenda aparece no Google Agenda, no Calendário da Apple ou no Outlook, por um endereço secreto que só você tem. Ele mostra as peças com data que você pode ver, de 90 dias atrás a 400 dias à frente, e muda quando elas mudam. São no máximo 2.000 peças: primeiro as de hoje em diante, depois as anteriores." }
            @for (filter, reason) in unfit {
                p class="notice wait" { "Um calendário não pode ter o filtro “" (filter) "”: " (reason) }
            }
            (draw_calendar_creation_form(view, &choices, &self))
            h2 { "Seus calendários" }
            @if listed.calendarios.is_empty() { p class="empty" { "Nenhum calendário." } }
            div class="grid people" { @for feed in &listed.calendarios { (draw_feed(view, &choices, feed)) } }
            p { a href=(view.href_to("/agenda")) { "Voltar à agenda" } }
        };
        Ok(shell::reading_page(
            view,
            "Assinar no seu calendário",
            &body,
        ))
    }

    async fn create(self, view: &View<'_>) -> Result<Reply> {
        let filled = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
        let fields = json!({
            "nome": self.nome,
            "minhas": self.mostrar == OWN,
            "status": filled(&self.status),
            "channel": filled(&self.canal),
            "assignee_id": filled(&self.pessoa),
            "tipo": filled(&self.tipo),
            "project_id": filled(&self.projeto),
            "q": filled(&self.q),
        });
        let input = input_without_nulls(fields);
        match view.call::<Value>("create_calendar_feed", input).await {
            Ok(answer) => {
                let made = Made {
                    name: self.nome,
                    url: answer["url"].as_str().unwrap_or_default().to_owned(),
                };
                once::redirect_with_value(view, SHOWN_AT, made)
            }
            Err(error) => {
                let form = match self.read_choices(view, &[]).await {
                    Ok(choices) => draw_calendar_creation_form(view, &choices, &self),
                    Err(_) => html! { p { a href=(view.href_to(PATH)) { "Voltar" } } },
                };
                Ok(refuse_form(
                    view,
                    "O calendário não foi criado",
                    &error,
                    &form,
                ))
            }
        }
    }

    /// Reads the options of the form, with the names of the people and projects that the form and these
    /// calendars use.
    async fn read_choices(&self, view: &View<'_>, feeds: &[Feed]) -> Result<Choices> {
        let people = feeds.iter().filter_map(|feed| feed.assignee_id.as_deref());
        let projects = feeds.iter().filter_map(|feed| feed.project_id.as_deref());
        let people = people.chain([&*self.pessoa]).collect();
        let projects = projects.chain([&*self.projeto]).collect();
        Choices::read(view, people, projects).await
    }

    /// Removes the agenda filters that a calendar cannot have. Returns the name of each removed filter
    /// with the reason.
    fn take_unfit_filters(&mut self) -> Vec<(&'static str, &'static str)> {
        let mut unfit = vec![];
        if !std::mem::take(&mut self.espera).is_empty() {
            let reason = "o que espera por você muda a cada passo da peça.";
            unfit.push(("Espera por mim", reason));
        }
        if !std::mem::take(&mut self.atrasadas).is_empty() {
            let reason = "o que está atrasado muda a cada hora.";
            unfit.push(("Atrasadas", reason));
        }
        let archived = EventStatus::Archived.as_str();
        if self.status == archived {
            self.status.clear();
            let reason =
                "toda peça arquivada com data já aparece riscada ou some, conforme o programa.";
            unfit.push((archived, reason));
        }
        unfit
    }

    /// Returns true if at least one filter is set.
    fn is_filtered(&self) -> bool {
        [
            &self.canal,
            &self.status,
            &self.pessoa,
            &self.tipo,
            &self.projeto,
            &self.q,
        ]
        .iter()
        .any(|text| !text.is_empty())
    }
}

fn draw_feed(view: &View<'_>, choices: &Choices, feed: &Feed) -> Markup {
    let person = feed.assignee_id.as_deref();
    let person = person.map(|id| choices.people.find_name(id).unwrap_or("outra pessoa"));
    let project = feed.project_id.as_deref();
    let project = project.map(|id| choices.projects.find_name(id).unwrap_or("outro projeto"));
    html! {
        article class="card" {
            h3 dir="auto" { (feed.nome) }
            dl class="facts" {
                dt { "Mostra" } dd { @if feed.minhas { "minhas peças" } @else { "todas que posso ver" } }
                @if let Some(channel) = &feed.channel { dt { "Canal" } dd dir="auto" { (channel_name(channel)) } }
                @if let Some(status) = feed.status { dt { "Status" } dd { (status_name(status)) } }
                @if let Some(person) = person { dt { "Pessoa" } dd dir="auto" { (person) } }
                @if let Some(tag) = &feed.tipo { dt { "Tipo" } dd dir="auto" { (tag) } }
                @if let Some(project) = project { dt { "Projeto" } dd dir="auto" { (project) } }
                @if let Some(text) = &feed.q { dt { "Texto" } dd dir="auto" { (text) } }
                dt { "Criado" } dd { (text::format_iso_moment(&feed.created_at)) }
                dt { "Última leitura" } dd { @match &feed.last_read_at { Some(at) => (text::format_iso_moment(at)), None => "nenhuma" } }
            }
            details {
                summary { "Revogar" }
                (operation_form(view, "revoke_calendar_feed", PATH, &html! {
                    p { "O endereço deixa de abrir na hora, e o programa para de receber mudanças." }
                    input type="hidden" name="calendarId" value=(feed.id);
                    button type="submit" class="danger" { "Revogar o endereço" }
                }))
            }
        }
    }
}

fn draw_calendar_creation_form(
    view: &View<'_>,
    choices: &Choices,
    chosen: &CalendarForm,
) -> Markup {
    let is_filtered = chosen.is_filtered();
    let shows_team = match chosen.mostrar.as_str() {
        TEAM => true,
        OWN => false,
        _ => is_filtered,
    };
    let name = match chosen.nome.as_str() {
        "" => "Pauta",
        name => name,
    };
    html! {
        form method="post" action=(view.href_to(PATH)) class="form stack narrow" {
            label class="field" { span { "Nome do calendário" } input name="nome" required maxlength="80" autocomplete="off" value=(name); }
            fieldset {
                legend { "Mostrar" }
                label class="choice" {
                    input type="radio" name="mostrar" value=(OWN) checked[!shows_team];
                    span { "Minhas peças: as que criei ou de que sou responsável" }
                }
                label class="choice" {
                    input type="radio" name="mostrar" value=(TEAM) checked[shows_team];
                    span { "Todas as peças que posso ver" }
                }
            }
            details open[is_filtered] {
                summary { "Só algumas" }
                div class="stack" {
                    label class="field" { span { "Canal" } input name="canal" maxlength="60" autocomplete="off" value=(chosen.canal) placeholder="instagram"; }
                    label class="field" {
                        span { "Status" }
                        select name="status" {
                            option value="" { "qualquer um" }
                            @for status in FEED_STATUSES {
                                option value=(status) selected[chosen.status == status.as_str()] { (status_name(status)) }
                            }
                        }
                    }
                    (choices.people.draw_field("Pessoa", "pessoa", "qualquer uma", &chosen.pessoa))
                    label class="field" { span { "Tipo" } input name="tipo" maxlength=(MOST_TAG) autocomplete="off" value=(chosen.tipo) placeholder="receita"; }
                    (choices.projects.draw_field("Projeto", "projeto", "qualquer um", &chosen.projeto))
                    label class="field" { span { "Texto" } input name="q" maxlength="200" autocomplete="off" value=(chosen.q); }
                }
            }
            div class="outcome" role="alert" {}
            button type="submit" { "Criar endereço" }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Made {
    name: String,
    url: String,
}

impl Page for Created {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let Some(made) = once::read_value::<Made>(&view, SHOWN_AT) else {
            return Ok(Reply::new(Content::Redirect(view.href_to(PATH))));
        };
        let body = html! {
            h1 { "Calendário criado" }
            h2 dir="auto" { (made.name) }
            div class="notice wait" {
                p { strong { "Copie agora." } " O endereço não aparece de novo. Quem o tem vê as peças, sem entrar na Pauta: não o mande a ninguém." }
            }
            (paste_block("endereco", &made.url))
            (private_address_warning(&made.url))
            (subscription_steps(webcal_address(&made.url).as_deref()))
            p { a class="button" href=(view.href_to(PATH)) { "Já copiei" } }
        };
        let page = shell::console_page(&view, "Calendário criado", &body);
        Ok(once::delete_cookie(&view, SHOWN_AT, page))
    }
}

/// Warns that programs in the cloud cannot read a private address.
fn private_address_warning(url: &str) -> Markup {
    html! {
        @if !url.starts_with("https://") {
            div class="notice wait" {
                p { "O Google Agenda e o Outlook na web só leem um endereço público, com https. Este só abre na sua rede." }
            }
        }
    }
}

/// Returns the address with the scheme `webcal`, which Apple's programs open. `None` for an address with
/// a port: `webcal` has no default port, and programs guess a different port.
fn webcal_address(url: &str) -> Option<String> {
    let (_, address) = url.split_once("://")?;
    let (host, _) = address.split_once('/')?;
    let port = host.rsplit_once(':').map(|(_, port)| port);
    let has_port = port.is_some_and(|port| port.bytes().all(|digit| digit.is_ascii_digit()));
    (!has_port).then(|| format!("webcal://{address}"))
}

/// Draws the instructions for subscribing in each calendar program.
fn subscription_steps(webcal: Option<&str>) -> Markup {
    html! {
        h2 { "Google Agenda e Outlook" }
        ol class="steps" {
            li { "Copie o endereço acima." }
            li { "No Google Agenda, abra calendar.google.com no computador. Ao lado de “Outras agendas”, escolha o sinal de mais e “Do URL”, cole o endereço e escolha “Adicionar agenda”. Ela aparece também no celular." }
            li { "No Outlook, escolha “Adicionar calendário” e “Assinar da Web”, cole o endereço e escolha “Importar”." }
        }
        p class="soft" { "O Google lê de novo quando quer: uma mudança pode levar um dia para aparecer." }
        h2 { "Calendário da Apple" }
        ol class="steps" {
            @if let Some(webcal) = webcal {
                li { "Neste iPhone, iPad ou Mac: " a class="button quiet" href=(webcal) hx-boost="false" { "Abrir no Calendário da Apple" } " e confirme." }
            }
            li { "No Mac, escolha Arquivo → Nova Assinatura de Calendário e cole o endereço." }
            li { "No iPhone, abra Calendários, escolha Adicionar Calendário → Adicionar Assinatura de Calendário e cole o endereço." }
        }
    }
}
