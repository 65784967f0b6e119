//! Distinguishes image descriptions from texts to typeset.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Words that image descriptions begin with, without accents.
const BEGINNINGS: [&str; 34] = [
    "foto de ",
    "foto realista",
    "fotografia de ",
    "fotografia realista",
    "uma foto ",
    "uma fotografia ",
    "imagem de ",
    "uma imagem ",
    "imagem mostrando",
    "ilustracao de ",
    "ilustracao mostrando",
    "uma ilustracao ",
    "desenho de ",
    "um desenho ",
    "desenhe ",
    "ilustre ",
    "pintura de ",
    "uma pintura ",
    "aquarela de ",
    "retrato de ",
    "um retrato ",
    "uma cena ",
    "close de ",
    "vista aerea ",
    "gere uma ",
    "crie uma imagem",
    "faca uma imagem",
    "a photo ",
    "photo of ",
    "an image ",
    "image of ",
    "an illustration ",
    "create an image",
    "generate an image",
];

/// Words that occur only in image descriptions.
const CERTAIN: [&str; 10] = [
    "fotorrealis",
    "photorealis",
    "hiper-realis",
    "hiperrealis",
    "ultra realista",
    "ultrarrealista",
    "bokeh",
    "profundidade de campo",
    "fundo desfocado",
    "lente 50mm",
];

/// Words that also occur in other texts; two of them mark an image description.
const LIKELY: [&str; 20] = [
    "luz natural",
    "luz suave",
    "luz dourada",
    "luz quente",
    "iluminacao",
    "cinematograf",
    "ao fundo",
    "em primeiro plano",
    "primeiro plano",
    "vista de cima",
    "close-up",
    "close up",
    "sobre uma mesa",
    "sobre a mesa",
    "paleta de cores",
    "tons de ",
    "alta resolucao",
    "estilo ",
    "textura",
    "sem texto",
];

/// Whether a prompt describes an image. Quoted text is ignored.
pub fn describes_a_picture(prompt: &str) -> bool {
    let plain: String = prompt
        .trim()
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .collect();
    if plain.starts_with(['“', '"', '«', '#']) {
        return false;
    }
    let likely = LIKELY
        .iter()
        .filter(|words| plain.contains(**words))
        .count();
    let words = plain.split_whitespace().count();
    BEGINNINGS.iter().any(|words| plain.starts_with(words)) && words > 4
        || CERTAIN.iter().any(|words| plain.contains(words))
        || likely > 1 && words > 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_distinguished_from_texts() {
        for prompt in [
            "Foto de uma xícara de café fumegante sobre a mesa de madeira",
            "Uma ilustração de uma família cozinhando junta",
            "Xícara de café fotorrealista",
            "Panela de ferro no fogão a lenha, luz suave da manhã, vista de cima",
            "A photo of a cat on a sofa",
            "Crie uma imagem com um bolo de fubá",
        ] {
            assert!(describes_a_picture(prompt), "{prompt}");
        }
        for text in [
            "Café coado é conversa demorada",
            "Uma fogueira",
            "Uma foto por dia",
            "A luz natural muda o sabor da manhã",
            "“Foto de família é receita que não se perde”",
            "Três erros com alho\n- Queimar\n- Picar cedo demais",
            "Curso de culinária\nDe R$ 497 por R$ 297",
            "O estilo da casa é servir primeiro quem chega por último",
        ] {
            assert!(!describes_a_picture(text), "{text}");
        }
    }
}
