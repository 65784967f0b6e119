//! Tests of the elements that stand out on a card: headings, numbers, figures, prices, emoji.

use super::draw_sheet;
use crate::fit::{Placed, Tone};
use crate::fonts::Face;
use crate::press::Proof;
use crate::{Card, Style, render};

const SIZES: [(u32, u32); 3] = [(540, 675), (540, 540), (540, 960)];
const NUMBERED: &str = "1. Mexer depois que a água entra\nO amido se solta e o arroz vira papa. \
                        Mexa antes, com o fogo alto, e depois deixe a panela em paz.";
const OFFER: &str = "Curso Cozinha de Verdade\nDe R$ 497 por R$ 297\nSó até domingo, 23h59";
const TEXTS: [&str; 8] = [
    "A palavra certa muda o rumo da história",
    NUMBERED,
    OFFER,
    "87%",
    "87%\ndas pessoas decidem o almoço pelo cheiro",
    "Por que o feijão não engrossa?\nO caldo só encorpa quando uma parte dos grãos se desfaz. \
     Amasse duas conchas, devolva à panela e espere dez minutos em fogo baixo.",
    "# Três erros com alho\n- Queimar na **gordura fria**\n- Picar cedo demais\n- Usar o miolo",
    "Checklist de domingo 🍳\n\n✅ Feijão de molho\n🧅 Cebola e alho picados\n🇧🇷 Farofa no ponto",
];

fn check_in_all_styles(texts: &[&str], check: impl Fn(&str, &Proof)) {
    for text in texts {
        for style in Style::ALL {
            for (width, height) in SIZES {
                let card = Card {
                    text,
                    style,
                    width,
                    height,
                    ..Card::default()
                };
                let what = format!("{style:?} {width}x{height}: {text}");
                check(&what, &draw_sheet(&card).proof);
            }
        }
    }
}

fn glyphs_of_tone(proof: &Proof, tone: Tone) -> Vec<Placed> {
    let all = proof.setting.lines.iter().flatten();
    all.filter(|p| p.tone == tone).copied().collect()
}

fn largest_glyph_size(proof: &Proof, tone: Tone) -> f32 {
    let sizes = glyphs_of_tone(proof, tone).into_iter().map(|p| p.size);
    sizes.fold(0.0, f32::max)
}

#[test]
fn a_number_and_a_heading_are_separate_from_the_text() {
    check_in_all_styles(&[NUMBERED], |what, proof| {
        let (text, title) = (
            largest_glyph_size(proof, Tone::Text),
            largest_glyph_size(proof, Tone::Title),
        );
        assert!(title >= 1.2 * text, "{what}: {title} and {text}");
        assert!(largest_glyph_size(proof, Tone::Accent) > title, "{what}");
        let faces = |tone| glyphs_of_tone(proof, tone)[0].glyph.face;
        assert_ne!(faces(Tone::Text), faces(Tone::Title), "{what}");
    });
}

#[test]
fn the_items_of_a_list_begin_at_one_place() {
    let steps = "1. Lave até a água sair clara\n2. Refogue\n4. Tampe\n10. Sirva";
    let mixed = "Na feira\n- Folhas\n✅ Tomate firme\n🧅 Cebola";
    check_in_all_styles(&[steps, mixed], |what, proof| {
        let texts = proof.setting.lines.iter().filter_map(|line| {
            let item = line.first().filter(|p| p.tone == Tone::Accent);
            item.and(line.iter().find(|p| p.tone == Tone::Text))
        });
        let begins: Vec<f32> = texts.map(|p| p.x).collect();
        assert!(begins.len() >= 3, "{what}");
        for at in &begins {
            assert!((at - begins[0]).abs() < 0.5, "{what}: {begins:?}");
        }
    });
}

#[test]
fn the_only_numbered_line_has_no_hanging_indent() {
    check_in_all_styles(
        &[NUMBERED, "1. Mexer depois que a água entra na panela"],
        |what, proof| {
            if what.starts_with("Epico") && !what.contains('\n') {
                return; // Centred.
            }
            let left = |line: &Vec<Placed>| {
                let ink = line
                    .iter()
                    .filter_map(|p| Some(p.x + p.glyph.ink?.x0 * p.size));
                ink.fold(f32::INFINITY, f32::min)
            };
            for line in &proof.setting.lines {
                assert!(left(line) < 2.0, "{what}: a line begins at {}", left(line));
            }
        },
    );
}

#[test]
fn a_figure_alone_fills_the_width() {
    check_in_all_styles(&["87%", "R$ 297", "3x"], |what, proof| {
        let (setting, room) = (&proof.setting, &proof.room);
        let fills = setting.width / room.width;
        let high = setting.height / room.height;
        assert!(fills >= 0.9 || high >= 0.8, "{what}: {fills} of the width");
    });
}

#[test]
fn the_price_is_the_largest_text_of_an_offer() {
    check_in_all_styles(&[OFFER, "Assine por R$ 29,90 por mês"], |what, proof| {
        let price = largest_glyph_size(proof, Tone::Accent);
        assert!(
            price >= 1.6 * largest_glyph_size(proof, Tone::Text),
            "{what}"
        );
        assert!(price >= largest_glyph_size(proof, Tone::Title), "{what}");
    });
}

#[test]
fn a_sentence_about_money_is_not_typeset_as_a_price() {
    let text =
        "Quem gasta R$ 500 por mês em entregas perde tempo, saúde e o gosto de cozinhar em casa";
    check_in_all_styles(&[text], |what, proof| {
        assert!(glyphs_of_tone(proof, Tone::Accent).is_empty(), "{what}");
    });
}

#[test]
fn no_card_is_more_than_half_empty() {
    check_in_all_styles(&TEXTS, |what, proof| {
        let (setting, room) = (&proof.setting, &proof.room);
        let (high, wide) = (setting.height / room.height, setting.width / room.width);
        assert!(
            high >= 0.5 || wide >= 0.9 && high * wide > 0.2,
            "{what}: {high} × {wide}"
        );
    });
}

#[test]
fn stories_keep_250_pixels_free_above_and_below() {
    for text in TEXTS {
        for style in Style::ALL {
            let card = Card {
                text,
                style,
                width: 1080,
                height: 1920,
                page: Some((3, 10)),
                ..Card::default()
            };
            let proof = draw_sheet(&card).proof;
            for (mask, _) in &proof.inks {
                let rows = mask.data().chunks_exact(1080).enumerate();
                let inked = rows.filter(|(_, row)| row.iter().any(|part| *part > 0));
                for (y, _) in inked {
                    assert!((249..1671).contains(&y), "{style:?}: {text} has ink at {y}");
                }
            }
        }
    }
}

#[test]
fn the_sun_does_not_cross_the_frame() {
    for seed in 0..40 {
        let card = Card {
            text: "Coragem",
            style: Style::Epico,
            width: 1080,
            height: 1080,
            seed,
            ..Card::default()
        };
        let image = render(&card).expect("it fits");
        // Points next to the lozenge in the lower line of the frame, and below it.
        for (x, y) in [(600, 1036), (560, 1060), (620, 1070)] {
            let pixel = super::pixel_color(&image, y * 1080 + x);
            assert!(pixel.luminance() < 0.3, "{seed}: {pixel:?} at {x}, {y}");
        }
    }
}

#[test]
fn light_markdown_is_typeset_without_its_markup() {
    check_in_all_styles(
        &["# Título\nTexto com **duas palavras** fortes\n\nMais um parágrafo, para fazer volume."],
        |what, proof| {
            let all = || proof.setting.lines.iter().flatten();
            assert_eq!(
                all()
                    .filter(|p| p.glyph.bold && p.glyph.ink.is_some())
                    .count(),
                "duaspalavras".len(),
                "{what}"
            );
            assert!(
                largest_glyph_size(proof, Tone::Title) > largest_glyph_size(proof, Tone::Text),
                "{what}"
            );
        },
    );
}

#[test]
fn emoji_are_drawn_in_colour_and_are_not_bullets() {
    check_in_all_styles(
        &["🔥 Hoje tem receita nova no ar, corre"],
        |what, proof| {
            let all: Vec<Placed> = proof.setting.lines.iter().flatten().copied().collect();
            let emoji = all.iter().filter(|p| p.glyph.face == Face::Emoji).count();
            assert_eq!(emoji, 1, "{what}");
            assert!(glyphs_of_tone(proof, Tone::Accent).is_empty(), "{what}");
        },
    );
    let card = Card {
        text: "🔥",
        style: Style::Minimalista,
        ..Card::default()
    };
    let orange = |pixel: &[u8]| pixel[0] > 230 && pixel[1] > 80 && pixel[1] < 190 && pixel[2] < 90;
    let image = render(&card).expect("it fits");
    let count = image.rgb().chunks_exact(3).filter(|p| orange(p)).count();
    assert!(count > 5_000, "{count} pixels of fire");
}

#[test]
fn common_emoji_are_drawn_as_one_glyph() {
    for text in ["👩‍🍳", "👨‍🍳", "🇧🇷", "❤️", "1️⃣", "👍🏽", "🤷‍♀️", "✨", "🏳️‍🌈", "👀"]
    {
        let card = Card {
            text,
            ..Card::default()
        };
        let proof = draw_sheet(&card).proof;
        let glyphs: Vec<_> = proof.setting.lines.iter().flatten().collect();
        assert_eq!(glyphs.len(), 1, "{text}");
        assert_eq!(glyphs[0].glyph.face, Face::Emoji, "{text}");
    }
}

#[test]
fn a_card_with_much_text_is_crowded() {
    let long = super::text_of_length(900);
    let crowded = |text: &str| {
        crate::is_crowded(&Card {
            text,
            ..Card::default()
        })
    };
    assert!(crowded(&long));
    assert!(TEXTS.iter().all(|text| !crowded(text)));
}
