//! Publishes versions of skills.

use gateway::{Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::skills::{Skill, find_skill};
use crate::{
    area::{page_spec, receiver_spec},
    forms::{
        Conflict, form_or_hint, is_stale, keyed_input, page_form, redirect_after, refuse_form,
        unix_lines,
    },
    shell, text,
    view::View,
};

/// The page with the form of a new skill.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewSkill {}

/// The page with the form of a skill.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EditSkill {
    nome: String,
}

/// The form of a skill.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PublishSkill {
    nome: Option<String>,
    descricao: Option<String>,
    conteudo: Option<String>,
    /// A versão que foi lida.
    versao: Option<i64>,
    /// A chave de idempotência deste envio.
    pedido: Option<String>,
}

const NEW: Spec = page_spec("console_new_skill", "Nova skill", "/nova-skill").fails(&[403]);
const EDIT: Spec = page_spec(
    "console_edit_skill",
    "Editar skill",
    "/skills/{nome}/editar",
)
.fails(&[400, 403, 404]);
const PUBLISH: Spec = receiver_spec("console_publish_skill", "Publicar skill", "/skills")
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[400, 403, 409, 413])
    .body_limit(3_000_000);

pub(crate) const NEW_SKILL: Entry =
    Entry::for_page::<NewSkill>(NEW, "O formulário de uma skill nova.");
pub(crate) const EDIT_SKILL: Entry =
    Entry::for_page::<EditSkill>(EDIT, "O formulário de uma versão nova de uma skill.");
pub(crate) const PUBLISH_SKILL: Entry = Entry::for_page::<PublishSkill>(
    PUBLISH,
    "Publica uma versão de uma skill; mostra as duas se outra foi publicada antes.",
);

const OPERATION: &str = "publish_skill_version";

/// The fields of a skill in its form.
struct Draft<'a> {
    name: &'a str,
    description: &'a str,
    content: &'a str,
    /// The version that this draft replaces; 0 for a new skill.
    version: i64,
}

impl Page for NewSkill {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let draft = Draft {
            name: "",
            description: "",
            content: "",
            version: 0,
        };
        let body = html! {
            h1 { "Nova skill" }
            (skill_form(&view, &draft, "Publicar"))
        };
        Ok(shell::reading_page(&view, "Nova skill", &body))
    }
}

impl Page for EditSkill {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let skill_page = find_skill(&view, &self.nome, None, None).await?;
        let (skill, _) = skill_page.ok_or_else(|| Error::not_found("skill"))?;
        let draft = Draft {
            name: &skill.name,
            description: &skill.description,
            content: &skill.content,
            version: skill.version,
        };
        let title = format!("Editar {}", skill.name);
        let body = html! {
            h1 { (title) }
            p class="soft" { "Sai da versão " (skill.version) ". As anteriores ficam no histórico." }
            (skill_form(&view, &draft, &format!("Publicar a versão {}", skill.version + 1)))
        };
        Ok(shell::reading_page(&view, &title, &body))
    }
}

fn skill_form(view: &View<'_>, draft: &Draft<'_>, label: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="versao" value=(draft.version);
        @if draft.version == 0 {
            label class="field" {
                span { "Nome" }
                input name="nome" value=(draft.name) required maxlength="64" pattern="[a-z0-9\\-]+" autocomplete="off";
                small { "Letras minúsculas, números e hífens, como tom-de-voz." }
            }
        } @else {
            input type="hidden" name="nome" value=(draft.name);
        }
        label class="field" {
            span { "O que ela faz e quando usar" }
            textarea name="descricao" id=(format!("descricao-{}-{}", draft.name, draft.version))
                rows="3" maxlength="1024" required dir="auto" { (draft.description) }
        }
        label class="field" {
            span { "Texto (Markdown)" }
            textarea name="conteudo" id=(format!("conteudo-{}-{}", draft.name, draft.version))
                rows="24" class="mono" required dir="auto" { "\n" (draft.content) }
        }
        div class="row" {
            button type="submit" { (label) }
            @if draft.version > 0 {
                a href=(view.href_to(&format!("/skills/{}", draft.name))) { "Cancelar" }
            }
        }
    };
    page_form(view, "/skills", &fields)
}

/// Draws the form that publishes an earlier version again.
pub(super) fn restore_form(view: &View<'_>, version: &Skill, current: i64) -> Markup {
    let fields = html! {
        input type="hidden" name="nome" value=(version.name);
        input type="hidden" name="versao" value=(current);
        input type="hidden" name="descricao" value=(version.description);
        textarea name="conteudo" hidden aria-label="Texto" { "\n" (version.content) }
        button type="submit" { "Restaurar a versão " (version.version) " como versão " (current + 1) }
    };
    page_form(view, "/skills", &fields)
}

impl Draft<'_> {
    fn long_texts(&self) -> [&str; 2] {
        [self.description, self.content]
    }
}

impl Page for PublishSkill {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let name = self.nome.unwrap_or_default();
        let description = unix_lines(&self.descricao.unwrap_or_default());
        let content = unix_lines(&self.conteudo.unwrap_or_default());
        let version = self.versao.unwrap_or(0);
        let fields = json!({
            "name": name, "description": description, "content": content,
            "expected_version": version,
        });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        let draft = Draft {
            name: &name,
            description: &description,
            content: &content,
            version,
        };
        match ctx.call(OPERATION, input).await {
            Ok(_) => Ok(redirect_after(&view, &format!("/skills/{name}"), OPERATION)),
            Err(error) if is_stale(&error) => {
                let skill_page = find_skill(&view, &name, None, None).await?;
                let (stored, _) = skill_page.ok_or(error)?;
                conflict_reply(&view, &draft, &stored).await
            }
            Err(error) => {
                let editor =
                    form_or_hint(draft.long_texts(), || skill_form(&view, &draft, "Publicar"));
                Ok(refuse_form(
                    &view,
                    "A skill não foi publicada",
                    &error,
                    &editor,
                ))
            }
        }
    }
}

async fn conflict_reply(view: &View<'_>, draft: &Draft<'_>, stored: &Skill) -> Result<Reply> {
    let mine = Draft {
        version: stored.version,
        ..*draft
    };
    let by = html! {
        @if let Some(name) = &stored.updated_by_name { (name) " publicou a versão " }
        @else { "A versão publicada agora é a " }
        (stored.version) " (" (text::time_tag(&stored.updated_at)) ")."
    };
    Conflict {
        what: "a skill",
        by,
        stored: &stored.content,
        mine: draft.content,
        again: form_or_hint(mine.long_texts(), || {
            let label = format!("Publicar a minha como versão {}", stored.version + 1);
            skill_form(view, &mine, &label)
        }),
        keep: format!("/skills/{}", stored.name),
    }
    .choice_page(view)
    .await
}
