//! Receives the forms of a project.

use gateway::{Content, Context, Entry, Error, InputForm, Page, Reply, Result, Spec};
use identity::ReturnPath;
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    changed,
    forms::{Form, Wanted},
    model::{APPLY, Project, project_path},
    words,
};
use crate::{
    area::receiver_spec,
    forms::{
        Field, KEY_FIELD, error_notice, field_value, is_stale, notice_reply, refuse_form,
        with_error_status, with_key,
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

const ROUTE: Spec = receiver_spec(
    "console_project_change",
    "Mudar um projeto",
    "/projetos/{projeto}/mudar",
)
.takes(InputForm::Fields)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413]);

pub(crate) const CHANGE: Entry = Entry::for_page::<Change>(
    ROUTE,
    "Aplica uma operação a um projeto, a partir de um formulário.",
);

impl Page for Change {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let wanted = Wanted::from_fields(self.projeto, &self.fields);
        let form_key = field_value(&self.fields, KEY_FIELD);
        let input = with_key(wanted.to_input(), Some(form_key)).await?;
        let Err(error) = ctx.call(APPLY, input).await else {
            let back = field_value(&self.fields, "_volta");
            let back = ReturnPath::from_text(ctx.services, Some(back));
            let here = project_path(&wanted.project);
            let within = back
                .as_str()
                .strip_prefix(&here)
                .is_some_and(|rest| rest.starts_with('/'));
            let back = if within { back.as_str() } else { &here };
            return Ok(Reply::new(Content::Redirect(view.href_to(back))));
        };
        if is_stale(&error) {
            return changed::conflict_reply(&view, &wanted, &error).await;
        }
        if ctx.origin.head.partial {
            return Ok(notice_reply(&error));
        }
        refusal_reply(&view, &wanted, &error).await
    }
}

/// Shows a refusal, with the form.
async fn refusal_reply(view: &View<'_>, wanted: &Wanted, error: &Error) -> Result<Reply> {
    if error.status() == 404 {
        let back = html! { p { a href=(view.href_to("/projetos")) { "Ver os projetos" } } };
        return Ok(refuse_form(view, "Não foi feito", error, &back));
    }
    let project = Project::read(view, &wanted.project).await?;
    let body = html! {
        h1 { "Não foi feito" }
        p { (words::operation_request(&wanted.kind)) }
        (error_notice(error))
        (Form::new(view, &project, &wanted.kind).draw(&html! {
            (wanted.draw_returned_fields())
            div class="row" {
                button type="submit" { "Enviar de novo" }
                a class="button quiet" href=(view.href_to(&project_path(&project.id))) { "Voltar ao projeto" }
            }
        }))
    };
    Ok(with_error_status(
        shell::console_page(view, "Não foi feito", &body),
        error,
    ))
}
