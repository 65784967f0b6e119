//! Draws a gallery: `cargo run -p typeset --example gallery -- DIR`.

use std::path::PathBuf;

use typeset::{Card, Format, Image, Overflow, Style};

const TEXTS: [(&str, &str); 12] = [
    ("frase", "A palavra certa muda o rumo da história"),
    (
        "numerado",
        "1. Mexer depois que a água entra\nO amido se solta e o arroz vira papa. Mexa antes, com o fogo alto, e depois deixe a panela em paz.",
    ),
    (
        "titulo",
        "Por que o feijão não engrossa?\nO caldo só encorpa quando uma parte dos grãos se desfaz. Amasse duas conchas, devolva à panela e espere dez minutos em fogo baixo.",
    ),
    (
        "lista",
        "Antes de publicar\n\n1. Releia em voz alta, sem pressa\n2. Confira a data e o fuso do agendamento\n3. Teste os endereços, também no celular\n4. Descreva a imagem para quem não a vê\n5. Só então aperte o botão",
    ),
    ("figura", "87%"),
    (
        "figura-legenda",
        "87%\ndas pessoas decidem o almoço pelo cheiro",
    ),
    (
        "oferta",
        "Curso Cozinha de Verdade\nDe R$ 497 por R$ 297\nSó até domingo, 23h59",
    ),
    (
        "longo",
        "Escrever bem é um ofício de paciência. Primeiro vem a ideia, ainda sem forma; depois, o trabalho de cortar o que sobra, de trocar a palavra fácil pela palavra justa, de ouvir o ritmo de cada frase. Não há atalho: quem publica todos os dias sabe que a constância vale mais do que a inspiração.\n\nO leitor percebe. Ele talvez não saiba dizer por quê, mas reconhece o texto em que alguém pensou antes de falar. É essa atenção que transforma um anúncio em conversa, e uma conversa em confiança.",
    ),
    (
        "emoji",
        "Checklist de domingo 🍳\n\n✅ Feijão de molho\n🧅 Cebola e alho picados\n🥬 Couve lavada e seca\n🇧🇷 Farofa no ponto\n❤️ Mesa posta",
    ),
    (
        "emoji-frase",
        "Hoje tem receita nova no ar! 🚀🔥 Corre lá 👩‍🍳",
    ),
    (
        "markdown",
        "# Três erros com alho\n\n- Queimar na **gordura fria**\n- Picar cedo demais\n- Usar o miolo **verde**, que amarga",
    ),
    (
        "citacao",
        "“Sal é no começo. O resto é ouvir a panela.”\n— Dona Cida",
    ),
];

const SIZES: [(u32, u32); 4] = [(1080, 1350), (1080, 1080), (1080, 1920), (1200, 628)];

/// Draws 48 cards: every text in every style. The size depends on both, so each style and each text
/// appears at every size. With a second argument, draws every card at every size.
fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "gallery".into()));
    let all = arguments.next().is_some();
    std::fs::create_dir_all(&folder)?;
    let photo = photo();
    for (number, style) in Style::ALL.into_iter().enumerate() {
        for (text_number, (name, text)) in TEXTS.iter().enumerate() {
            for (size_number, (width, height)) in SIZES.into_iter().enumerate() {
                if !all && size_number != (number + text_number) % SIZES.len() {
                    continue;
                }
                let with_photo = (number + 2 * text_number) % 7 == 3;
                let card = Card {
                    text,
                    style,
                    width,
                    height,
                    overflow: Overflow::Ellipsis,
                    background: with_photo.then_some(&photo),
                    seed: (7 * text_number + number) as u64,
                    page: (text_number % 3 == 1).then_some((3, 10)),
                    brand: None,
                };
                let image = typeset::render(&card).map_err(std::io::Error::other)?;
                let kind = if with_photo { "-foto" } else { "" };
                let file = format!("{name}-{style:?}-{width}x{height}{kind}.png").to_lowercase();
                std::fs::write(folder.join(file), image.encode(Format::Png))?;
            }
        }
    }
    Ok(())
}

/// Draws an image similar to a photograph, with light, dark and detail everywhere.
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
