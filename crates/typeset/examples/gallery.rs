//! Draws a gallery: `cargo run -p typeset --release --example gallery -- DIR`.

use std::path::PathBuf;

use typeset::{Card, Format, Image, Overflow, Style};

const TEXTS: [(&str, &str); 8] = [
    ("manchete", "A palavra certa muda o rumo da história"),
    ("palavra", "Coragem"),
    (
        "citacao",
        "“Sal é no começo. O resto é ouvir a panela.”\n— Dona Cida",
    ),
    (
        "paragrafo",
        "Escrever bem é um ofício de paciência. Primeiro vem a ideia, ainda sem forma; depois, o \
         trabalho de cortar o que sobra, de trocar a palavra fácil pela palavra justa, de ouvir o \
         ritmo de cada frase. Não há atalho: quem publica todos os dias sabe que a constância vale \
         mais do que a inspiração.\n\nO leitor percebe. Ele talvez não saiba dizer por quê, mas \
         reconhece o texto em que alguém pensou antes de falar. É essa atenção que transforma um \
         anúncio em conversa, e uma conversa em confiança.",
    ),
    (
        "lista",
        "Antes de publicar:\n\n✅ Releia em voz alta, sem pressa\n📅 Confira a data e o fuso do \
         agendamento\n🔗 Teste os endereços, um por um, também no celular\n🖼️ Descreva a imagem \
         para quem não a vê\n🚀 Só então aperte o botão",
    ),
    (
        "endereco",
        "https://www.exemplo.com.br/campanhas/2026/lancamento-da-colecao?origem=cartao",
    ),
    ("letra", "É"),
    (
        "titulo",
        "Três lições de quem lançou dez vezes\n\nA primeira: o público não compra o produto, compra \
         a mudança. A segunda: uma lista pequena e atenta vale mais que um alcance enorme. A \
         terceira, a mais difícil: recomeçar com a mesma calma depois de errar em público.",
    ),
];

const SIZES: [(u32, u32); 6] = [
    (1080, 1080),
    (1024, 1536),
    (1080, 1920),
    (2048, 256),
    (1536, 1024),
    (256, 256),
];

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    std::fs::create_dir_all(&folder)?;
    let photo = photo();
    for style in Style::ALL {
        for (number, (name, text)) in TEXTS.iter().enumerate() {
            for (width, height) in SIZES {
                for background in [None, Some(&photo)] {
                    let card = Card {
                        text,
                        style,
                        width,
                        height,
                        overflow: Overflow::Ellipsis,
                        background,
                        seed: number as u64 + u64::from(width),
                        page: (number % 2 == 1).then_some((3, 10)),
                    };
                    let image = typeset::render(&card).map_err(std::io::Error::other)?;
                    let kind = if background.is_some() { "-foto" } else { "" };
                    let file =
                        format!("{style:?}-{name}-{width}x{height}{kind}.png").to_lowercase();
                    std::fs::write(folder.join(file), image.encode(Format::Png))?;
                }
            }
        }
    }
    Ok(())
}

/// An image like a photograph, with light, dark and detail everywhere.
fn photo() -> Image {
    let (width, height) = (1200u32, 1600u32);
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (x as f32 / width as f32, y as f32 / height as f32);
            let cloud =
                (u * 9.0 + (v * 7.0).sin() * 1.6).sin() * (v * 11.0 + (u * 5.0).cos()).cos();
            let light = 0.62 + 0.3 * cloud + 0.12 * ((x / 7 + y / 11) % 2) as f32;
            let tone = [
                light * (1.05 - 0.4 * v),
                light * (0.8 - 0.15 * v),
                light * (0.55 + 0.45 * v),
            ];
            rgb.extend(tone.map(|c| (c * 255.0).clamp(0.0, 255.0) as u8));
        }
    }
    Image::new(width, height, rgb).expect("three bytes a pixel")
}
