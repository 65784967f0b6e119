//! The settings of the export of traces: the standard variables of OpenTelemetry.
//!
//! <https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/>. A value that the
//! service does not support is an error; otherwise an operator would wait for traces that never arrive.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use gateway::traces::Sampler;
use percent_encoding::percent_decode_str;
use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};

use super::Sources;

/// The receiver of traces, and the choice of the traces to send.
#[derive(Clone)]
pub struct TraceExport {
    /// The address to which traces are posted.
    pub url: Url,
    /// The headers of each request, with the credential of the receiver.
    pub headers: HeaderMap,
    pub timeout: Duration,
    /// The attributes of this service.
    pub resource: Vec<(String, String)>,
    pub sampler: Sampler,
    /// True if the service continues the trace in a caller's `traceparent`, and sends `traceparent` to
    /// providers.
    pub propagates: bool,
    /// Maximum number of spans in the queue.
    pub queue: usize,
    /// Maximum number of spans in a request.
    pub batch: usize,
    /// The longest time that a span waits for its batch to become full.
    pub delay: Duration,
}

impl std::fmt::Debug for TraceExport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceExport")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl TraceExport {
    /// Reads the settings; `None` if no address is set or the export is turned off.
    pub(super) fn read(sources: &Sources) -> Result<Option<Self>> {
        let get = |name| sources.get(name).filter(|text| !text.trim().is_empty());
        if get("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        match get("OTEL_TRACES_EXPORTER") {
            None | Some("otlp") => {}
            Some("none") => return Ok(None),
            Some(_) => bail!("OTEL_TRACES_EXPORTER deve ser `otlp` ou `none`"),
        }
        let Some(url) = read_url(&get)? else {
            return Ok(None);
        };
        let of_traces = |traces, all| get(traces).or_else(|| get(all));
        let protocol = of_traces(
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
            "OTEL_EXPORTER_OTLP_PROTOCOL",
        );
        ensure!(
            protocol.is_none_or(|protocol| protocol == "http/protobuf"),
            "OTEL_EXPORTER_OTLP_PROTOCOL deve ser `http/protobuf`, o único protocolo que este serviço fala"
        );
        let headers = of_traces(
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
            "OTEL_EXPORTER_OTLP_HEADERS",
        );
        let timeout = match get("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT") {
            Some(_) => "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
            None => "OTEL_EXPORTER_OTLP_TIMEOUT",
        };
        let number = |name, usual, range| parse_number(name, get(name), usual, range);
        let queue = number("OTEL_BSP_MAX_QUEUE_SIZE", 2048, 1..=65_536)?;
        let batch = number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, 1..=8192)?;
        Ok(Some(Self {
            url,
            headers: parse_headers(headers.unwrap_or_default())?,
            timeout: Duration::from_millis(number(timeout, 10_000, 1..=60_000)?),
            resource: read_resource(&get)?,
            sampler: parse_sampler(get("OTEL_TRACES_SAMPLER"), get("OTEL_TRACES_SAMPLER_ARG"))?,
            propagates: parse_propagators(get("OTEL_PROPAGATORS"))?,
            queue: queue as usize,
            batch: batch.min(queue) as usize,
            delay: Duration::from_millis(number("OTEL_BSP_SCHEDULE_DELAY", 5000, 1..=60_000)?),
        }))
    }
}

/// Reads the address to which traces are posted: the address for traces, or the common address of all
/// signals with the path `/v1/traces`.
fn read_url<'s>(get: &impl Fn(&'static str) -> Option<&'s str>) -> Result<Option<Url>> {
    let own = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    let common = "OTEL_EXPORTER_OTLP_ENDPOINT";
    let (name, url) = match (get(own), get(common)) {
        (Some(url), _) => (own, url.to_owned()),
        (None, Some(url)) => (common, format!("{}/v1/traces", url.trim_end_matches('/'))),
        (None, None) => return Ok(None),
    };
    let url = Url::parse(&url).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty()
    });
    let url = url.with_context(|| {
        format!("{name} deve ser um endereço http:// ou https:// sem usuário, como http://127.0.0.1:4318")
    })?;
    Ok(Some(url))
}

fn parse_number(
    name: &str,
    text: Option<&str>,
    usual: u64,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64> {
    let Some(text) = text else { return Ok(usual) };
    let number = text.trim().parse().ok();
    number
        .filter(|number| range.contains(number))
        .with_context(|| {
            let (least, most) = (range.start(), range.end());
            format!("{name} deve ser um número de {least} a {most}")
        })
}

/// Splits `name=value,…` with percent-encoded values, as W3C Baggage.
fn parse_pairs(name: &str, text: &str) -> Result<Vec<(String, String)>> {
    let pairs = text.split(',').filter(|pair| !pair.trim().is_empty());
    pairs
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or_default();
            let value = percent_decode_str(value.trim()).decode_utf8().ok();
            let value = value.filter(|_| !key.trim().is_empty());
            let value =
                value.with_context(|| format!("{name} deve ser uma lista `nome=valor,…`"))?;
            Ok((key.trim().to_owned(), value.into_owned()))
        })
        .collect()
}

fn parse_headers(text: &str) -> Result<HeaderMap> {
    let name = "OTEL_EXPORTER_OTLP_HEADERS";
    let mut headers = HeaderMap::new();
    for (key, value) in parse_pairs(name, text)? {
        let parsed = HeaderName::try_from(key)
            .ok()
            .zip(HeaderValue::try_from(value).ok());
        let (key, mut value) = parsed
            .with_context(|| format!("{name} deve ser uma lista `nome=valor,…` de cabeçalhos"))?;
        value.set_sensitive(true);
        headers.append(key, value);
    }
    Ok(headers)
}

/// Reads the name and version of the service, and the configured attributes.
fn read_resource<'s>(
    get: &impl Fn(&'static str) -> Option<&'s str>,
) -> Result<Vec<(String, String)>> {
    let given = get("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
    let mut resource = parse_pairs("OTEL_RESOURCE_ATTRIBUTES", given)?;
    if let Some(name) = get("OTEL_SERVICE_NAME") {
        resource.retain(|(key, _)| key != "service.name");
        resource.push(("service.name".to_owned(), name.to_owned()));
    }
    for (key, usual) in [
        ("service.name", "pauta"),
        ("service.version", env!("CARGO_PKG_VERSION")),
    ] {
        if !resource.iter().any(|(given, _)| given == key) {
            resource.push((key.to_owned(), usual.to_owned()));
        }
    }
    Ok(resource)
}

fn parse_sampler(name: Option<&str>, argument: Option<&str>) -> Result<Sampler> {
    let name = name.unwrap_or("parentbased_always_on");
    let (root, follows_parent) = match name.strip_prefix("parentbased_") {
        Some(root) => (root, true),
        None => (name, false),
    };
    let ratio = match root {
        "always_on" => 1.0,
        "always_off" => 0.0,
        "traceidratio" => {
            let ratio = argument.map_or(Some(1.0), |text| text.trim().parse().ok());
            ratio
                .filter(|ratio| (0.0..=1.0).contains(ratio))
                .context("OTEL_TRACES_SAMPLER_ARG deve ser um número de 0 a 1")?
        }
        _ => bail!(
            "OTEL_TRACES_SAMPLER deve ser always_on, always_off ou traceidratio, também com parentbased_ antes"
        ),
    };
    Ok(Sampler {
        ratio,
        follows_parent,
    })
}

/// Whether `traceparent` is among the propagators.
fn parse_propagators(text: Option<&str>) -> Result<bool> {
    let Some(text) = text else { return Ok(true) };
    let mut propagates = false;
    for name in text.split(',').map(str::trim) {
        match name {
            "tracecontext" => propagates = true,
            // The service does not read or forward baggage, because its text comes from a caller.
            "baggage" | "none" => {}
            _ => bail!("OTEL_PROPAGATORS deve ser `tracecontext` ou `none`"),
        }
    }
    Ok(propagates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: &[(&'static str, &str)]) -> Result<Option<TraceExport>> {
        let pairs = settings
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        TraceExport::read(&Sources::from_pairs(pairs))
    }

    const AT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318/");

    #[test]
    fn the_standard_variables_are_read() {
        let export = read(&[
            AT,
            (
                "OTEL_EXPORTER_OTLP_HEADERS",
                "authorization=Bearer%20abc, x-team = redacao",
            ),
            ("OTEL_SERVICE_NAME", "redacao"),
            (
                "OTEL_RESOURCE_ATTRIBUTES",
                "deployment.environment.name=prod,service.name=outro",
            ),
            ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "0.25"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "64"),
        ]);
        let export = export.expect("valid").expect("an export");
        assert_eq!(export.url.as_str(), "http://127.0.0.1:4318/v1/traces");
        assert_eq!(export.headers["authorization"], "Bearer abc");
        assert_eq!(export.headers["x-team"], "redacao");
        let sampler = Sampler {
            ratio: 0.25,
            follows_parent: true,
        };
        assert_eq!(export.sampler, sampler);
        assert_eq!((export.queue, export.batch), (64, 64));
        let attribute = |name: &str| {
            let mut found = export.resource.iter().filter(|(key, _)| key == name);
            let value = found.next().map(|(_, value)| value.as_str());
            assert!(found.next().is_none(), "{name}");
            value
        };
        assert_eq!(attribute("service.name"), Some("redacao"));
        assert_eq!(attribute("deployment.environment.name"), Some("prod"));
        assert_eq!(
            attribute("service.version"),
            Some(env!("CARGO_PKG_VERSION"))
        );
        assert!(!format!("{export:?}").contains("abc"));
        let own = (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "https://coletor.example/x",
        );
        let export = read(&[AT, own]).expect("valid").expect("an export");
        assert_eq!(export.url.as_str(), own.1);
        assert_eq!(export.sampler.ratio, 1.0);
        assert!(export.propagates);
    }

    #[test]
    fn without_an_address_nothing_is_exported() {
        assert!(read(&[]).expect("valid").is_none());
        assert!(
            read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")])
                .expect("valid")
                .is_none()
        );
        assert!(
            read(&[AT, ("OTEL_SDK_DISABLED", "true")])
                .expect("valid")
                .is_none()
        );
        assert!(
            read(&[AT, ("OTEL_TRACES_EXPORTER", "none")])
                .expect("valid")
                .is_none()
        );
    }

    #[test]
    fn an_unsupported_value_is_refused_with_the_name_of_the_variable() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://ana:senha@127.0.0.1"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0ac"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"),
            ("OTEL_TRACES_EXPORTER", "zipkin"),
            ("OTEL_TRACES_SAMPLER", "xray"),
            ("OTEL_PROPAGATORS", "b3"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "muitos"),
        ] {
            let error = read(&[AT, (name, value)]).expect_err(name).to_string();
            assert!(error.starts_with(name), "{error}");
            assert!(!error.contains("senha"), "{error}");
        }
        let ratio = ("OTEL_TRACES_SAMPLER", "traceidratio");
        assert!(read(&[AT, ratio, ("OTEL_TRACES_SAMPLER_ARG", "2")]).is_err());
    }
}
