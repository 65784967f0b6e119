//! Assembles a card: sets the text, paints the design around it, and blends a scrim behind the text
//! where it would not be legible.

use tiny_skia::Mask;

use crate::canvas::{Area, Canvas};
use crate::card::{Card, DoesNotFit, LARGEST_SIDE, Overflow, SMALLEST_SIDE};
use crate::color::{Color, LEGIBLE, hex};
use crate::compose::{Composition, Kind, QUOTES, Voice};
use crate::design::{Design, Inks};
use crate::fit::{Align, Placed, Room, Setting, Tone, fit};
use crate::fonts::Face;
use crate::frame::{Frame, Standing};
use crate::image::Image;
use crate::{emoji, ink, legible, styles};

/// A finished card, and what the tests inspect.
pub(crate) struct Sheet {
    pub image: Image,
    #[cfg(test)]
    pub proof: Proof,
}

/// The layers of a card.
#[cfg(test)]
pub(crate) struct Proof {
    pub ground: Image,
    /// Coverage and colour of the text, its title and the page mark.
    pub inks: Vec<(Mask, Color)>,
    pub setting: Setting,
    pub room: Room,
    pub margin: f32,
}

/// A card before anything is drawn: its text, set in the room that the design gives it.
struct Plan<'a> {
    design: Box<dyn Design>,
    frame: Frame<'a>,
    area: Area,
    setting: Setting,
    #[cfg(test)]
    room: Room,
}

fn plan<'a>(card: &Card<'a>) -> Result<Plan<'a>, DoesNotFit> {
    let width = card.width.clamp(SMALLEST_SIDE, LARGEST_SIDE);
    let height = card.height.clamp(SMALLEST_SIDE, LARGEST_SIDE);
    let design = styles::of(card.style, card.seed);
    let mut composition = Composition::new(card.text, design.letters());
    let (unit, margin) = Frame::proportions(width, height);
    let frame = Frame {
        w: width as f32,
        h: height as f32,
        unit,
        margin,
        rim: Frame::rim(width, height, margin),
        background: card.background,
        page: card.page,
        kind: composition.kind,
        quotation: composition.is_quotation(),
        dense: card.text.chars().count() > 320,
    };
    let area = design.area(&frame);
    let mut text = card.text;
    if design.opens_quotation(&frame) {
        text = text.trim_start().trim_start_matches(QUOTES);
        composition = Composition::new(text, design.letters());
    }
    let room = Room {
        width: area.w,
        height: area.h,
        unit,
        smallest: Frame::smallest(unit),
    };
    let align = |kind: Kind, list: bool| design.align(kind, list);
    let setting = fit(text, composition, align, room, card.overflow)?;
    Ok(Plan {
        design,
        frame,
        area,
        setting,
        #[cfg(test)]
        room,
    })
}

/// Whether [`print`] would print the card.
pub(crate) fn fits(card: &Card) -> Result<(), DoesNotFit> {
    plan(card).map(drop)
}

/// How many times the smallest size the text of a card should have.
const COMFORTABLE: f32 = 1.6;

/// Whether the text is set, or cut, at a size that few will read.
pub(crate) fn is_crowded(card: &Card) -> bool {
    plan(card).map_or(true, |plan| {
        let smallest = Frame::smallest(plan.frame.unit);
        !plan.setting.lines.is_empty() && plan.setting.size < COMFORTABLE * smallest
    })
}

pub(crate) fn print(card: &Card) -> Result<Sheet, DoesNotFit> {
    let Plan {
        design,
        frame,
        area,
        setting,
        #[cfg(test)]
        room,
    } = plan(card)?;
    let centred =
        design.align(setting.kind.unwrap_or(Kind::Display), setting.list) == Align::Center;
    let part = if centred {
        0.5
    } else {
        f32::from(u8::from(setting.rtl))
    };
    let anchor = design.anchor(&frame);
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
        layers.extend(text_layers(
            &mut canvas,
            &setting,
            &standing,
            &inks,
            frame.unit,
        ));
    }
    if let Some(page) = card.page {
        layers.extend(page_mark(&mut canvas, page, &frame, design.as_ref(), &inks));
    }
    #[cfg(test)]
    let ground = canvas.copy();
    for (mask, color) in &layers {
        canvas.ink(mask, *color);
    }
    for placed in setting.lines.iter().flatten() {
        if placed.glyph.face == Face::Emoji
            && let Some(drawn) = emoji::draw(placed, x, y)
        {
            canvas.lay(&drawn.pixmap, drawn.x, drawn.y);
        }
    }
    Ok(Sheet {
        image: canvas.finish(),
        #[cfg(test)]
        proof: Proof {
            ground,
            inks: layers,
            setting,
            room,
            margin: frame.margin,
        },
    })
}

type Layer = (Mask, Color);

fn text_layers(
    canvas: &mut Canvas,
    setting: &Setting,
    standing: &Standing,
    inks: &Inks,
    unit: f32,
) -> Vec<Layer> {
    let behind = standing.ink.grown(2.0 + 0.012 * unit);
    legible::veil(canvas, behind, inks.text, inks.scrim, 0.12 * unit);
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
        let own = ink_of(setting, standing, tone).grown(2.0 + 0.012 * unit);
        let read = legible::contrast(canvas, own, wanted) >= LEGIBLE;
        let color = if read { wanted } else { inks.text };
        if let Some(mut mask) = canvas.mask() {
            ink::cover(
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

/// The box of the ink of one tone.
fn ink_of(setting: &Setting, standing: &Standing, tone: Tone) -> Area {
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

/// The page mark, such as «3/10», in the typeface of running text.
fn page_mark(
    canvas: &mut Canvas,
    (page, pages): (u32, u32),
    frame: &Frame,
    design: &dyn Design,
    inks: &Inks,
) -> Option<Layer> {
    let size = frame.mark_size();
    let letters = design.letters();
    let voice = Voice {
        tracking: 0.04,
        largest: size / frame.unit,
        ..letters.text
    };
    let room = Room {
        width: frame.w - 2.0 * frame.margin,
        height: size,
        unit: frame.unit,
        smallest: size.min(8.0),
    };
    let text = format!("{page}/{pages}");
    let composition = Composition::new(
        &text,
        crate::compose::Letters {
            display: voice,
            text: voice,
        },
    );
    let mark = fit(
        &text,
        composition,
        |_, _| Align::Start,
        room,
        Overflow::Ellipsis,
    )
    .ok()?;
    let spot = design.mark(frame);
    let (x, y) = (spot.x - mark.width * spot.part, spot.y - mark.height / 2.0);
    let area = Area::new(x, y, mark.width, mark.height).grown(1.0 + 0.006 * frame.unit);
    let legible_on = |color: &Color| legible::contrast(canvas, area, *color) >= LEGIBLE;
    let candidates = [inks.mark, inks.text, hex(0xFFFFFF), hex(0x0A0A0A)];
    // The scrim only goes with the ink of the text: behind a dark mark it would hide what is legible.
    let color = candidates.into_iter().find(legible_on).unwrap_or_else(|| {
        legible::veil(canvas, area, inks.text, inks.scrim, 0.04 * frame.unit);
        inks.text
    });
    let mut mask = canvas.mask()?;
    let lines: &[Vec<Placed>] = &mark.lines;
    ink::cover(&mut mask, lines, x, y, Tone::Text);
    Some((mask, color))
}
