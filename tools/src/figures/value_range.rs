//! The range of values by which a list is filtered.

use schemars::JsonSchema;
use serde::Deserialize;

use gateway::{Error, Result};

/// The range as input fields.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ValueRange {
    /// Menor valor.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    valor_minimo_centavos: Option<i64>,
    /// Maior valor, incluído.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    valor_maximo_centavos: Option<i64>,
}

impl ValueRange {
    /// Returns the minimum and the maximum.
    ///
    /// Refuses (400) a maximum below the minimum, because no value could match.
    pub fn bounds(&self) -> Result<(Option<i64>, Option<i64>)> {
        let (least, most) = (self.valor_minimo_centavos, self.valor_maximo_centavos);
        if least.zip(most).is_some_and(|(least, most)| most < least) {
            let message = "não pode ser menor que `valor_minimo_centavos`";
            return Err(Error::invalid_field(
                "valor_maximo_centavos",
                "range",
                message,
            ));
        }
        Ok((least, most))
    }
}
