//! Receives the forms of a project.

use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use identity::ReturnPath;
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    changed,
    forms::{Form, Wanted},
    model::{APPLY, Project, path},
    words,
};
use crate::{
    area::receiver,
    forms::{
        Field, KEY_FIELD, add_error, beside_form, field_value, is_stale, notice, refuse, with_key,
    },
    shell,
    view::View,
};

/// The form of a change.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Change {
    projeto: String,
    /// Os campos do formulário, na ordem em que vieram.
    #[serde(default)]
    fields: Vec<Field>,
}

const ROUTE: Spec = receiver(
    "console_project_change",
    "Mudar um projeto",
    "/projetos/{projeto}/mudar",
)
.takes(InputForm::Fields)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413]);

pub(crate) const CHANGE: Entry = Entry::page::<Change>(
    ROUTE,
    "Aplica uma operação a um projeto, a partir de um formulário.",
);

impl Page for Change {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let wanted = Wanted::of(self.projeto, &self.fields);
        let form_key = field_value(&self.fields, KEY_FIELD);
        let input = with_key(wanted.input(), Some(form_key)).await?;
        let Err(error) = ctx.call(APPLY, input).await else {
            let back = field_value(&self.fields, "_volta");
            let back = ReturnPath::of(ctx.services, Some(back));
            let here = path(&wanted.project);
            let within = back
                .as_str()
                .strip_prefix(&here)
                .is_some_and(|rest| rest.starts_with('/'));
            let back = if within { back.as_str() } else { &here };
            return Ok(Reply::new(Content::Redirect(view.at(back))));
        };
        if is_stale(&error) {
            return changed::conflict(&view, &wanted, &error).await;
        }
        if ctx.origin.head.partial {
            return Ok(beside_form(&error));
        }
        refusal(&view, &wanted, &error).await
    }
}

/// Shows a refusal, with the form.
async fn refusal(view: &View<'_>, wanted: &Wanted, error: &Error) -> Result<Reply> {
    if error.status() == 404 {
        let back = html! { p { a href=(view.at("/projetos")) { "Ver os projetos" } } };
        return Ok(refuse(view, "Não foi feito", error, &back));
    }
    let project = Project::read(view, &wanted.project).await?;
    let body = html! {
        h1 { "Não foi feito" }
        p { (words::asked(&wanted.kind)) }
        (notice(error))
        (Form::new(view, &project, &wanted.kind).draw(&html! {
            (wanted.again())
            div class="row" {
                button type="submit" { "Enviar de novo" }
                a class="button quiet" href=(view.at(&path(&project.id))) { "Voltar ao projeto" }
            }
        }))
    };
    Ok(add_error(shell::page(view, "Não foi feito", &body), error))
}
