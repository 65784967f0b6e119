//! Cookies whose value is encrypted for one member and one path, and expires.

use domain::time::{Millis, SECOND};
use gateway::Result;
use identity::browser;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::view::View;

/// A kind of encrypted cookie.
pub(crate) struct SealedCookie {
    pub name: &'static str,
    /// The purpose of the encryption key.
    pub purpose: &'static str,
    pub lifetime: Millis,
}

/// An encrypted value, and the header that sets the cookie.
pub(crate) struct Sealed {
    pub text: String,
    pub header: String,
}

#[derive(Serialize, Deserialize)]
struct Expiring<T> {
    until: Millis,
    value: T,
}

impl SealedCookie {
    /// Encrypts a value for the calling member, for pages at and below this path.
    pub fn seal<T: Serialize>(&self, view: &View<'_>, path: &str, value: T) -> Result<Sealed> {
        let services = view.ctx.services;
        let until = view.ctx.now + self.lifetime;
        let plain = serde_json::to_vec(&Expiring { until, value })?;
        let owner = cookie_owner(view, path);
        let text = services.keys.seal(self.purpose, &owner, &plain)?;
        let seconds = self.lifetime / SECOND;
        let header = browser::set_cookie_header(services, self.name, &text, path, seconds);
        Ok(Sealed { text, header })
    }

    /// Returns the encrypted value that the browser has sent.
    pub fn find<'v>(&self, view: &'v View<'_>, path: &str) -> Option<&'v str> {
        let cookies = view.ctx.origin.head.cookie.as_deref();
        browser::find_cookie(view.ctx.services, cookies, self.name, path)
    }

    /// Decrypts a value. Returns `None` if it was encrypted for another member or path, or has expired.
    pub fn open<T: DeserializeOwned>(
        &self,
        view: &View<'_>,
        path: &str,
        sealed: &str,
    ) -> Option<T> {
        let keys = &view.ctx.services.keys;
        let owner = cookie_owner(view, path);
        let plain = keys.open(self.purpose, &owner, sealed).ok()?;
        let opened: Expiring<T> = serde_json::from_slice(&plain).ok()?;
        (view.ctx.now < opened.until).then_some(opened.value)
    }

    /// Returns the header that deletes the cookie.
    pub fn deletion_header(&self, view: &View<'_>, path: &str) -> String {
        browser::set_cookie_header(view.ctx.services, self.name, "", path, 0)
    }
}

fn cookie_owner(view: &View<'_>, path: &str) -> String {
    format!("{}{path}", view.member().id)
}
