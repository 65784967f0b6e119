//! Publishes a piece: on its network if an account is connected, otherwise by hand.
//!
//! Publishing by hand takes three steps, and each works without a script: download everything, copy
//! the caption, paste the link of the post.

use domain::{
    Capability, EventStatus,
    channels::{CHANNELS, Channel},
};
use maud::{Markup, html};

use super::{
    act::action_form,
    model::{Event, Piece, piece_path},
    posting::posting_path,
    words,
};
use crate::{publishing::Networks, view::View};

/// Returns true if the page shows the viewer how to publish the piece.
pub(super) fn may_publish(view: &View<'_>, event: &Event) -> bool {
    event.status == EventStatus::Approved && view.has_capability(Capability::Publish)
}

/// Shows how to publish an approved piece.
pub(super) fn publish_section(
    view: &View<'_>,
    piece: &Piece,
    networks: &Networks,
) -> Option<Markup> {
    let event = &piece.event;
    let at = words::channel_with_preposition(&event.channel);
    may_publish(view, event).then(|| {
        if !piece.variants.is_empty() {
            return channel_links(view, piece);
        }
        html! {
            div id="publicar" class="publish stack" {
                @if networks.can_publish(&event.channel) && !event.media.is_empty() && view.may_call("publish_shortvideo") {
                    a class="button" href=(view.href_to(&format!("/publicar?evento={}", event.id))) { "Publicar " (at) }
                    details { summary { "Publicar à mão" } (manual_steps(view, event, &at)) }
                } @else {
                    h3 { "Publicar à mão" }
                    (how_to_connect(view, event, &at, networks))
                    (manual_steps(view, event, &at))
                }
            }
        }
    })
}

/// Draws links to the pages of the channels on which a person publishes. A piece with variants is not
/// published as a whole, because that would end the variants that are not published yet.
fn channel_links(view: &View<'_>, piece: &Piece) -> Markup {
    let by_hand = piece.variants.iter();
    let by_hand =
        by_hand.filter(|variant| variant.aprovada && variant.is_posted_by_hand(view.ctx.now));
    let by_hand: Vec<_> = by_hand.collect();
    html! {
        div id="publicar" class="publish stack" {
            h3 { "Publicar" }
            @if by_hand.is_empty() {
                p class="soft" { "Nenhum canal espera uma pessoa. " a href="#canais-da-peca" { "Veja cada um em Canais" } "." }
            }
            @for variant in by_hand {
                @let path = posting_path(&piece.event.id, &variant.canal, variant.formato.as_str());
                a class="button quiet" href=(view.href_to(&path)) {
                    "Publicar à mão: " (words::channel_name(&variant.canal)) " · " (words::format_name(variant.formato))
                }
            }
        }
    }
}

/// Explains why the service does not publish this piece automatically, and how to enable automatic
/// publishing.
fn how_to_connect(view: &View<'_>, event: &Event, at: &str, networks: &Networks) -> Markup {
    let network = words::channel_name(&event.channel);
    let connections = || html! { a href=(view.href_to("/conexoes")) { "Conexões" } };
    html! {
        p class="soft" {
            @if networks.can_publish(&event.channel) {
                "Sem imagem nem vídeo, a Pauta não publica " (at) " sozinha."
            } @else if !Networks::supports_channel(&event.channel) && Channel::find(&event.channel).is_some_and(Channel::is_automatic) {
                "A Pauta publica " (at) " na hora marcada, com uma conta conectada: em “Canais”, escolha que ela publica."
            } @else if !Networks::supports_channel(&event.channel) {
                "A Pauta ainda não publica " (at) " sozinha; por enquanto, só em " (automatic_channels()) ", com uma conta conectada"
                @if view.has_capability(Capability::ConnectionsView) { " em " (connections()) }
                "."
            } @else if !view.has_capability(Capability::ConnectionsView) {
                "A Pauta publica " (at) " sozinha quando um admin da equipe conecta a conta."
            } @else if networks.is_registered(&event.channel) {
                "Para a Pauta publicar sozinha, um admin da equipe precisa conectar a conta do " (network) " em " (connections()) "."
            } @else {
                "Para a Pauta publicar sozinha, quem opera o serviço precisa configurar o " (network) ". Veja como em "
                (connections()) "."
            }
        }
    }
}

/// Returns the names of the channels on which the service publishes, as a sentence part.
fn automatic_channels() -> String {
    let is_automatic =
        |channel: &&Channel| channel.is_automatic() || Networks::supports_channel(channel.key);
    let names = CHANNELS.iter().filter(is_automatic);
    let names: Vec<_> = names.map(|channel| channel.name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} e {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Draws the three steps of publishing by hand.
fn manual_steps(view: &View<'_>, event: &Event, at: &str) -> Markup {
    let caption = event.caption();
    html! {
        ol class="steps" {
            @if has_content(event) {
                li {
                    p { strong { "Baixe tudo" } ": " (describe_contents(event)) "." }
                    (download_link(view, event, "button quiet"))
                }
            }
            @if !caption.is_empty() {
                li {
                    label class="field" {
                        span { strong { "Copie a legenda" } }
                        textarea id="legenda-pronta" rows="4" readonly dir="auto" { "\n" (caption) }
                    }
                    button type="button" class="quiet" data-copy="#legenda-pronta" { "Copiar legenda" }
                }
            }
            li {
                p { strong { "Publique" } " " (at) " e cole aqui o link do post." }
                (link_form(view, event, "Já publiquei"))
            }
        }
        details {
            summary { "O post não tem link" }
            (action_form(view, event, "update_event", &html! {
                input type="hidden" name="status" value="publicado";
                p class="soft" { "É o caso de stories e de mensagens. A peça fica publicada, sem link." }
                button type="submit" class="quiet" { "Marcar como publicada" }
            }))
        }
    }
}

fn link_form(view: &View<'_>, event: &Event, button: &str) -> Markup {
    let fields = html! {
        label class="field" {
            span { "Link do post" }
            input type="url" name="post_url" required maxlength="2000" pattern="\\s*https://.*" inputmode="url"
                autocomplete="off" placeholder="https://" dir="ltr" title="O link deve começar com https://"
                value=(event.post_url.as_deref().unwrap_or_default());
        }
        button type="submit" { (button) }
    };
    action_form(view, event, "record_post", &fields)
}

/// Draws the form that adds or corrects the link of a published post.
pub(super) fn published_link_form(view: &View<'_>, event: &Event) -> Option<Markup> {
    let offered = event.status == EventStatus::Published && view.may_call("record_post");
    offered.then(|| {
        html! {
            @if event.post_url.is_some() {
                details { summary { "Corrigir o link do post" } (link_form(view, event, "Salvar o link")) }
            } @else {
                details open { summary { "Informar o link do post" } (link_form(view, event, "Salvar o link")) }
            }
        }
    })
}

/// Draws the link to the published post. The text of the link is its host.
pub(crate) fn post_link(event: &Event) -> Option<Markup> {
    let url = event.post_url.as_deref()?;
    let parsed = url::Url::parse(url).ok()?;
    let host = parsed.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
    Some(html! {
        a href=(url) rel="noreferrer noopener" target="_blank" hx-boost="false" { "Ver o post em " (host) }
    })
}

/// Draws the download link under the media of a piece. Empty for a piece without media.
pub(super) fn download_section(view: &View<'_>, event: &Event) -> Markup {
    html! {
        @if !event.media.is_empty() { p class="row" { (download_link(view, event, "button quiet")) } }
    }
}

fn download_link(view: &View<'_>, event: &Event, class: &str) -> Markup {
    let file = format!("{}/pacote.zip", piece_path(&event.id));
    html! {
        a class=(class) href=(view.href_to(&file)) download hx-boost="false" { "Baixar tudo (ZIP)" }
    }
}

fn has_content(event: &Event) -> bool {
    !event.media.is_empty() || !event.caption().is_empty()
}

/// Names the contents of the download: "2 imagens, 1 vídeo e a legenda".
fn describe_contents(event: &Event) -> String {
    let videos = event
        .media
        .iter()
        .filter(|medium| medium.is_video())
        .count();
    let images = event.media.len() - videos;
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let caption = (!event.caption().is_empty()).then(|| "a legenda".to_owned());
    let has_alts = event.media.iter().any(|medium| medium.alt.is_some());
    let parts = [
        counted(images, "imagem", "imagens"),
        counted(videos, "vídeo", "vídeos"),
        caption,
        has_alts.then(|| "os textos alternativos".to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} e {last}", before.join(", ")),
        None => String::new(),
    }
}
