//! Metrics of other parts of the service, read at each scrape.

use std::fmt;

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet},
    metrics::MetricType,
};

/// One metric with its current values.
pub struct Measure {
    /// The full name; for a counter, without the suffix `_total`.
    pub name: &'static str,
    /// A description (in English, like all of `/metrics`).
    pub help: &'static str,
    pub is_counter: bool,
    /// The values, one for each set of labels.
    pub values: Vec<(Vec<(&'static str, String)>, f64)>,
}

impl Measure {
    /// Creates a gauge: a value that goes up and down.
    #[must_use]
    pub fn gauge(name: &'static str, help: &'static str, value: f64) -> Self {
        Self {
            name,
            help,
            is_counter: false,
            values: vec![(vec![], value)],
        }
    }

    /// Creates a counter: a value that only increases while the process runs.
    #[must_use]
    pub fn counter(name: &'static str, help: &'static str, value: f64) -> Self {
        Self {
            is_counter: true,
            ..Self::gauge(name, help, value)
        }
    }

    /// Replaces the value by one value for each set of labels.
    #[must_use]
    pub fn with_labels(self, values: Vec<(Vec<(&'static str, String)>, f64)>) -> Self {
        Self { values, ..self }
    }
}

/// A Prometheus collector that calls a function at each scrape.
pub(super) struct Source<F>(pub F);

impl<F> fmt::Debug for Source<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

impl<F: Fn() -> Vec<Measure> + Send + Sync + 'static> Collector for Source<F> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for measure in (self.0)() {
            let kind = match measure.is_counter {
                true => MetricType::Counter,
                false => MetricType::Gauge,
            };
            let mut metric = encoder.encode_descriptor(measure.name, measure.help, None, kind)?;
            for (labels, value) in &measure.values {
                if labels.is_empty() {
                    encode_value(&mut metric, measure.is_counter, *value)?;
                } else {
                    encode_value(
                        &mut metric.encode_family(labels)?,
                        measure.is_counter,
                        *value,
                    )?;
                }
            }
        }
        Ok(())
    }
}

fn encode_value(
    metric: &mut MetricEncoder<'_>,
    is_counter: bool,
    value: f64,
) -> Result<(), fmt::Error> {
    match is_counter {
        true => metric.encode_counter::<NoLabelSet, _, f64>(&value, None),
        false => metric.encode_gauge(&value),
    }
}
