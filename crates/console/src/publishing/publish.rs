//! Publishes photos or a video on TikTok.

use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Networks, publication};
use crate::{
    area::page_spec,
    channels::{channel_name, privacy_name},
    forms::{error_notice, operation_form},
    shell,
    view::View,
};

/// The page with the form that publishes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Publish {
    /// A peça que é publicada.
    evento: Option<String>,
    /// A publicação que é repetida.
    publicacao: Option<String>,
    /// Se ela está no ar, ou uma pessoa viu que não está.
    apesar: Option<i64>,
}

/// The channel of TikTok.
const TIKTOK: &str = "tiktok";

const ROUTE: Spec =
    page_spec("console_publish", "Publicar", "/publicar").fails(&[400, 403, 404, 409]);

pub(crate) const PUBLISH: Entry = Entry::for_page::<Publish>(
    ROUTE,
    "As peças aprovadas, e o formulário que publica uma delas no TikTok.",
);

#[derive(Deserialize)]
struct Found {
    evento: Event,
}

#[derive(Deserialize)]
struct Events {
    eventos: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    id: String,
    title: String,
    channel: String,
    status: String,
    description: Option<String>,
    media: Vec<Media>,
    /// The channels of the event's variants, in answers with a list of events. Each channel has its own
    /// publication.
    #[serde(default)]
    canais: Vec<Value>,
}

#[derive(Deserialize)]
struct Media {
    id: String,
    media_type: String,
}

#[derive(Deserialize)]
struct Creator {
    creator_nickname: String,
    creator_username: String,
    privacy_level_options: Vec<String>,
    comment_disabled: bool,
    duet_disabled: bool,
    stitch_disabled: bool,
    audited: bool,
}

/// The content to publish.
struct Post {
    title: String,
    event_id: Option<String>,
    media_ids: Vec<String>,
    is_video: bool,
    caption: String,
    despite: Option<String>,
}

impl Page for Publish {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call("publish_shortvideo")?;
        let networks = Networks::read(&view).await?;
        let post = self.read_post(&view).await?;
        let title = if post.is_some() || networks.can_publish(TIKTOK) {
            "Publicar no TikTok"
        } else {
            "Publicar à mão"
        };
        let body = match post {
            Some(post) => html! { h1 { (title) } (publish_form(&view, &post).await?) },
            None => html! { h1 { (title) } (draw_piece_choice(&view, &networks).await?) },
        };
        Ok(shell::reading_page(&view, title, &body))
    }
}

impl Publish {
    /// Reads the content to publish: the publication or piece in the address. `None` if the address has
    /// neither.
    async fn read_post(self, view: &View<'_>) -> Result<Option<Post>> {
        if let Some(id) = self.publicacao {
            let before = publication::find_publication(view, &id).await?;
            return Ok(Some(Post {
                title: super::captions::caption_start(&before.caption),
                is_video: before.is_video(),
                event_id: before.event_id,
                media_ids: before.media_ids,
                caption: before.caption,
                despite: self.apesar.map(|_| before.id),
            }));
        }
        let Some(id) = self.evento.filter(|id| !id.is_empty()) else {
            return Ok(None);
        };
        let answer: Found = view
            .read("get_event", json!({ "eventId": id, "limit": 1 }))
            .await?;
        let event = answer.evento;
        if event.status != "aprovado" {
            return Err(Error::invalid_field(
                "evento",
                "status",
                "só é publicada depois de aprovada",
            ));
        }
        Ok(Some(Post {
            title: event.title,
            is_video: event
                .media
                .iter()
                .any(|media| media.media_type.starts_with("video/")),
            event_id: Some(event.id),
            media_ids: event.media.into_iter().map(|media| media.id).collect(),
            caption: event.description.unwrap_or_default(),
            despite: None,
        }))
    }
}

/// Lists the approved pieces to choose from. Without a TikTok account, a piece links to the steps of
/// publishing by hand, which need no media.
async fn draw_piece_choice(view: &View<'_>, networks: &Networks) -> Result<Markup> {
    let input = json!({ "status": "aprovado", "limit": 100 });
    let answer: Events = view.read("list_events", input).await?;
    let is_connected = networks.can_publish(TIKTOK);
    let ready: Vec<&Event> = { answer.eventos.iter() }
        .filter(|event| event.canais.is_empty() && (!is_connected || !event.media.is_empty()))
        .collect();
    let link = |event: &Event| match is_connected {
        true => format!("/publicar?evento={}", event.id),
        false => format!("/eventos/{}#publicar", event.id),
    };
    Ok(html! {
        @if !is_connected {
            p class="notice" {
                "Nenhuma conta do TikTok está conectada, então a Pauta não publica sozinha: em cada peça você "
                "baixa tudo, copia a legenda e registra o link do post. "
                a href=(view.href_to("/conexoes")) { "Ver como conectar" }
            }
        }
        @if ready.is_empty() {
            div class="empty" {
                @if is_connected {
                    p { "Nenhuma peça aprovada tem mídia agora." }
                    p { "Uma peça aparece aqui quando está aprovada e tem imagem ou vídeo. As que vão a vários canais saem na página de cada uma." }
                } @else {
                    p { "Nenhuma peça está aprovada agora." }
                }
                p { a href=(view.href_to("/agenda?ver=lista&status=aprovado")) { "Ver as aprovadas na agenda" } }
            }
        } @else {
            p { "Escolha a peça aprovada:" }
        }
        ul class="plain-list" data-list {
            @for event in ready {
                li class="card" {
                    h2 dir="auto" { a href=(view.href_to(&link(event))) data-item { (event.title) } }
                    p class="soft" {
                        (channel_name(&event.channel)) ", " (event.media.len())
                        @if event.media.len() == 1 { " mídia" } @else { " mídias" }
                    }
                }
            }
        }
    })
}

/// Draws the form, with the options that the account currently has.
async fn publish_form(view: &View<'_>, post: &Post) -> Result<Markup> {
    let creator = match view
        .read::<Creator>("get_shortvideo_creator_info", json!({}))
        .await
    {
        Ok(creator) => creator,
        Err(error) if matches!(error.status(), 404 | 409 | 429 | 500) => {
            return Ok(html! {
                (error_notice(&error))
                p class="row" {
                    a href=(view.href_to("/conexoes")) { "Ver as conexões" }
                    @if let Some(id) = &post.event_id {
                        a href=(view.href_to(&format!("/eventos/{id}#publicar"))) { "Publicar à mão" }
                    }
                }
            });
        }
        Err(error) => return Err(error),
    };
    let fields = html! {
        input type="hidden" name="type" value=(if post.is_video { "VIDEO" } else { "PHOTO" });
        @for id in &post.media_ids { input type="hidden" name="mediaIds" value=(id); }
        @if let Some(id) = &post.event_id { input type="hidden" name="event_id" value=(id); }
        @if let Some(id) = &post.despite { input type="hidden" name="despite_publication_id" value=(id); }
        label class="field" {
            span { "Legenda" }
            textarea name="caption" id=(format!("legenda-{}", post.media_ids.join("-"))) rows="6" maxlength="4000" dir="auto" { "\n" (post.caption) }
            @if post.event_id.is_some() { small { "A que foi aprovada com a peça. Se mudar, sai a que está aqui." } }
        }
        label class="field" {
            span { "Quem vê" }
            select name="privacy_level" required {
                option value="" { "Escolha" }
                @for level in &creator.privacy_level_options { option value=(level) { (privacy_name(level)) } }
            }
        }
        fieldset {
            legend { "Opções" }
            (draw_checkbox("disable_comment", "Sem comentários", creator.comment_disabled))
            @if post.is_video {
                (draw_checkbox("disable_duet", "Sem duetos", creator.duet_disabled))
                (draw_checkbox("disable_stitch", "Sem costuras", creator.stitch_disabled))
            } @else {
                (draw_checkbox("auto_add_music", "Deixar o TikTok pôr uma música", false))
            }
            (draw_checkbox("brand_organic_toggle", "É sobre a própria marca", false))
            (draw_checkbox("brand_content_toggle", "É uma parceria paga", false))
        }
        button type="submit" { "Publicar no TikTok" }
    };
    Ok(html! {
        h2 dir="auto" class="clamp" { (post.title) }
        dl class="facts" {
            dt { "Conta" } dd dir="auto" { (creator.creator_nickname) " (@" (creator.creator_username) ")" }
            dt { "Conteúdo" } dd { @if post.is_video { "Vídeo" } @else if post.media_ids.len() == 1 { "1 foto" } @else { (post.media_ids.len()) " fotos" } }
        }
        @if !creator.audited {
            p class="notice wait" { "O TikTok ainda não auditou este aplicativo: tudo sai visível só para a própria conta." }
        }
        @if post.despite.is_some() {
            p class="notice wait" { "Estas mídias já foram publicadas antes, ou talvez estejam no ar. Publicar agora cria outra publicação." }
        }
        (operation_form(view, "publish_shortvideo", "/publicacoes/{/publication_id}", &html! { div class="stack narrow" { (fields) } }))
    })
}

fn draw_checkbox(name: &str, label: &str, is_fixed: bool) -> Markup {
    html! {
        label class="choice" {
            input type="checkbox" name=(name) value="true" disabled[is_fixed];
            span { (label) @if is_fixed { " (a conta não permite mais)" } }
        }
    }
}
