use domain::EventStatus;
use futures::try_join;
use gateway::{Input, Result};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fragment::Fragment;
use crate::{picture::image_at_width, text, view::View};

/// The largest file that the view sends as Base64 through the host, in bytes. Larger files are sent
/// through a signed link.
const MOST_BYTES: u32 = 262_144;
/// The file types that an upload may have.
const ACCEPTED: &str = "image/png,image/jpeg,image/webp,image/gif,video/mp4,video/quicktime";
/// The number of media in one fragment.
const PAGE: u8 = 60;
/// The width of a thumbnail's file, in pixels.
const THUMBNAIL: u32 = 160;
/// The maximum length of the words under a medium, in characters.
const NAME: usize = 60;

#[derive(Deserialize)]
struct Listed {
    media: Vec<Medium>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Medium {
    id: String,
    url: String,
    media_type: String,
    alt: Option<String>,
    created_at: String,
    source: Option<Source>,
}

/// The inputs of a generated medium.
#[derive(Deserialize)]
struct Source {
    text: Option<String>,
    prompt: Option<String>,
}

#[derive(Deserialize)]
struct Attachable {
    eventos: Vec<Event>,
}

#[derive(Deserialize)]
struct Read {
    evento: Event,
}

/// A piece that the chosen media may be attached to.
#[derive(Deserialize)]
struct Event {
    id: String,
    title: String,
    api_revision: u64,
    status: EventStatus,
    media: Vec<Attached>,
}

#[derive(Deserialize)]
struct Attached {
    id: String,
}

impl Medium {
    fn is_video(&self) -> bool {
        self.media_type.starts_with("video/")
    }

    /// Returns the alternative text, otherwise the text from which the medium was generated.
    fn words(&self) -> Option<&str> {
        let source = self.source.as_ref();
        let drawn = source.and_then(|source| source.text.as_deref().or(source.prompt.as_deref()));
        let words = self.alt.as_deref().or(drawn);
        words.filter(|words| !words.trim().is_empty())
    }

    /// Returns the text under the medium. The search matches the same text.
    fn name(&self) -> String {
        let kind = if self.is_video() { "Vídeo" } else { "Imagem" };
        let day = text::format_iso_moment(&self.created_at);
        self.words()
            .map_or_else(|| format!("{kind} de {day}"), str::to_owned)
    }
}

/// Draws the media that the caller may see, newest first, for a choice.
///
/// The query has the filters of `list_media`. With `event_id`, the media are chosen for this piece,
/// otherwise for one of the pieces that accept media. With `cursor`, only the next page of media is
/// drawn.
pub(super) async fn draw_media(fragment: &Fragment<'_>) -> Result<Markup> {
    let mut input = fragment.query_input("list_media")?;
    input.entry("limit").or_insert_with(|| PAGE.into());
    let piece = input.remove("event_id");
    let piece = piece.as_ref().and_then(Value::as_str);
    let is_further = input.contains_key("cursor");
    let (listed, pieces) = try_join!(
        fragment.view.call::<Listed>("list_media", input),
        read_pieces(&fragment.view, piece),
    )?;
    if is_further {
        return Ok(draw_tiles(&listed));
    }
    Ok(html! {
        article class="picker" data-most-bytes=(MOST_BYTES) {
            header class="spread" {
                h1 { "Mídias" }
                (draw_pieces(&pieces, piece.is_some()))
            }
            div class="seek" {
                label class="find" {
                    span class="sr" { "Procurar nas mídias" }
                    input type="search" name="procura" placeholder="Procurar" maxlength="100" autocomplete="off" dir="auto";
                }
                label class="button quiet upload" {
                    input type="file" name="arquivo" accept=(ACCEPTED);
                    "Enviar arquivo"
                }
            }
            @if listed.media.is_empty() {
                p class="empty" { "Ainda não há mídias que você possa ver. Envie um arquivo." }
            }
            (draw_tiles(&listed))
            p class="soft none" hidden { "Nenhuma das mídias mostradas tem estas palavras." }
            footer class="row" {
                @if !pieces.is_empty() {
                    button type="button" value="anexar" disabled { "Anexar à peça" }
                }
                button type="button" class="quiet" value="usar" disabled { "Usar na conversa" }
                button type="button" class="quiet" value="mais" hidden[listed.next_cursor.is_none()] { "Mais antigas" }
            }
        }
    })
}

/// Reads the piece with this id or, without an id, the pieces that accept media.
async fn read_pieces(view: &View<'_>, id: Option<&str>) -> Result<Vec<Event>> {
    if let Some(id) = id {
        let input = json!({ "eventId": id, "limit": 1 });
        let read: Read = view.read("get_event", input).await?;
        return Ok(vec![read.evento]);
    }
    let found: Attachable = view.call("list_attachable_events", Input::new()).await?;
    Ok(found.eventos)
}

/// Draws the choice of a piece, with the revision and the media of each piece.
fn draw_pieces(pieces: &[Event], is_given: bool) -> Markup {
    let attached = |event: &Event| {
        let ids = event.media.iter().map(|medium| medium.id.as_str());
        ids.collect::<Vec<_>>().join(" ")
    };
    html! {
        @match pieces {
            [] => { p class="soft" { "Nenhuma peça sua aceita mídia agora." } }
            [event] if is_given => {
                p class="for" data-piece=(event.id) data-revision=(event.api_revision) data-media=(attached(event)) {
                    "Para " strong dir="auto" { (event.title) }
                    @if !EventStatus::EDITABLE.contains(&event.status) { " (não aceita mudança agora)" }
                }
            }
            events => {
                label class="for" {
                    span { "Para" }
                    select name="peca" {
                        @for event in events {
                            option value=(event.id) data-piece=(event.id) data-revision=(event.api_revision) data-media=(attached(event)) {
                                (event.title)
                            }
                        }
                    }
                }
            }
        }
    }
}

fn draw_tiles(listed: &Listed) -> Markup {
    html! {
        ul class="tiles" data-next=[listed.next_cursor.as_deref()] aria-label="Mídias" {
            @for medium in &listed.media { (draw_tile(medium)) }
        }
    }
}

fn draw_tile(medium: &Medium) -> Markup {
    let name = medium.name();
    let short: String = name.chars().take(NAME).collect();
    html! {
        li class="tile" data-words=(name.to_lowercase()) {
            label {
                input type="checkbox" name="midia" value=(medium.id) aria-label=(name);
                @if medium.is_video() {
                    span class="film" aria-hidden="true" { "▶" }
                } @else {
                    img src=(image_at_width(&medium.url, THUMBNAIL)) alt="" width="96" height="96" loading="lazy" decoding="async";
                }
                span class="name" dir="auto" aria-hidden="true" { (short) }
                span class="mark" aria-hidden="true" {}
            }
        }
    }
}
