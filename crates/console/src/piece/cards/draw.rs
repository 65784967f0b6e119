//! Draws the form of the cards.

use domain::Style;
use maud::{Markup, html};

use super::{
    MOST,
    deck::{Deck, State},
    draft::{Card, Draft},
    faults::Faults,
};
use crate::{
    forms::returned_key_field,
    piece::{
        make::{Preview, preview_over_stored_image, style_name},
        model::{Medium, cards_path, piece_path},
        stage,
    },
    view::View,
};

/// The data that a form is drawn from.
pub(super) struct Form<'a> {
    pub view: &'a View<'a>,
    pub deck: &'a Deck,
    pub draft: &'a Draft,
    pub faults: &'a Faults,
    /// The previews that a browser without scripts requested, in the order of the cards.
    pub previews: &'a [Option<Preview>],
}

/// A position in the carousel.
enum Place<'a> {
    Card(usize),
    /// An image or video that is not a card, and keeps its position.
    Fixed(usize, &'a Medium),
}

impl Form<'_> {
    pub fn draw(&self) -> Markup {
        let event = &self.deck.piece.event;
        let draft = self.draft;
        html! {
            form id="cards" method="post" action=(self.view.href_to(&cards_path(&event.id))) class="form stack deck" data-guard {
                (returned_key_field(&draft.form_key))
                input type="hidden" name="expected_revision" value=(draft.revision);
                input type="hidden" name="mover" disabled;
                (self.draw_styles())
                ol class="deck-cards" data-sort="cards" {
                    @for place in self.carousel_places() {
                        @match place {
                            Place::Card(index) => (self.draw_card(index)),
                            Place::Fixed(number, medium) => (draw_fixed_medium(number, medium)),
                        }
                    }
                }
                div class="row" {
                    button type="submit" class="quiet" name="fazer" value="novo" id="novo" aria-disabled=[aria_disabled(draft.has_room())] {
                        "+ Novo card"
                    }
                    button type="submit" class="quiet unscripted" name="acao" value="previa" { "Pré-visualizar" }
                    @if !draft.has_room() { span class="soft" { "Um carrossel tem até " (MOST) " cards." } }
                }
                (self.draw_removed_cards())
                div class="saving" {
                    div class="outcome" role="alert" { (self.draw_refused_cards()) }
                    div class="row" {
                        button type="submit" name="acao" value="salvar" { "Salvar cards" }
                        @if self.view.may_call("submit_for_approval") {
                            button type="submit" class="quiet" name="acao" value="enviar" { "Enviar para aprovação" }
                        }
                        a class="cancel" href=(self.view.href_to(&piece_path(&event.id))) { "Cancelar" }
                    }
                }
                p class="sr" role="status" data-told {}
            }
        }
    }

    /// Returns the positions of the carousel, as the operation arranges them: the cards of the form take
    /// the positions of the stored cards, and additional cards follow the last of these positions.
    fn carousel_places(&self) -> Vec<Place<'_>> {
        let media = &self.deck.piece.event.media;
        let is_place = |medium: &Medium| self.deck.is_card(medium);
        let last = media.iter().rposition(is_place);
        let mut cards = (0..self.draft.cards.len()).map(Place::Card);
        let mut places = vec![];
        if last.is_none() {
            places.extend(cards.by_ref());
        }
        for (at, medium) in media.iter().enumerate() {
            if is_place(medium) {
                places.extend(cards.next());
            } else {
                places.push(Place::Fixed(at + 1, medium));
            }
            if Some(at) == last {
                places.extend(cards.by_ref());
            }
        }
        places
    }

    fn draw_styles(&self) -> Markup {
        let chosen = self.draft.style.as_str();
        html! {
            label class="field style" {
                span { "Estilo dos cards" }
                select name="style" data-look="style" {
                    @if self.deck.common_style().is_none() {
                        option value="" selected[chosen.is_empty()] { "Cada um com o seu" }
                    }
                    @for style in Style::ALL {
                        option value=(style.as_str()) selected[style.as_str() == chosen] { (style_name(*style)) }
                    }
                }
            }
        }
    }

    fn draw_card(&self, index: usize) -> Markup {
        let card = &self.draft.cards[index];
        let (number, key) = (index + 1, card.key.as_str());
        let state = self.deck.card_state(self.draft, index);
        let wrong = self.faults.messages_at(index);
        let text_id = format!("texto-{key}");
        let wrong_id = format!("recusa-{key}");
        let is_unknown = state == State::Unknown;
        let is_stored = matches!(state, State::Same | State::Renumbered);
        let image = self.deck.stored_medium(card);
        html! {
            li id={ "card-" (key) } class="card" data-id=(key) tabindex="-1" {
                (hidden_fields(card))
                div class="card-head" {
                    span class="grip" draggable="true" aria-hidden="true" title="Arrastar" { "⠿" }
                    @if is_unknown { strong { "Card " (number) } } @else { label for=(text_id) { "Card " (number) } }
                    span class={ "badge" @if state != State::Same && !is_unknown { " info" } } data-state { (state_name(state)) }
                }
                @for text in wrong { p class="notice bad" id=(wrong_id) { (text) } }
                @if is_unknown {
                    div class="known" {
                        @if let Some(medium) = image { (stage::draw_small_medium(medium, medium.alt_text())) }
                        p class="soft" {
                            "O texto deste card não ficou guardado com ele. Dá para mover ou retirar o card, e pôr um novo no lugar."
                        }
                    }
                } @else {
                    div class="making" data-making data-preview=(self.view.href_to("/previa")) data-page=(number)
                        data-pages=(self.draft.cards.len()) data-style=(self.deck.card_style(self.draft, card))
                        data-card=[self.deck.background_medium(card)] data-stored[is_stored] {
                        div class="stack" {
                            textarea id=(text_id) name="texto" rows="6" maxlength="2000" dir="auto" data-text
                                aria-invalid=[(!wrong.is_empty()).then_some("true")]
                                aria-describedby=[(!wrong.is_empty()).then_some(wrong_id.as_str())] { "\n" (card.text) }
                            (self.draw_background(card, number))
                        }
                        (preview_over_stored_image(self.previews.get(index).and_then(Option::as_ref), image))
                    }
                }
                div class="row card-tools" { (self.draw_buttons(index, is_unknown)) }
            }
        }
    }

    /// Draws the choice of a background: one of the images of the piece, or a description for a
    /// provider.
    fn draw_background(&self, card: &Card, number: usize) -> Markup {
        let event = &self.deck.piece.event;
        let images = (1..).zip(&event.media);
        let images: Vec<(usize, &Medium)> = images
            .filter(|(_, medium)| !medium.is_video() && !self.deck.is_card(medium))
            .collect();
        let is_listed = images.iter().any(|(_, medium)| medium.id == card.photo);
        let is_used = !card.photo.is_empty() || !card.prompt.is_empty();
        html! {
            details id={ "fundo-" (card.key) } open[is_used] {
                summary { "Fundo" span class="sr" { " do card " (number) } }
                @if images.is_empty() && card.photo.is_empty() {
                    input type="hidden" name="foto" value="";
                } @else {
                    label class="field" {
                        span { "Imagem" }
                        select name="foto" data-look="media_id" {
                            option value="" { "Nenhuma" }
                            @if !card.photo.is_empty() && !is_listed {
                                option value=(card.photo) selected { "A de agora" }
                            }
                            @for (number, medium) in images {
                                option value=(medium.id) selected[medium.id == card.photo] { "A mídia " (number) }
                            }
                        }
                    }
                }
                label class="field" {
                    span { "Descrição, para um provedor desenhar (opcional)" }
                    textarea name="descricao" rows="2" maxlength="4000" dir="auto" data-look="background" { "\n" (card.prompt) }
                }
            }
        }
    }

    fn draw_buttons(&self, index: usize, is_unknown: bool) -> Markup {
        let key = self.draft.cards[index].key.as_str();
        let count = self.draft.cards.len();
        let button = |what: &str, can: bool, label: Markup| {
            html! {
                button type="submit" class="quiet" id={ (what) "-" (key) } name="fazer" value={ (what) ":" (key) }
                    aria-disabled=[aria_disabled(can)] {
                    (label) span class="sr" { " o card " (index + 1) }
                }
            }
        };
        html! {
            (button("subir", index > 0, html! { span aria-hidden="true" { "↑" } " Subir" }))
            (button("descer", index + 1 < count, html! { span aria-hidden="true" { "↓" } " Descer" }))
            @if !is_unknown { (button("copiar", self.draft.has_room(), html! { "Duplicar" })) }
            (button("retirar", count > 1, html! { "Retirar" }))
        }
    }

    fn draw_removed_cards(&self) -> Markup {
        html! {
            @if !self.draft.removed.is_empty() {
                section class="removed" aria-labelledby="retirados" {
                    h2 id="retirados" { "Retirados" }
                    p class="soft" { "Saem da peça quando você salvar." }
                    ul {
                        @for card in &self.draft.removed {
                            li id={ "card-" (card.key) } {
                                (hidden_fields(card))
                                input type="hidden" name="retirado" value="1";
                                input type="hidden" name="texto" value=(card.text);
                                input type="hidden" name="descricao" value=(card.prompt);
                                input type="hidden" name="foto" value=(card.photo);
                                span class="removed-text" dir="auto" { (first_line(card)) }
                                button type="submit" class="quiet" id={ "devolver-" (card.key) } name="fazer"
                                    value={ "devolver:" (card.key) } aria-disabled=[aria_disabled(self.draft.has_room())] {
                                    "Trazer de volta"
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Draws links to the refused cards beside the button that sent the form.
    fn draw_refused_cards(&self) -> Markup {
        html! {
            @if !self.faults.is_empty() {
                div class="notice bad" {
                    p {
                        strong { "Nada foi salvo." } " Confira "
                        @for (number, index) in self.faults.refused_cards().enumerate() {
                            @if number > 0 { ", " }
                            @if let Some(card) = self.draft.cards.get(index) {
                                a href={ "#card-" (card.key) } { "o card " (index + 1) }
                            } @else { "o card " (index + 1) }
                        }
                        "."
                    }
                }
            }
        }
    }
}

fn hidden_fields(card: &Card) -> Markup {
    html! {
        input type="hidden" name="chave" value=(card.key);
        input type="hidden" name="midia" value=(card.medium);
        input type="hidden" name="copia" value=(card.copied);
        input type="hidden" name="texto_era" value=(card.made_text);
        input type="hidden" name="fundo_era" value=(card.made_background);
    }
}

fn draw_fixed_medium(number: usize, medium: &Medium) -> Markup {
    html! {
        li id={ "fica-" (medium.id) } class="fixed" {
            (stage::draw_small_medium(medium, medium.alt_text()))
            p { strong { "Mídia " (number) } span class="soft" { "Não é um card: fica neste lugar." } }
        }
    }
}

/// Returns the value of `aria-disabled`. Unlike with `disabled`, a button that has no effect any more
/// keeps the focus.
fn aria_disabled(can: bool) -> Option<&'static str> {
    (!can).then_some("true")
}

const fn state_name(state: State) -> &'static str {
    match state {
        State::Same | State::Unknown => "Fica como está",
        State::Renumbered => "Só muda o número",
        State::Redrawn => "Será desenhado de novo",
        State::New => "Novo",
    }
}

fn first_line(card: &Card) -> &str {
    let line = card.text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("Card sem texto")
}
