//! The section with the channels of a piece, and the content of the piece on each channel.

use domain::{
    Capability, EventStatus,
    channels::{CHANNELS, Channel, TikTokOption},
};
use maud::{Markup, html};

use super::{
    act::action_form,
    model::{Event, Piece, piece_path},
    posting::posting_path,
    variant::{Variant, is_late},
    words,
};
use crate::{
    channels::{privacy_name, tiktok_option_name},
    forms::key_field,
    text,
    view::View,
};

/// Draws the section. `None` if the piece has no variants and the viewer may not add one.
pub(super) fn variants_section(view: &View<'_>, piece: &Piece) -> Option<Markup> {
    let event = &piece.event;
    let is_open = event.is_editable() || event.status == EventStatus::Approved;
    let may_edit = is_open && view.has_capability(Capability::DraftSave);
    if piece.variants.is_empty() && !may_edit {
        return None;
    }
    let may_decide = event.status == EventStatus::Approved && view.may_call("decide_variants");
    Some(html! {
        section id="canais-da-peca" class="stack screen-only" aria-labelledby="canais-titulo" {
            h2 id="canais-titulo" { "Canais" }
            @if piece.variants.is_empty() {
                p class="soft" { "A peça vai só a " (words::channel_name(&event.channel)) ". Acrescente canais com legenda, hora e opções próprias." }
            }
            @for variant in &piece.variants {
                details class="variant" {
                    summary {
                        strong { (words::channel_name(&variant.canal)) }
                        " · " (words::format_name(variant.formato)) " "
                        (state_badge(view, event, variant))
                        @if let Some(due) = &variant.due_at { " " span class="soft" { (text::format_iso_moment(due)) } }
                    }
                    (draw_variant(variant))
                    (posting_link(view, event, variant))
                    @if may_decide && !variant.aprovada { (decide_forms(view, event, variant)) }
                    @if may_edit { details { summary { "Mudar canal" } (edit_form(view, event, Some(variant))) } }
                }
            }
            @if may_edit {
                details {
                    summary { "Acrescentar canal" }
                    (edit_form(view, event, None))
                }
            }
        }
    })
}

fn draw_variant(variant: &Variant) -> Markup {
    html! {
        dl class="facts" {
            dt { "Quem publica" }
            dd {
                (publication_mode_name(&variant.publicacao))
                @if let Some(notice) = &variant.aviso { ". " strong { (notice) } }
            }
            dt { "Legenda" }
            dd class="written" dir="auto" {
                @match &variant.legenda {
                    Some(caption) => (caption),
                    None => span class="soft" { "a da peça" },
                }
            }
            @if let Some(comment) = &variant.primeiro_comentario {
                dt { "Primeiro comentário" } dd class="written" dir="auto" { (comment) }
            }
            @if let Some(title) = &variant.titulo { dt { "Título" } dd dir="auto" { (title) } }
            @if let Some(link) = &variant.link_final { dt { "Link" } dd class="address" { (link) } }
        }
    }
}

/// Draws the links of a variant: to the post, to the publications, or to the page for posting by hand.
fn posting_link(view: &View<'_>, event: &Event, variant: &Variant) -> Markup {
    let is_ready = event.status == EventStatus::Approved && variant.aprovada;
    let path = posting_path(&event.id, &variant.canal, variant.formato.as_str());
    html! {
        @if let Some(link) = &variant.link_do_post {
            p { a href=(link) rel="noreferrer noopener" target="_blank" hx-boost="false" { "Ver o post" } }
        } @else if is_ready && variant.publicacao == "automatica" && view.may_call("list_publications") {
            p { a href=(view.href_to(&format!("/publicacoes?evento={}", event.id))) { "Ver o andamento" } }
        }
        @if is_ready && variant.link_do_post.is_none() && variant.is_posted_by_hand(view.ctx.now) {
            p { a class="button quiet" href=(view.href_to(&path)) { "Publicar à mão" } }
        }
    }
}

/// Draws the state of the variant: online, late, approved, refused, changed or in preparation.
fn state_badge(view: &View<'_>, event: &Event, variant: &Variant) -> Markup {
    if variant.no_ar_desde.is_some() {
        return html! { span class="badge good" { "no ar" } };
    }
    let is_approved = event.status == EventStatus::Approved && variant.aprovada;
    if is_approved && is_late(variant.due_at.as_deref(), view.ctx.now) {
        return html! { span class="badge wait" { "atrasada" } };
    }
    let (class, words) = match event.status {
        EventStatus::Published | EventStatus::Archived => return html! {},
        _ if variant.aprovada => ("good", "aprovada"),
        EventStatus::Approved if variant.recusada => ("bad", "recusada"),
        EventStatus::Approved => ("wait", "mudou: espera aprovação"),
        _ => ("", "em preparo"),
    };
    html! { span class={ "badge " (class) } { (words) } }
}

/// Draws the forms that approve or refuse a changed variant.
fn decide_forms(view: &View<'_>, event: &Event, variant: &Variant) -> Markup {
    let fields = |action: &str, fields: &Markup| {
        html! {
            input type="hidden" name="variantes" value=(variant.id);
            input type="hidden" name="action" value=(action);
            (fields)
        }
    };
    let approve = fields(
        "aprovar",
        &html! { button class="button" { "Aprovar canal" } },
    );
    let refuse = fields(
        "recusar",
        &html! {
            label class="field" { span { "Motivo" } input name="motivo" required maxlength="2000" dir="auto"; }
            button class="quiet" { "Recusar" }
        },
    );
    html! {
        (action_form(view, event, "decide_variants", &approve))
        details { summary { "Recusar com motivo" } (action_form(view, event, "decide_variants", &refuse)) }
    }
}

/// Draws the form of a variant. `None` draws the form of a new variant.
fn edit_form(view: &View<'_>, event: &Event, variant: Option<&Variant>) -> Markup {
    let action = format!("{}/canais", piece_path(&event.id));
    let value = |read: fn(&Variant) -> &Option<String>| {
        variant
            .and_then(|variant| read(variant).as_deref())
            .unwrap_or_default()
    };
    let date = variant.and_then(|variant| {
        let (year, month, day) = (variant.year?, variant.month?, variant.day?);
        Some(format!("{year:04}-{month:02}-{day:02}"))
    });
    let mode = variant.map_or("manual", |variant| &variant.publicacao);
    let channel = variant.and_then(|variant| Channel::find(&variant.canal));
    let offers_automatic = variant.is_none() || channel.is_some_and(Channel::is_automatic);
    let modes: &[&str] = match offers_automatic || mode == "automatica" {
        true => &["manual", "automatica"],
        false => &["manual"],
    };
    html! {
        form method="post" action=(view.href_to(&action)) class="form stack" {
            (key_field())
            input type="hidden" name="expected_revision" value=(event.api_revision);
            @match variant {
                Some(variant) => {
                    input type="hidden" name="canal" value=(variant.canal);
                    input type="hidden" name="formato" value=(variant.formato);
                }
                None => (channel_choice()),
            }
            label class="field" {
                span { "Legenda deste canal" }
                textarea name="legenda" rows="4" maxlength="20000" dir="auto" { (value(|variant| &variant.legenda)) }
                small class="soft" { "Vazia, vale a da peça. " code { "{link}" } " vira o link com UTM." }
            }
            label class="field" {
                span { "Link" }
                input type="url" name="link" maxlength="2000" placeholder="https://" value=(value(|variant| &variant.link));
            }
            label class="field" {
                span { "Primeiro comentário" }
                textarea name="primeiro_comentario" rows="2" maxlength="10000" dir="auto" { (value(|variant| &variant.primeiro_comentario)) }
            }
            label class="field" {
                span { "Título (YouTube, Pinterest e documento do LinkedIn)" }
                input name="titulo" maxlength="300" dir="auto" value=(value(|variant| &variant.titulo));
            }
            (privacy_choice(channel, variant.and_then(|variant| variant.privacidade.as_deref())))
            (tiktok_choice(channel, variant.map_or(&[][..], |variant| &variant.tiktok)))
            div class="row" {
                label class="field" { span { "Dia" } input type="date" name="data" value=(date.unwrap_or_default()); }
                label class="field" { span { "Hora (Brasília)" } input type="time" name="hora" value=(value(|variant| &variant.hour)); }
            }
            label class="field" {
                span { "Quem publica" }
                select name="publicacao" {
                    @for key in modes {
                        option value=(key) selected[*key == mode] { (publication_mode_name(key)) }
                    }
                }
                small class="soft" { "Sem conta conectada na hora, uma pessoa é lembrada de postar. A Pauta publica no Instagram, no YouTube (com título), no LinkedIn e no TikTok (com “Quem vê”)." }
            }
            div class="row" {
                button class="button" { @if variant.is_some() { "Gravar canal" } @else { "Acrescentar" } }
                @if variant.is_some() { button class="quiet" name="remover" value="true" { "Tirar canal" } }
            }
            div class="outcome" role="alert" {}
        }
    }
}

/// Draws the choice of a privacy level: the levels of the channel or, without a channel, of every
/// channel that has levels. Empty if the channel has no levels.
fn privacy_choice(channel: Option<&'static Channel>, chosen: Option<&str>) -> Markup {
    let levels = |channel: &'static Channel| {
        let mut all: Vec<&str> = vec![];
        for level in channel.formats.iter().flat_map(|rules| rules.privacy) {
            if !all.contains(level) {
                all.push(level);
            }
        }
        all
    };
    let channels: Vec<_> = CHANNELS
        .iter()
        .filter(|one| channel.is_none_or(|channel| channel.key == one.key))
        .map(|one| (one.name, levels(one)))
        .filter(|(_, levels)| !levels.is_empty())
        .collect();
    html! {
        @if !channels.is_empty() {
            label class="field" {
                span { "Quem vê" }
                select name="privacidade" {
                    option value="" { "O usual da rede" }
                    @for (name, levels) in channels {
                        optgroup label=(name) {
                            @for level in levels {
                                option value=(level) selected[chosen == Some(level)] { (privacy_name(level)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Draws the TikTok options. Empty for other channels.
fn tiktok_choice(channel: Option<&'static Channel>, chosen: &[TikTokOption]) -> Markup {
    let offers = |channel: &Channel| channel.formats.iter().any(|rules| rules.has_disclosure);
    html! {
        @if channel.is_none_or(offers) {
            fieldset class="field" {
                legend { "No TikTok" }
                // The empty value shows the receiver that the form contains these options.
                input type="hidden" name="tiktok" value="";
                @for option in TikTokOption::ALL {
                    label class="check" {
                        input type="checkbox" name="tiktok" value=(option.as_str()) checked[chosen.contains(option)];
                        " " (tiktok_option_name(*option))
                    }
                }
            }
        }
    }
}

/// Draws the choice of a channel with its format.
fn channel_choice() -> Markup {
    let choices = CHANNELS.iter().flat_map(|channel| {
        let formats = channel.formats.iter();
        formats.map(move |rules| (channel, rules.format))
    });
    html! {
        label class="field" {
            span { "Canal" }
            select name="canal" required {
                @for (channel, format) in choices {
                    option value=(format!("{}/{format}", channel.key)) { (channel.name) " · " (words::format_name(format)) }
                }
            }
        }
    }
}

fn publication_mode_name(mode: &str) -> &str {
    match mode {
        "automatica" => "a Pauta, na hora",
        _ => "uma pessoa",
    }
}
