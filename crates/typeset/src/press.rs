//! Assembles a card: sets the text, paints the design around it, and blends a scrim behind text
//! that would not be legible.

use crate::brand::Scheme;
use crate::canvas::{Area, Canvas};
use crate::card::{Card, DoesNotFit, LARGEST_SIDE, SMALLEST_SIDE};
use crate::color::LEGIBLE;
use crate::compose::{Composition, Kind, Letters, QUOTES};
use crate::design::{Design, Inks};
use crate::fit::{Align, Room, Setting, Tone, fit_text};
use crate::fonts::Face;
use crate::frame::{Frame, Standing};
use crate::image::Image;
use crate::signature::{self, Layer, Signature};
use crate::{emoji, ink, legible, styles};

/// A finished card, with the data that the tests inspect.
pub(crate) struct Sheet {
    pub image: Image,
    #[cfg(test)]
    pub proof: Proof,
}

/// The layers of a card before they are blended.
#[cfg(test)]
pub(crate) struct Proof {
    pub ground: Image,
    /// Coverage and colour of the text, its title, the page mark and the signature.
    pub inks: Vec<Layer>,
    /// The number of layers of the page mark and the signature. They are the last layers of `inks`.
    pub foot: usize,
    pub setting: Setting,
    pub room: Room,
    pub margin: f32,
}

/// A card before drawing: its text, typeset in the area that the design provides.
struct Plan<'a> {
    design: Box<dyn Design>,
    frame: Frame<'a>,
    letters: Letters,
    area: Area,
    setting: Setting,
    signature: Option<Signature<'a>>,
    #[cfg(test)]
    room: Room,
}

fn plan_card<'a>(card: &Card<'a>) -> Result<Plan<'a>, DoesNotFit> {
    let width = card.width.clamp(SMALLEST_SIDE, LARGEST_SIDE);
    let height = card.height.clamp(SMALLEST_SIDE, LARGEST_SIDE);
    let design = styles::create_design(
        card.style,
        card.seed,
        Scheme::from_brand(card.brand).as_ref(),
    );
    let font = card.brand.and_then(|brand| brand.font);
    let letters = font.map_or(design.letters(), |font| font.restyle(design.letters()));
    let mut composition = Composition::new(card.text, letters);
    let (unit, margin) = Frame::unit_and_margin(width, height);
    let mut frame = Frame {
        w: width as f32,
        h: height as f32,
        unit,
        margin,
        rim: Frame::rim_height(width, height, margin),
        background: card.background,
        page: card.page,
        signature: None,
        kind: composition.kind,
        quotation: composition.is_quotation(),
        centred: false,
        dense: card.text.chars().count() > 320,
    };
    let signature = card
        .brand
        .and_then(|brand| Signature::from_brand(brand, letters, &frame, design.foot_area(&frame)));
    frame.signature = signature.as_ref().map(Signature::width);
    let area = design.text_area(&frame);
    let mut text = card.text;
    if design.opens_quotation(&frame) {
        text = text.trim_start().trim_start_matches(QUOTES);
        composition = Composition::new(text, letters);
    }
    let room = Room {
        width: area.w,
        height: area.h,
        unit,
        smallest: Frame::smallest_text_size(unit),
    };
    let align = |kind: Kind, list: bool| design.alignment(kind, list);
    let setting = fit_text(text, composition, align, room, card.overflow)?;
    frame.centred = align(setting.kind.unwrap_or(Kind::Display), setting.list) == Align::Center;
    Ok(Plan {
        design,
        frame,
        letters,
        area,
        setting,
        signature,
        #[cfg(test)]
        room,
    })
}

/// Checks whether [`draw_card`] would succeed.
pub(crate) fn fits(card: &Card) -> Result<(), DoesNotFit> {
    plan_card(card).map(drop)
}

/// The comfortable size of a card's text, as a multiple of the smallest size.
const COMFORTABLE: f32 = 1.6;

/// True if the text is set below a comfortable size, or does not fit.
pub(crate) fn is_crowded(card: &Card) -> bool {
    plan_card(card).map_or(true, |plan| {
        let smallest = Frame::smallest_text_size(plan.frame.unit);
        !plan.setting.lines.is_empty() && plan.setting.size < COMFORTABLE * smallest
    })
}

pub(crate) fn draw_card(card: &Card) -> Result<Sheet, DoesNotFit> {
    let Plan {
        design,
        frame,
        letters,
        area,
        setting,
        signature,
        #[cfg(test)]
        room,
    } = plan_card(card)?;
    let part = if frame.centred {
        0.5
    } else {
        f32::from(u8::from(setting.rtl))
    };
    let anchor = design.vertical_anchor(&frame);
    let x = (area.x + (area.w - setting.width) * part).max(area.x);
    let y = (area.y + (area.h - setting.height) * anchor).max(area.y);
    let standing = Standing {
        ink: Area::new(x, y, setting.width, setting.height),
        rtl: setting.rtl,
    };

    let inks = design.inks();
    let mut canvas = Canvas::new(frame.w as u32, frame.h as u32, inks.ground);
    design.paint(&mut canvas, &frame, &standing);

    let mut layers = Vec::new();
    if !setting.lines.is_empty() {
        layers.extend(draw_text(
            &mut canvas,
            &setting,
            &standing,
            &inks,
            frame.unit,
        ));
    }
    #[cfg(test)]
    let text_layers = layers.len();
    if let Some(page) = card.page {
        let text = format!("{}/{}", page.0, page.1);
        let mark = signature::set_small_text(&text, letters, &frame, frame.w - 2.0 * frame.margin);
        let spot = design.mark_spot(&frame);
        layers.extend(
            mark.and_then(|mark| {
                signature::draw_small_text(&mut canvas, &mark, spot, &frame, &inks)
            }),
        );
    }
    if let Some(signature) = signature {
        let spot = design.signature_spot(&frame);
        layers.extend(signature.draw_signature(&mut canvas, spot, &frame, &inks));
    }
    #[cfg(test)]
    let ground = canvas.to_image();
    for (mask, color) in &layers {
        canvas.blend_mask(mask, *color);
    }
    for placed in setting.lines.iter().flatten() {
        if placed.glyph.face == Face::Emoji
            && let Some(drawn) = emoji::draw_emoji(placed, x, y)
        {
            canvas.draw_pixmap_at(&drawn.pixmap, drawn.x, drawn.y);
        }
    }
    Ok(Sheet {
        image: canvas.into_image(),
        #[cfg(test)]
        proof: Proof {
            ground,
            foot: layers.len() - text_layers,
            inks: layers,
            setting,
            room,
            margin: frame.margin,
        },
    })
}

fn draw_text(
    canvas: &mut Canvas,
    setting: &Setting,
    standing: &Standing,
    inks: &Inks,
    unit: f32,
) -> Vec<Layer> {
    let behind = standing.ink.expanded(2.0 + 0.012 * unit);
    legible::blend_scrim(canvas, behind, inks.text, inks.scrim, 0.12 * unit);
    let mut layers = Vec::new();
    for tone in [Tone::Text, Tone::Title, Tone::Accent] {
        if !setting.lines.iter().flatten().any(|p| p.tone == tone) {
            continue;
        }
        let wanted = match tone {
            Tone::Text => inks.text,
            Tone::Title => inks.title,
            Tone::Accent => inks.accent,
        };
        let own = ink_bounds(setting, standing, tone).expanded(2.0 + 0.012 * unit);
        let read = legible::min_contrast(canvas, own, wanted) >= LEGIBLE;
        let color = if read { wanted } else { inks.text };
        if let Some(mut mask) = canvas.empty_mask() {
            ink::add_coverage(
                &mut mask,
                &setting.lines,
                standing.ink.x,
                standing.ink.y,
                tone,
            );
            layers.push((mask, color));
        }
    }
    layers
}

/// Returns the bounding box of the ink of one tone.
fn ink_bounds(setting: &Setting, standing: &Standing, tone: Tone) -> Area {
    let (mut left, mut top) = (f32::INFINITY, f32::INFINITY);
    let (mut right, mut bottom) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for placed in setting.lines.iter().flatten().filter(|p| p.tone == tone) {
        let Some(ink) = placed.glyph.ink else {
            continue;
        };
        let x = standing.ink.x + placed.x + placed.glyph.dx * placed.size;
        let y = standing.ink.y + placed.y - placed.glyph.dy * placed.size;
        left = left.min(x + ink.x0 * placed.size);
        right = right.max(x + ink.x1 * placed.size);
        top = top.min(y - ink.y1 * placed.size);
        bottom = bottom.max(y - ink.y0 * placed.size);
    }
    if left > right {
        standing.ink
    } else {
        Area::new(left, top, right - left, bottom - top)
    }
}
