//! Detects a provider whose sequence of pages never ends.

use std::collections::BTreeSet;

use domain::{Code, sha256_hex};
use gateway::{Error, Result};
use ports::Pulled;

/// The maximum number of pages of one span. A page has some hundred rows.
const MOST: usize = 5_000;

/// The pages that were read of one span: the names of all next pages, and the hash of the last content.
#[derive(Default)]
pub(super) struct Pages {
    named: BTreeSet<String>,
    last: Option<String>,
}

impl Pages {
    /// Returns the name of the next page; `None` after the last page.
    ///
    /// Fails with `PROVIDER_FAILED` when the provider names an earlier page again, repeats the content
    /// of a page, or returns too many pages.
    pub fn next_page(&mut self, page: &Pulled) -> Result<Option<String>> {
        let Some(next) = page.next.clone() else {
            return Ok(None);
        };
        let content = sha256_hex(format!("{:?}", page.records).as_bytes());
        // A span without sales may have several empty pages.
        let repeats =
            !page.records.is_empty() && self.last.replace(content.clone()) == Some(content);
        let is_new = self.named.insert(next.clone());
        if repeats || !is_new || self.named.len() > MOST {
            let error = Error::new(Code::PROVIDER_FAILED);
            return Err(error.because("As páginas do provedor se repetem ou não terminam."));
        }
        Ok(Some(next))
    }
}

#[cfg(test)]
mod tests {
    use domain::{sales::AdSpend, time::LocalDay};
    use ports::Record;

    use super::*;

    fn build_page(records: &[Record], next: &str) -> Pulled {
        Pulled {
            records: records.to_vec(),
            next: Some(next.to_owned()),
        }
    }

    fn ad_spend_record() -> Record {
        Record::Spend(AdSpend {
            platform: "meta".into(),
            campaign_id: "1".into(),
            day: LocalDay::MAX.0,
            campaign: "Uma".into(),
            spend_cents: 1,
            impressions: 1,
            clicks: 1,
            currency: "BRL".into(),
        })
    }

    #[test]
    fn pages_that_repeat_are_refused() {
        let mut pages = Pages::default();
        assert!(matches!(pages.next_page(&Pulled::default()), Ok(None)));
        assert!(
            pages
                .next_page(&build_page(&[ad_spend_record()], "a"))
                .is_ok()
        );
        assert!(
            pages
                .next_page(&build_page(&[ad_spend_record()], "b"))
                .is_err(),
            "a page with the same content must be refused"
        );
        let mut pages = Pages::default();
        assert!(pages.next_page(&build_page(&[], "a")).is_ok());
        assert!(
            pages.next_page(&build_page(&[], "a")).is_err(),
            "a page with an earlier name must be refused"
        );
    }

    #[test]
    fn empty_pages_do_not_repeat_each_other() {
        let mut pages = Pages::default();
        assert!(pages.next_page(&build_page(&[], "a")).is_ok());
        assert!(pages.next_page(&build_page(&[], "b")).is_ok());
        assert!(
            pages
                .next_page(&build_page(&[ad_spend_record()], "c"))
                .is_ok()
        );
    }
}
