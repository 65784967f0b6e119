//! The public URL of the service, from which networks download the files of posts.

use std::net::IpAddr;

use gateway::{Code, Error, Result};

/// Refuses (500, `PROVIDER_NOT_CONFIGURED`) a public URL from which the provider cannot fetch photos.
pub(super) fn require_public_url(public_url: &str) -> Result<()> {
    let host = public_url.strip_prefix("https://");
    let host = host.map(|rest| rest.split(['/', ':']).next().unwrap_or_default());
    let public = host.is_some_and(|host| {
        let named = host.contains('.') && host.parse::<IpAddr>().is_err();
        named && !host.ends_with(".localhost") && !host.ends_with(".local")
    });
    if public {
        return Ok(());
    }
    Err(Error::new(Code::PROVIDER_NOT_CONFIGURED)
        .because(
            "O TikTok busca as fotos pela internet, e o serviço não tem um endereço público https.",
        )
        .with_detail(
            "next",
            "Peça a quem opera o serviço que ponha em PAUTA_PUBLIC_URL um endereço https:// que \
             responde pela internet. Vídeos não precisam dele."
                .into(),
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_can_fetch_only_from_a_public_https_url() {
        for public in ["https://pauta.exemplo.com.br", "https://pauta.test:8443/x"] {
            assert!(require_public_url(public).is_ok(), "{public}");
        }
        for closed in [
            "http://pauta.exemplo.com.br",
            "https://localhost",
            "https://127.0.0.1",
            "https://10.0.0.7:8080",
            "https://[::1]",
            "https://servidor",
            "https://pauta.localhost",
            "",
        ] {
            let refused = require_public_url(closed).expect_err(closed);
            assert_eq!(refused.code, Code::PROVIDER_NOT_CONFIGURED);
        }
    }
}
