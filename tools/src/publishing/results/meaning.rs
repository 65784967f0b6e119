//! The reasons for which figures could not be read, and their sentences for users.

use domain::time::{HOUR, MINUTE, Millis, SECOND};
use ports::figures::Unavailable;

/// A reason for which figures could not be read. Its code is stored with the reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    NoPermission,
    Disconnected,
    OtherAccount,
    Gone,
    TooFewViewers,
    RateLimited,
    NotYet,
    Refused,
    Unreachable,
}

impl Cause {
    const ALL: [Self; 9] = [
        Self::NoPermission,
        Self::Disconnected,
        Self::OtherAccount,
        Self::Gone,
        Self::TooFewViewers,
        Self::RateLimited,
        Self::NotYet,
        Self::Refused,
        Self::Unreachable,
    ];

    /// Returns the code that is stored and shown to users.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoPermission => "NO_PERMISSION",
            Self::Disconnected => "ACCOUNT_DISCONNECTED",
            Self::OtherAccount => "ACCOUNT_CHANGED",
            Self::Gone => "POST_GONE",
            Self::TooFewViewers => "TOO_FEW_VIEWERS",
            Self::RateLimited => "RATE_LIMITED",
            Self::NotYet => "NOT_READY",
            Self::Refused => "RESULTS_REFUSED",
            Self::Unreachable => "PROVIDER_FAILED",
        }
    }

    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.code() == code)
    }

    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NoPermission => "A conta não deu permissão para ler resultados; conecte de novo.",
            Self::Disconnected => "A conta está desconectada; conecte de novo.",
            Self::OtherAccount => "A conta conectada agora não é a que publicou.",
            Self::Gone => "O post foi apagado, ou a conta não o vê mais.",
            Self::TooFewViewers => "Pouca gente viu: a rede só mostra números a partir de cinco.",
            Self::RateLimited => "A rede limitou as chamadas.",
            Self::NotYet => "A rede ainda não tem números deste post.",
            Self::Refused => "A rede não dá números deste post.",
            Self::Unreachable => "A rede não respondeu.",
        }
    }

    /// Returns the pause before the next attempt to read the figures, after this number of attempts.
    /// `wait` is the pause that the network demands, in seconds.
    pub fn pause(self, attempts: i64, wait: Option<u64>) -> Millis {
        let asked = wait.and_then(|seconds| i64::try_from(seconds).ok());
        let asked = asked.map_or(0, |seconds| seconds.clamp(0, 86_400) * SECOND);
        let usual = match self {
            Self::RateLimited | Self::Unreachable | Self::NotYet => {
                (5 * MINUTE) << attempts.clamp(0, 4)
            }
            _ => HOUR,
        };
        usual.min(HOUR).max(asked)
    }
}

/// Returns the reason for an answer without figures, and the pause that the network demands, in seconds.
pub(super) fn cause_of(unavailable: &Unavailable) -> (Cause, Option<u64>) {
    let cause = match unavailable {
        Unavailable::NoPermission => Cause::NoPermission,
        Unavailable::TokenRefused => Cause::Disconnected,
        Unavailable::Gone => Cause::Gone,
        Unavailable::TooFewViewers => Cause::TooFewViewers,
        Unavailable::Busy { wait } => return (Cause::RateLimited, *wait),
        Unavailable::NotYet => Cause::NotYet,
        Unavailable::Refused => Cause::Refused,
        Unavailable::Unreached => Cause::Unreachable,
    };
    (cause, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_found_by_its_code() {
        for cause in Cause::ALL {
            assert_eq!(Cause::from_code(cause.code()), Some(cause));
        }
    }

    #[test]
    fn a_pause_is_as_long_as_the_network_demands() {
        let pause = Cause::RateLimited.pause(0, None);
        assert_eq!(pause, 5 * MINUTE);
        assert_eq!(Cause::RateLimited.pause(0, Some(7_200)), 2 * HOUR);
        assert_eq!(Cause::Unreachable.pause(90, None), HOUR);
    }
}
