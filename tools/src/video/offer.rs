//! The options that the video provider offers.

use super::Maker;
use domain::{Aspect, Error, Fault};
use gateway::Result;
use ports::VideoOffer;

/// Refuses (400) options that the provider does not offer. The error lists the offered options.
pub(super) fn require_offered(
    maker: &Maker,
    prompt: &str,
    aspect: Aspect,
    seconds: Option<u32>,
) -> Result<()> {
    let VideoOffer {
        aspects,
        seconds: offered,
        prompt_units,
        ..
    } = maker.offer();
    let (mut faults, name) = (vec![], maker.name());
    let mut fault = |field: &str, rule: &str, message: String| {
        faults.push(Fault {
            field: field.into(),
            rule: rule.into(),
            message,
        });
    };
    if prompt.encode_utf16().count() > *prompt_units {
        let message = format!("passa dos {prompt_units} caracteres que `{name}` aceita");
        fault("prompt", "maxLength", message);
    }
    if !aspects.contains(&aspect) {
        let offered: Vec<&str> = aspects.iter().map(|aspect| aspect.as_str()).collect();
        let message = format!("não é oferecido por `{name}`; use {}", offered.join(" ou "));
        fault("aspect", "enum", message);
    }
    if seconds.is_some_and(|seconds| !offered.contains(&seconds)) {
        let offered: Vec<String> = offered.iter().map(ToString::to_string).collect();
        let message = format!("não é oferecido por `{name}`; use {}", offered.join(", "));
        fault("duration_s", "enum", message);
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::from_faults(faults)),
    }
}
