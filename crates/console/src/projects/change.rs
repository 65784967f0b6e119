//! The page that the forms of a project are sent to.

use gateway::{Code, Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
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
    fields::{self, Field},
    refused, shell,
    view::View,
};

/// A change of a project.
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
        let view = View::of(ctx)?;
        let mut wanted = Wanted::of(self.projeto, &self.fields);
        let mut outcome = ctx.call(APPLY, wanted.input()).await;
        if matches!(&outcome, Err(error) if error.code == Code::IDEMPOTENCY_KEY_REUSED) {
            // The browser went back to a page whose form was sent before with other fields.
            wanted.renew();
            outcome = ctx.call(APPLY, wanted.input()).await;
        }
        let Err(error) = outcome else {
            let back = fields::value(&self.fields, "_volta");
            let back = ReturnPath::of(ctx.services, Some(back));
            let here = path(&wanted.project);
            let within = back
                .as_str()
                .strip_prefix(&here)
                .is_some_and(|rest| rest.starts_with('/'));
            let back = if within { back.as_str() } else { &here };
            return Ok(Reply::new(Content::Redirect(view.at(back))));
        };
        if error.code == Code::STALE_REVISION {
            return changed::conflict(&view, &wanted, &error).await;
        }
        if ctx.origin.head.partial {
            return Ok(refused::beside(&error));
        }
        refusal(&view, &wanted, &error).await
    }
}

/// What is wrong, with what was typed.
async fn refusal(view: &View<'_>, wanted: &Wanted, error: &Error) -> Result<Reply> {
    if error.status() == 404 {
        return Ok(shell::page(
            view,
            "Não foi feito",
            &html! {
                h1 { "Não foi feito" }
                (refused::notice(error))
                p { a href=(view.at("/projetos")) { "Ver os projetos" } }
            },
        )
        .status(error.status()));
    }
    let project = Project::read(view, &wanted.project).await?;
    let body = html! {
        h1 { "Não foi feito" }
        p { (words::asked(&wanted.kind)) }
        (refused::notice(error))
        (Form::new(view, &project, &wanted.kind).draw(&html! {
            (wanted.again())
            div class="row" {
                button type="submit" { "Enviar de novo" }
                a class="button quiet" href=(view.at(&path(&project.id))) { "Voltar ao projeto" }
            }
        }))
    };
    Ok(shell::page(view, "Não foi feito", &body).status(error.status()))
}
