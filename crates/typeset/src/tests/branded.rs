//! Tests of cards with a brand.

use super::{any::Picture, check_card, draw_sheet};
use crate::brand::Scheme;
use crate::color::Color;
use crate::press::Proof;
use crate::{Brand, Card, Font, Style, styles};

const KITCHEN: [[u8; 3]; 4] = [
    [0xB8, 0x3A, 0x1E],
    [0xF6, 0xEC, 0xDA],
    [0x2B, 0x1A, 0x12],
    [0xE9, 0xA8, 0x2C],
];
const OFFICE: [[u8; 3]; 2] = [[0x1F, 0x4E, 0xD8], [0xFF, 0xFF, 0xFF]];

fn brand(colors: &[[u8; 3]]) -> Brand<'_> {
    Brand {
        colors,
        font: None,
        signer: None,
        logo: None,
    }
}

#[test]
fn every_style_takes_the_colours_of_a_brand_whatever_the_seed() {
    let inks = |style: Style, colors: &[[u8; 3]], seed: u64| {
        let scheme = Scheme::from_brand(Some(&brand(colors)));
        let inks = styles::create_design(style, seed, scheme.as_ref()).inks();
        [inks.ground, inks.text, inks.title, inks.accent]
    };
    for style in Style::ALL {
        let own = inks(style, &KITCHEN, 0);
        for seed in 1..6 {
            assert_eq!(own, inks(style, &KITCHEN, seed), "{style:?} {seed}");
        }
        assert_ne!(own, inks(style, &OFFICE, 0), "{style:?}");
    }
    assert_eq!(inks(Style::Vibrante, &KITCHEN, 0)[0], Color(KITCHEN[0]));
    assert_eq!(inks(Style::Editorial, &KITCHEN, 0)[0], Color(KITCHEN[1]));
}

#[test]
fn the_signature_of_a_brand_is_at_the_foot() {
    for style in Style::ALL {
        for page in [None, Some((3, 10))] {
            let signed = Brand {
                signer: Some("@cozinha"),
                ..brand(&KITCHEN)
            };
            let plain = brand(&KITCHEN);
            let card = Card {
                text: "Sal é no começo",
                style,
                page,
                brand: Some(&signed),
                ..Card::default()
            };
            let without = Card {
                brand: Some(&plain),
                ..card
            };
            let (signed, without) = (draw_sheet(&card).proof, draw_sheet(&without).proof);
            assert_eq!(
                signed.inks.len(),
                without.inks.len() + 1,
                "{style:?} {page:?}"
            );
            let (mask, _) = signed.inks.last().expect("the signature");
            let top = mask
                .data()
                .iter()
                .position(|part| *part > 0)
                .expect("it is inked");
            let top = top as u32 / mask.width();
            assert!(
                top > 900,
                "{style:?} {page:?}: the signature begins at {top}"
            );
            assert_eq!(check_card(&card), Ok(()));
        }
    }
}

/// Returns the box of the signature: left, top, right, bottom.
fn signature_box(proof: &Proof) -> [usize; 4] {
    let (mask, _) = proof.inks.last().expect("the signature");
    let width = mask.width() as usize;
    let inked = mask
        .data()
        .iter()
        .enumerate()
        .filter(|(_, part)| **part > 0);
    inked.fold([usize::MAX, usize::MAX, 0, 0], |found, (at, _)| {
        let (x, y) = (at % width, at / width);
        [
            found[0].min(x),
            found[1].min(y),
            found[2].max(x),
            found[3].max(y),
        ]
    })
}

#[test]
fn a_signature_begins_where_the_text_does() {
    let signed = Brand {
        signer: Some("@cozinha"),
        ..brand(&KITCHEN)
    };
    let at = |text| {
        let card = Card {
            text,
            style: Style::Epico,
            brand: Some(&signed),
            ..Card::default()
        };
        let proof = draw_sheet(&card).proof;
        let [left, _, right, _] = signature_box(&proof);
        let (_, rest) = proof.inks.split_last().expect("the signature");
        let columns = rest.iter().flat_map(|(mask, _)| {
            let inked = mask
                .data()
                .iter()
                .enumerate()
                .filter(|(_, part)| **part > 0);
            inked.map(|(at, _)| at % mask.width() as usize)
        });
        let text = columns.min().expect("it is inked");
        (text, left, left + right)
    };
    let (text, left, _) = at("Na feira de sábado\n- Folhas que ainda seguram a água\n- Tomate");
    assert!(
        text.abs_diff(left) < 30,
        "the text at {text}, the signature at {left}"
    );
    let (_, _, middle) = at("Sal é no começo");
    assert!(
        middle.abs_diff(1080) < 8,
        "the signature is not centred: {middle}"
    );
}

#[test]
fn a_long_signature_overlaps_neither_the_page_mark_nor_the_margin() {
    let photo = Picture::new(40, 30, 9, 2);
    let signed = Brand {
        signer: Some("@um_nome.de.trinta.caracteres__0"),
        ..brand(&KITCHEN)
    };
    for style in Style::ALL {
        for (width, height) in [(332, 256), (468, 260), (1200, 630), (2048, 256), (540, 675)] {
            for background in [None, Some(&photo.image)] {
                let card = Card {
                    text: "Sal é no começo",
                    style,
                    width,
                    height,
                    page: Some((19, 20)),
                    background,
                    brand: Some(&signed),
                    ..Card::default()
                };
                let with = background.is_some();
                assert_eq!(
                    check_card(&card),
                    Ok(()),
                    "{style:?} {width}×{height}, image: {with}"
                );
            }
        }
    }
}

#[test]
fn no_line_of_the_drawing_crosses_a_signature() {
    for (seed, signer) in (0..9).flat_map(|seed| [(seed, "@cozinha"), (seed, "@cozinhadadonaana")])
    {
        let signed = Brand {
            signer: Some(signer),
            ..brand(&KITCHEN)
        };
        let card = Card {
            text: "Sal é no começo",
            style: Style::Epico,
            width: 1080,
            height: 1080,
            seed,
            brand: Some(&signed),
            ..Card::default()
        };
        let proof = draw_sheet(&card).proof;
        let [left, top, right, bottom] = signature_box(&proof);
        let light = |x: usize, y: usize| {
            let at = (y * 1080 + x) * 3;
            i32::from(proof.ground.rgb()[at]) + i32::from(proof.ground.rgb()[at + 1])
        };
        for (x, y) in (top..=bottom).flat_map(|y| (left..=right).map(move |x| (x, y))) {
            let beside = light(x - 6, y).max(light(x + 6, y));
            let over = light(x, y - 6).max(light(x, y + 6));
            let line = light(x, y) - beside.min(over);
            assert!(line < 40, "{seed} {signer}: a line at {x}, {y}: {line}");
        }
    }
}

#[test]
fn a_brand_replaces_the_typeface() {
    for font in Font::ALL {
        let cozy = Brand {
            font: Some(font),
            ..brand(&KITCHEN)
        };
        let card = Card {
            text: "Sal é no começo",
            style: Style::Minimalista,
            brand: Some(&cozy),
            ..Card::default()
        };
        let faces: Vec<_> = draw_sheet(&card)
            .proof
            .setting
            .lines
            .iter()
            .flatten()
            .map(|p| p.glyph.face)
            .collect();
        assert!(
            faces
                .iter()
                .all(|face| *face == font.restyle(letters()).display.face),
            "{font:?}"
        );
    }
}

fn letters() -> crate::compose::Letters {
    crate::styles::create_design(Style::Minimalista, 0, None).letters()
}
