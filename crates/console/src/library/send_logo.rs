//! Receives the logo that the form of the brand sends.

use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    brand,
    brand_logo::{OPERATION, PATH},
};
use crate::{
    area::receiver_spec,
    files::{Upload, call_with_file, file_field},
    forms::{redirect_after, refuse_form},
    links::percent_encode,
    view::View,
};

/// The form of a logo.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SendLogo {
    pedido: Option<String>,
    /// O arquivo.
    #[expect(
        dead_code,
        reason = "the schema requires it; the page passes on what was received"
    )]
    file: Map<String, Value>,
}

impl Upload for SendLogo {
    const OPERATION: &'static str = OPERATION;
    const LONGEST: u64 = 500_000_000;
}

const ROUTE: Spec = receiver_spec("console_brand_logo", "Enviar uma logo", PATH)
    .takes(InputForm::Multipart(file_field::<SendLogo>()))
    .partial(&[303])
    .fails(&[400, 403, 409, 413, 415]);

pub(crate) const SEND_LOGO: Entry = Entry::for_page::<SendLogo>(
    ROUTE,
    "Recebe uma imagem, e volta ao formulário da marca com ela escolhida como logo.",
);

impl Page for SendLogo {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(brand::OPERATION)?;
        match call_with_file(&view, OPERATION, self.pedido.as_deref(), json!({})).await {
            Ok(answer) => {
                let id = percent_encode(answer["id"].as_str().unwrap_or_default());
                let to = format!("{}?logo={id}", brand::PATH);
                Ok(redirect_after(&view, &to, OPERATION))
            }
            Err(error) => {
                let back = html! { p { a href=(view.href_to(brand::PATH)) { "Voltar à marca" } } };
                Ok(refuse_form(&view, "A logo não foi enviada", &error, &back))
            }
        }
    }
}
