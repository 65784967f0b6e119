//! Strategies for texts, sides and images of all kinds.

use proptest::prelude::*;

use crate::{Brand, Font, Image, Style};

pub(super) fn any_text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[a-zçáéíóúâêôãõà]{1,12}",
        2 => "[A-ZÇÁÉÍÓÚ]{1,24}",
        1 => Just("https://exemplo.com.br/uma/pagina-muito-comprida?com=perguntas&e=mais".to_owned()),
        1 => "[🎉🚀✅👩‍💻🇧🇷❤️1️⃣🏳️‍🌈👍🏽]{1,3}",
        1 => "[אבגדהשלום]{1,9}",
        1 => "[ابتثجحخدسلام]{1,9}",
        1 => "[漢字仮名交じり文한국어]{1,9}",
        1 => "\\PC{1,12}",
        1 => "[\u{0}-\u{1F}\u{200B}-\u{200F}\u{202A}-\u{202E}\u{300}-\u{36F}]{1,9}",
        1 => "a{60,400}",
    ];
    let gap = prop_oneof![12 => Just(" "), 1 => Just("\n"), 1 => Just("\n\n"), 1 => Just("\n• ")];
    let words = prop_oneof![0..6usize, 0..60usize, 0..700usize];
    words
        .prop_flat_map(move |n| prop::collection::vec((word.clone(), gap.clone()), n))
        .prop_map(|words| {
            words
                .into_iter()
                .map(|(word, gap)| word + gap)
                .collect::<String>()
        })
        .prop_map(|text| text.chars().take(5000).collect())
}

pub(super) fn any_side() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 256..=700u32, 1 => 256..=2048u32, 1 => Just(2048), 1 => Just(256)]
}

pub(super) fn any_style() -> impl Strategy<Value = Style> {
    prop::sample::select(Style::ALL.to_vec())
}

/// An image whose `Debug` output shows its parameters instead of its bytes.
#[derive(Clone)]
pub(super) struct Picture {
    seed: u32,
    kind: u8,
    pub(super) image: Image,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (width, height) = (self.image.width, self.image.height);
        let (seed, kind) = (self.seed, self.kind);
        write!(f, "Picture::new({width}, {height}, {seed}, {kind})")
    }
}

impl Picture {
    /// Creates a flat (0), striped (1) or noisy (2) image.
    pub(super) fn new(width: u32, height: u32, seed: u32, kind: u8) -> Self {
        let pixels = (0..width * height * 3).map(|i| match kind {
            0 => (seed >> (i % 3 * 8)) as u8,
            1 => {
                if i / 90 % 2 == 0 {
                    255
                } else {
                    0
                }
            }
            _ => (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24) as u8,
        });
        let image = Image::new(width, height, pixels.collect()).expect("three bytes a pixel");
        Self { seed, kind, image }
    }
}

pub(super) fn any_picture() -> impl Strategy<Value = Picture> {
    (1..400u32, 1..400u32, any::<u32>(), 0..3u8)
        .prop_map(|(width, height, seed, kind)| Picture::new(width, height, seed, kind))
}

/// The owned parts of a brand.
#[derive(Debug, Clone)]
pub(super) struct Look {
    colors: Vec<[u8; 3]>,
    font: Option<Font>,
    signer: Option<&'static str>,
    logo: Option<Picture>,
}

impl Look {
    pub(super) fn brand(&self) -> Brand<'_> {
        Brand {
            colors: &self.colors,
            font: self.font,
            signer: self.signer,
            logo: self.logo.as_ref().map(|logo| &logo.image),
        }
    }
}

pub(super) fn any_look() -> impl Strategy<Value = Look> {
    let channel = prop_oneof![Just(0u8), Just(255u8), any::<u8>(), 108..140u8];
    let grey = any::<u8>().prop_map(|shade| [shade; 3]);
    let color = prop_oneof![
        3 => [channel.clone(), channel.clone(), channel],
        1 => grey,
    ];
    let font = prop::option::of(prop::sample::select(Font::ALL.to_vec()));
    let signers = [
        "@cozinha",
        "@a",
        "@um_nome.de.trinta.caracteres__0",
        "Ateliê Pão & Cia 🌽",
        "Associação das Padarias Artesanais do Vale do Paraíba e do Litoral Norte Paulista",
    ];
    let signer = prop::option::of(prop::sample::select(signers.to_vec()));
    let logo = prop::option::weighted(0.4, any_picture());
    let colors = prop::collection::vec(color, 2..=5);
    (colors, font, signer, logo).prop_map(|(colors, font, signer, logo)| Look {
        colors,
        font,
        signer,
        logo,
    })
}
