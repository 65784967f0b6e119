//! The team's e-mail drafts and skills, as their authors wrote them over the month.

use serde_json::{Value, json};

/// An e-mail draft, and who wrote it when.
pub(super) struct Letter {
    pub days_ago: i64,
    /// The author's place in the team.
    pub author: usize,
    pub template_id: &'static str,
    pub html: &'static str,
    pub subject: &'static str,
    pub preheader: &'static str,
}

impl Letter {
    pub fn metadata(&self) -> Value {
        json!({ "assunto": self.subject, "previa": self.preheader, "lista": "assinantes" })
    }
}

pub(super) const LETTERS: [Letter; 3] = [
    Letter {
        days_ago: 20,
        author: 1,
        template_id: "boas-vindas",
        html: include_str!("library/boas-vindas.html"),
        subject: "Que bom ter você aqui",
        preheader: "Três textos para começar.",
    },
    Letter {
        days_ago: 6,
        author: 2,
        template_id: "convite:aula-aberta",
        html: include_str!("library/convite-aula.html"),
        subject: "Terça, 19h30: pão sem complicação",
        preheader: "Aula aberta e gratuita com a Bruna.",
    },
    Letter {
        days_ago: 2,
        author: 1,
        template_id: "newsletter.feira.34",
        html: include_str!("library/newsletter-feira.html"),
        subject: "O que está bonito na feira",
        preheader: "Abóbora, milho verde e três receitas.",
    },
];

/// A published version: days ago, name, description, content.
pub(super) const SKILLS: [(i64, &str, &str, &str); 3] = [
    (
        33,
        "legenda-instagram",
        "Escreve legendas para o Instagram no tom da casa.",
        "# Legenda para o Instagram\n\nPrimeira linha forte, três parágrafos curtos, uma pergunta no fim.\n",
    ),
    (
        15,
        "legenda-instagram",
        "Escreve e revisa legendas para o Instagram no tom da casa. Use em eventos do canal instagram.",
        include_str!("library/legenda-instagram.md"),
    ),
    (
        4,
        "revisao-newsletter",
        "Confere uma newsletter antes do envio: marcadores, saída, imagens e texto. Use antes de dar um e-mail por pronto.",
        include_str!("library/revisao-newsletter.md"),
    ),
];
