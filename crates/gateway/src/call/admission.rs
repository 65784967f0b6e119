//! Reads the input of a call (fields, a received file or a verified delivery) and validates it
//! against the schema.
//!
//! REST merges path, query, header and body into one object. The arguments of an MCP tool are that
//! object. For an operation, both are the same.

use std::borrow::Cow;

use domain::{MemberId, is_id};
use serde_json::Value;

use super::{Admitted, Call};
use crate::{
    CallInput, Code, Error, Input, InputForm, Keys, Principal, Registered, Result, StoredFile,
    idempotency::Keyed, input, offload,
};

impl Call<'_> {
    pub(super) async fn read_input(
        &self,
        input: impl Future<Output = Result<impl Into<CallInput>>> + Send,
    ) -> Result<Admitted> {
        let spec = &self.operation.spec;
        let input = self.convert_input(input.await?.into()).await?;
        let owner = self.caller.map(Principal::key_owner);
        let (about, admitted) = if input::is_large(input.values()) {
            let (gateway, name) = (self.gateway.clone(), spec.name);
            offload(move || {
                let operation = gateway.registry.find(name);
                let operation = operation.expect("the registry has the operation");
                validate_input(operation, owner.as_ref(), &gateway.services.keys, input)
            })
            .await?
        } else {
            let keys = &self.gateway.services.keys;
            validate_input(self.operation, owner.as_ref(), keys, input)
        };
        if let Some(about) = about {
            let _ = self.about.set(about);
        }
        admitted
    }

    /// Converts the input to one JSON object. A file becomes the value of its field, and a delivery
    /// becomes its verified fields.
    ///
    /// Refuses (415) any form other than the form in the spec. So no caller can write values that
    /// only the service may set.
    async fn convert_input(&self, sent: CallInput) -> Result<Input> {
        let services = &self.gateway.services;
        match (self.operation.spec.input, sent) {
            (
                InputForm::Multipart(field) | InputForm::File(field),
                CallInput::Upload { fields, file },
            ) => {
                let file = match file {
                    Some(file) => {
                        let received = (field.receive)(file, services).await?;
                        let _ = self.held.set(received.held);
                        Some(StoredFile {
                            value: received.value,
                            content: received.content,
                        })
                    }
                    None => None,
                };
                self.with_file(fields, field.name, file)
            }
            (InputForm::Multipart(field), CallInput::Forwarded { fields, file }) => {
                self.with_file(fields, field.name, Some(file))
            }
            (InputForm::Signed(check), CallInput::Delivery(delivery)) => {
                check(delivery, services).await
            }
            (
                InputForm::Json | InputForm::UrlEncoded | InputForm::Ignored | InputForm::Fields,
                CallInput::Fields(fields),
            ) => Ok(fields),
            (form, _) => Err(wrong_form_error(form)),
        }
    }

    /// Adds the file to the fields of a multipart form. A text field must not have the name of the
    /// file field.
    fn with_file(&self, mut fields: Input, name: &str, file: Option<StoredFile>) -> Result<Input> {
        if fields.contains_key(name) {
            return Err(Error::invalid_field(name, "type", "deve ser um arquivo"));
        }
        if let Some(file) = file {
            fields.insert(name.to_owned(), file.value.clone());
            let _ = self.file.set(file);
        }
        Ok(fields)
    }
}

/// Validates the input and removes the idempotency key from it. Also returns the id of the resource
/// that the call is about.
fn validate_input(
    operation: &Registered,
    owner: Option<&MemberId>,
    keys: &Keys,
    input: Input,
) -> (Option<String>, Result<Admitted>) {
    let spec = &operation.spec;
    let mut input = Value::Object(input);
    input::convert_whole_floats(&mut input);
    let (validator, schema) = (operation.validator(), operation.input_schema());
    if let Err(refused) = input::validate(validator, schema, &input, spec) {
        return (None, Err(refused));
    }
    let Value::Object(mut input) = input else {
        unreachable!("the input was built as an object")
    };
    let about = spec
        .resource
        .and_then(|(_, field)| input.get(field?)?.as_str())
        .map(|id| to_stored_id(id).chars().take(64).collect());
    let admitted = Keyed::take_from_input(spec, owner, &mut input, keys).map(|keyed| Admitted {
        input: Value::Object(input),
        keyed,
    });
    (about, admitted)
}

/// Converts an id to the spelling that the service stores. Callers may write ids in upper case.
pub(super) fn to_stored_id(sent: &str) -> Cow<'_, str> {
    match is_id(sent) {
        true => sent.to_ascii_lowercase().into(),
        false => sent.into(),
    }
}

/// Creates the error (415) for an input whose form differs from the form in the spec.
fn wrong_form_error(form: InputForm) -> Error {
    let next = match form {
        InputForm::Multipart(file) => format!(
            "Envie `multipart/form-data` com o campo `{}` ao endereço da operação.",
            file.name
        ),
        InputForm::File(_) => "Envie os bytes do arquivo, sem formulário.".into(),
        InputForm::Signed(_) => {
            "Só uma entrega assinada, no endereço da operação, é aceita.".into()
        }
        InputForm::Json | InputForm::UrlEncoded | InputForm::Ignored | InputForm::Fields => {
            "Envie os campos da operação, sem arquivo.".into()
        }
    };
    Error::new(Code::UNSUPPORTED_MEDIA_TYPE).with_detail("next", next.into())
}
