//! Tests properties that every card must have, for any text.

mod any;
mod branded;
mod structure;

use any::{any_look, any_picture, any_side, any_style, any_text};
use proptest::prelude::*;

use crate::color::{Color, LEGIBLE};
use crate::press::{Proof, Sheet, draw_card};
use crate::{Card, Format, Image, Overflow, Style, render};

const SENTENCE: &str =
    "Escrever bem é um ofício de paciência, e a pressa nunca foi boa conselheira. ";

fn text_of_length(chars: usize) -> String {
    SENTENCE.chars().cycle().take(chars).collect()
}

fn draw_sheet(card: &Card) -> Sheet {
    draw_card(card).expect("an ellipsis always fits")
}

fn pixel_color(image: &Image, index: usize) -> Color {
    let rgb = &image.rgb()[index * 3..index * 3 + 3];
    Color([rgb[0], rgb[1], rgb[2]])
}

/// Returns the minimum contrast between the ink of a pixel and the background of that pixel.
fn min_ink_contrast(proof: &Proof) -> f32 {
    let mut least = f32::INFINITY;
    for (mask, ink) in &proof.inks {
        let inked = mask
            .data()
            .iter()
            .enumerate()
            .filter(|(_, part)| **part > 0);
        let mut last = None;
        for (index, _) in inked {
            let ground = pixel_color(&proof.ground, index);
            if last != Some(ground) {
                least = least.min(ink.contrast(ground));
                last = Some(ground);
            }
        }
    }
    least
}

fn stays_within_the_margins(proof: &Proof) -> bool {
    let margin = proof.margin - 1.0;
    proof.inks.iter().all(|(mask, _)| {
        let (width, height) = (mask.width(), mask.height());
        let inked = mask
            .data()
            .iter()
            .enumerate()
            .filter(|(_, part)| **part > 0);
        inked
            .map(|(index, _)| (index as u32 % width, index as u32 / width))
            .all(|(x, y)| {
                let outside = |at: u32, side: u32| {
                    (at as f32) < margin || (at as f32 + 1.0) > side as f32 - margin
                };
                !outside(x, width) && !outside(y, height)
            })
    })
}

/// True if the page mark or the signature overlaps other ink. The layers of the page mark and the
/// signature come after the layers of the text.
fn overlaps_other_ink(proof: &Proof) -> bool {
    let (text, foot) = proof.inks.split_at(proof.inks.len() - proof.foot);
    foot.iter().enumerate().any(|(at, (mask, _))| {
        text.iter().chain(&foot[..at]).any(|(other, _)| {
            let both = mask.data().iter().zip(other.data());
            both.into_iter().any(|(one, two)| *one > 0 && *two > 0)
        })
    })
}

/// Checks the properties that every card must have. The error names the property that failed.
fn check_card(card: &Card) -> Result<(), String> {
    let sheet = draw_sheet(card);
    let proof = &sheet.proof;
    let least = min_ink_contrast(proof);
    let glyphs = || proof.setting.lines.iter().flatten();
    let size = (sheet.image.width, sheet.image.height);
    for (wrong, what) in [
        (size != (card.width, card.height), format!("size {size:?}")),
        (least < LEGIBLE, format!("contrast {least}")),
        (
            !stays_within_the_margins(proof),
            "ink in the margin".to_owned(),
        ),
        (overlaps_other_ink(proof), "ink on ink".to_owned()),
        (
            glyphs().any(|p| p.glyph.id.to_u32() == 0),
            "a glyph that the font does not have".to_owned(),
        ),
        (
            proof.setting.width > proof.room.width + 0.1
                || proof.setting.height > proof.room.height + 0.1,
            "text larger than its room".to_owned(),
        ),
    ] {
        if wrong {
            return Err(what);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_stays_within_its_margins_and_is_legible(
        text in any_text(),
        style in any_style(),
        (width, height) in (any_side(), any_side()),
        seed in any::<u64>(),
        page in prop::option::of((1..20u32, 1..20u32)),
        image in prop::option::weighted(0.3, any_picture()),
        look in prop::option::of(any_look()),
    ) {
        let brand = look.as_ref().map(|look| look.brand());
        let card = Card {
            text: &text, style, width, height, seed, page, background: image.as_ref().map(|picture| &picture.image),
            brand: brand.as_ref(), ..Card::default()
        };
        prop_assert_eq!(check_card(&card), Ok(()));
    }

    #[test]
    fn refuse_rejects_exactly_the_texts_that_ellipsis_would_cut(
        text in any_text(),
        style in any_style(),
        (width, height) in (any_side(), any_side()),
        image in prop::option::weighted(0.3, any_picture()),
        look in prop::option::weighted(0.3, any_look()),
    ) {
        let brand = look.as_ref().map(|look| look.brand());
        let card = Card {
            text: &text, style, width, height, background: image.as_ref().map(|picture| &picture.image),
            brand: brand.as_ref(), ..Card::default()
        };
        let proof = draw_sheet(&card).proof;
        let refusing = Card { overflow: Overflow::Refuse, ..card };
        let cut = proof.setting.shortened;
        prop_assert_eq!(draw_card(&refusing).is_err(), cut);
        let pixel = Image::new(1, 1, vec![0; 3]);
        let any_background = image.as_ref().and(pixel.as_ref());
        prop_assert_eq!(crate::fits(&Card { background: any_background, ..refusing }).is_err(), cut);
        if cut {
            prop_assert!(proof.setting.size <= proof.room.smallest);
        }
    }
}

#[test]
fn no_text_longer_than_the_first_refused_one_fits() {
    for style in Style::ALL {
        let fits = |chars: usize| {
            let text = text_of_length(chars);
            let card = Card {
                text: &text,
                style,
                overflow: Overflow::Refuse,
                ..Card::default()
            };
            let sheet = draw_card(&card);
            if let Ok(sheet) = &sheet {
                assert!(sheet.proof.setting.size >= sheet.proof.room.smallest);
            }
            sheet.is_ok()
        };
        let lengths: Vec<usize> = (1..=25).map(|n| n * 200).collect();
        let first_refused = lengths
            .iter()
            .position(|&n| !fits(n))
            .expect("5000 letters do not fit");
        assert!(
            first_refused > 4,
            "{style:?}: a card holds at least 1000 letters"
        );
        assert!(
            lengths[first_refused..].iter().all(|&n| !fits(n)),
            "{style:?}"
        );
    }
}

#[test]
fn every_palette_and_ornament_is_legible() {
    let texts = [
        "É",
        "A palavra certa muda o rumo da história",
        &text_of_length(900),
    ];
    for style in Style::ALL {
        for seed in 0..40 {
            let text = texts[seed as usize % 3];
            let page = (seed % 2 == 0).then_some((3, 10));
            let card = Card {
                text,
                style,
                width: 540,
                height: 675,
                seed,
                page,
                ..Card::default()
            };
            assert_eq!(check_card(&card), Ok(()), "{style:?} {seed}");
        }
    }
}

#[test]
fn a_page_mark_is_legible_on_a_background_of_any_shade() {
    for shade in (0..=255).step_by(3) {
        let image = Image::new(1, 1, vec![shade; 3]).expect("three bytes a pixel");
        for style in Style::ALL {
            for seed in 0..6 {
                let card = Card {
                    text: "A",
                    style,
                    width: 256,
                    height: 256,
                    seed,
                    page: Some((3, 10)),
                    background: Some(&image),
                    ..Card::default()
                };
                assert_eq!(check_card(&card), Ok(()), "{style:?} {seed} on {shade}");
            }
        }
    }
}

#[test]
fn the_scrim_never_hides_a_dark_page_mark() {
    let image = Image::new(94, 273, [164, 242, 242].repeat(94 * 273)).expect("three bytes a pixel");
    let card = Card {
        text: "A",
        style: Style::Epico,
        width: 587,
        height: 511,
        seed: 15_320_827_073_762_854_447,
        page: Some((19, 16)),
        background: Some(&image),
        ..Card::default()
    };
    assert_eq!(check_card(&card), Ok(()));
}

#[test]
fn an_empty_text_still_makes_a_card() {
    for style in Style::ALL {
        for text in ["", " ", "\n\n", "\u{200B}", ".", "漢字"] {
            assert_eq!(
                check_card(&Card {
                    text,
                    style,
                    width: 300,
                    height: 500,
                    ..Card::default()
                }),
                Ok(())
            );
        }
    }
}

#[test]
fn equal_cards_give_equal_bytes_and_another_seed_gives_other_bytes() {
    for style in Style::ALL {
        let text = text_of_length(200);
        let card = Card {
            text: &text,
            style,
            width: 640,
            height: 480,
            ..Card::default()
        };
        let drawn = |card: &Card| render(card).expect("an ellipsis always fits");
        assert_eq!(drawn(&card), drawn(&card));
        for format in [Format::Png, Format::Jpeg] {
            assert_eq!(drawn(&card).encode(format), drawn(&card).encode(format));
        }
        let others = (1..6).map(|seed| drawn(&Card { seed, ..card }));
        assert!(
            others.filter(|other| *other != drawn(&card)).count() > 2,
            "{style:?}"
        );
    }
}

#[test]
fn encoded_files_have_their_format_and_size() {
    let card = Card {
        text: "A palavra certa",
        width: 500,
        height: 300,
        ..Card::default()
    };
    let image = render(&card).expect("it fits");
    let file = image.encode(Format::Png);
    let mut reader = png::Decoder::new(std::io::Cursor::new(&file))
        .read_info()
        .expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it fits memory")];
    let info = reader.next_frame(&mut pixels).expect("a complete image");
    assert_eq!(
        (info.width, info.height, info.color_type),
        (500, 300, png::ColorType::Rgb)
    );
    assert_eq!(pixels, image.rgb());

    let file = image.encode(Format::Jpeg);
    assert!(file.starts_with(&[0xFF, 0xD8, 0xFF]) && file.ends_with(&[0xFF, 0xD9]));
    // The frame header: marker, length, precision, height, width, components.
    let frame = file
        .windows(2)
        .position(|m| m == [0xFF, 0xC0])
        .expect("a baseline JPEG");
    assert_eq!(
        file[frame + 4..frame + 10],
        [
            8,
            300u16.to_be_bytes()[0],
            300u16.to_be_bytes()[1],
            1,
            244,
            3
        ]
    );
}

#[test]
fn sides_are_clamped_to_the_supported_range() {
    let image = render(&Card {
        text: "a",
        width: 1,
        height: 9000,
        ..Card::default()
    })
    .expect("it fits");
    assert_eq!((image.width, image.height), (256, 2048));
}

#[test]
fn right_to_left_text_is_aligned_right() {
    let card = Card {
        text: "שלום עולם",
        style: Style::Minimalista,
        ..Card::default()
    };
    let proof = draw_sheet(&card).proof;
    let (mask, _) = &proof.inks[0];
    let inked = mask
        .data()
        .iter()
        .enumerate()
        .filter(|(_, part)| **part > 0);
    let rightmost = inked
        .map(|(index, _)| index as u32 % mask.width())
        .max()
        .expect("it is inked");
    assert!(rightmost as f32 > 1080.0 - proof.margin - 3.0);
}
