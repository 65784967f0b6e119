//! Draws cards of three brands: `cargo run -p typeset --example branded -- DIR`.

use std::path::PathBuf;

use typeset::{Brand, Card, Font, Format, Image, Style};

const TEXTS: [(&str, &str); 4] = [
    ("frase", "Sal é no começo, pressa é no fim"),
    (
        "titulo",
        "Por que o feijão não engrossa?\nO caldo só encorpa quando uma parte dos grãos se desfaz. Amasse duas conchas, devolva à panela e espere dez minutos em fogo baixo.",
    ),
    (
        "lista",
        "# Antes de publicar\n\n- Releia em voz alta\n- Confira a data e o fuso\n- Teste os endereços\n- Descreva a imagem",
    ),
    (
        "oferta",
        "Curso Cozinha de Verdade\nDe R$ 497 por R$ 297\nSó até domingo, 23h59",
    ),
];

const SIZES: [(u32, u32); 4] = [(1080, 1350), (1080, 1080), (1080, 1920), (1200, 628)];

type Team = (&'static str, &'static [[u8; 3]], Option<Font>, &'static str);

const TEAMS: [Team; 4] = [
    (
        "cozinha",
        &[
            [0xB8, 0x3A, 0x1E],
            [0xF6, 0xEC, 0xDA],
            [0x2B, 0x1A, 0x12],
            [0xE9, 0xA8, 0x2C],
        ],
        Some(Font::Fraunces),
        "@cozinhadeverdade",
    ),
    (
        "escola",
        &[[0x1F, 0x4E, 0xD8], [0xFF, 0xFF, 0xFF]],
        None,
        "@escola.azul",
    ),
    (
        "horta",
        &[[0x8B, 0xC3, 0x4A], [0x1B, 0x3A, 0x26], [0xFF, 0xF4, 0xD6]],
        Some(Font::Bricolage),
        "@hortaurbana",
    ),
    (
        "estudio",
        &[
            [0xF2, 0x5C, 0xA2],
            [0x7A, 0x5C, 0xF2],
            [0xFF, 0xD1, 0x5C],
            [0x20, 0x16, 0x3A],
            [0xF9, 0xF3, 0xFF],
        ],
        Some(Font::Inter),
        "@estudio_magenta",
    ),
];

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    std::fs::create_dir_all(&folder)?;
    let photo = photo();
    for (team_number, (name, colors, font, handle)) in TEAMS.into_iter().enumerate() {
        let logo = logo(colors);
        let brand = Brand {
            colors,
            font,
            signer: Some(handle),
            logo: (team_number % 2 == 0).then_some(&logo),
        };
        for (number, style) in Style::ALL.into_iter().enumerate() {
            for (text_number, (text_name, text)) in TEXTS.iter().enumerate() {
                let (width, height) = SIZES[(number + text_number + team_number) % SIZES.len()];
                let card = Card {
                    text,
                    style,
                    width,
                    height,
                    seed: (7 * text_number + number) as u64,
                    page: (text_number % 2 == 1).then_some((3, 10)),
                    background: (text_number == 3 - number).then_some(&photo),
                    brand: Some(&brand),
                    ..Card::default()
                };
                let image = typeset::render(&card).map_err(std::io::Error::other)?;
                let file = format!("{name}-{style:?}-{text_name}-{width}x{height}.png");
                std::fs::write(folder.join(file.to_lowercase()), image.encode(Format::Png))?;
            }
        }
    }
    Ok(())
}

/// Draws a disc of one colour on a background of another colour.
fn logo(colors: &[[u8; 3]]) -> Image {
    let side = 240i32;
    let mut rgb = vec![];
    for y in 0..side {
        for x in 0..side {
            let (dx, dy) = (x - side / 2, y - side / 2);
            let inside = dx * dx + dy * dy < 70 * 70 && (dx < 0 || dy > 0);
            rgb.extend(colors[usize::from(inside)]);
        }
    }
    Image::new(240, 240, rgb).expect("three bytes a pixel")
}

/// Draws stripes of light and shade, like the shadow of a window blind.
fn photo() -> Image {
    let (width, height) = (1200u32, 1600u32);
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
            let light = 0.55 + 0.35 * (u * 14.0 + v * 5.0).sin() * (v * 6.0).cos();
            let tone = [light, light * (0.9 - 0.3 * v), light * (0.7 - 0.2 * u)];
            rgb.extend(tone.map(|c| (c * 255.0).clamp(0.0, 255.0) as u8));
        }
    }
    Image::new(width, height, rgb).expect("three bytes a pixel")
}
