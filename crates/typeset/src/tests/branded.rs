//! Cards in the look of a team.

use super::{check, printed};
use crate::brand::Scheme;
use crate::color::Color;
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
        let scheme = Scheme::of(Some(&brand(colors)));
        let inks = styles::of(style, seed, scheme.as_ref()).inks();
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
fn a_brand_signs_its_cards_at_the_foot() {
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
            let (signed, without) = (printed(&card).proof, printed(&without).proof);
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
            assert_eq!(check(&card), Ok(()));
        }
    }
}

#[test]
fn a_brand_brings_its_typeface() {
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
        let faces: Vec<_> = printed(&card)
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
                .all(|face| *face == font.letters(letters()).display.face),
            "{font:?}"
        );
    }
}

fn letters() -> crate::compose::Letters {
    crate::styles::of(Style::Minimalista, 0, None).letters()
}
