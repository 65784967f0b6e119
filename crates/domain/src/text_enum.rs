//! Enums that are represented as text in the API and in the database.

/// The error for a text that is not a variant of the enum.
#[derive(Debug, thiserror::Error)]
#[error("unknown text for {0}")]
pub struct UnknownText(pub &'static str);

/// Defines an enum with one text per variant, used in JSON, the JSON Schema and the database.
///
/// Doc comments are not published: comments on variants would turn `enum` into `oneOf` in the
/// schema. The published text is the Portuguese description of the field.
#[macro_export]
macro_rules! text_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[schemars(inline, transform = $crate::without_comment)]
        pub enum $name {
            $(#[serde(rename = $text)] $variant),+
        }

        impl $name {
            /// All variants, in order.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// Returns the text in the API and in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownText;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|variant| variant.as_str() == text)
                    .ok_or($crate::UnknownText(stringify!($name)))
            }
        }
    };
}
/// Removes the English doc comment from the published schema.
pub fn without_comment(schema: &mut schemars::Schema) {
    schema.remove("description");
}
