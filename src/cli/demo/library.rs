//! The e-mail drafts and skills of the demo team.

use anyhow::Result;
use domain::time::{DAY, Millis};
use gateway::Principal;
use serde_json::{Value, json};

use super::seed::{Seeder, TEAM};

/// An e-mail draft with its author and date.
struct Letter {
    days_ago: i64,
    /// The author, as an index in the team.
    author: usize,
    template_id: &'static str,
    html: &'static str,
    subject: &'static str,
    preheader: &'static str,
}

impl Letter {
    fn draft_metadata(&self) -> Value {
        json!({ "assunto": self.subject, "previa": self.preheader, "lista": "assinantes" })
    }
}

const LETTERS: [Letter; 3] = [
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

/// The age in days, name, description and content of each published skill version.
const SKILLS: [(i64, &str, &str, &str); 3] = [
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

impl Seeder<'_> {
    /// Saves the drafts and publishes the skills.
    pub(super) async fn fill_library(&self, helena: &Principal, today: Millis) -> Result<()> {
        for letter in LETTERS {
            self.clock.set(today - letter.days_ago * DAY);
            let author = self.find_member(TEAM[letter.author].1).await?;
            let input = json!({
                "templateId": letter.template_id, "html": letter.html,
                "metadata": letter.draft_metadata(), "expected_updated_at": null,
            });
            self.call_operation(&author, "put_email_draft", input)
                .await?;
        }
        for (days, name, description, content) in SKILLS {
            self.clock.set(today - days * DAY);
            let input = json!({ "name": name, "description": description, "content": content });
            self.call_operation(helena, "publish_skill_version", input)
                .await?;
        }
        Ok(())
    }
}
