//! Parts, which hold the state of areas between calls: every part in use is declared, and every
//! declared part exists.

use std::collections::BTreeSet;

use gateway::{Gateway, Parts};
use tools::AREAS;

use super::{edges::sources_under, repository_path};
use crate::support::TestApp;

#[tokio::test]
async fn a_service_without_a_part_does_not_start_and_says_which() {
    let app = TestApp::new().await;
    let gateway = app.into_gateway();
    let Gateway {
        registry,
        mut services,
        authenticator,
        ..
    } = gateway;
    services.parts = Parts::default();
    let refused = Gateway::new(registry, services, authenticator).err();
    let text = refused.expect("the service lacks a part").to_string();
    assert_eq!(
        text,
        "falta a parte `TestWrite`, de que a área `system` precisa"
    );
}

#[test]
fn every_part_that_is_used_is_required_by_an_area() {
    let areas = AREAS.iter().copied().chain([&console::AREA]);
    let required: BTreeSet<&str> = areas
        .flat_map(|area| area.parts)
        .map(|part| part.name)
        .collect();
    let mut used = BTreeSet::new();
    for folder in [
        "tools/src",
        "crates/identity/src",
        "crates/console/src",
        "src",
    ] {
        for (_, text) in sources_under(&repository_path(folder)) {
            let text: String = text.split_whitespace().collect();
            let calls = text.split(".parts.get::<").skip(1);
            used.extend(calls.filter_map(|call| Some(call.split_once('>')?.0.to_owned())));
        }
    }
    let used: BTreeSet<&str> = used.iter().map(String::as_str).collect();
    assert_eq!(used, required);
}
