//! Readings of what came of a post.

use crate::{
    Format, text_enum,
    time::{DAY, HOUR, Millis},
};

text_enum! {
    /// How long after its publication a post is read.
    pub enum ReadingAge {
        Hour = "1h",
        Day = "24h",
        Week = "7d",
        Month = "30d",
    }
}

text_enum! {
    /// By what published posts are sorted, the largest first.
    pub enum ResultMeasure {
        Published = "publicado_em",
        Reach = "alcance",
        Views = "visualizacoes",
        Likes = "curtidas",
        Comments = "comentarios",
        Shares = "compartilhamentos",
        Saves = "salvos",
        Clicks = "cliques",
    }
}

impl ReadingAge {
    /// How long after the publication the reading is due; `None` if the format has none then. A story has
    /// figures for a day only, so it is read shortly before.
    #[must_use]
    pub const fn after(self, format: Format) -> Option<Millis> {
        match (self, format) {
            (Self::Hour, _) => Some(HOUR),
            (Self::Day, Format::Story) => Some(23 * HOUR),
            (Self::Week | Self::Month, Format::Story) => None,
            (Self::Day, _) => Some(DAY),
            (Self::Week, _) => Some(7 * DAY),
            (Self::Month, _) => Some(30 * DAY),
        }
    }

    /// How long a reading that did not succeed is tried again. Later figures would be those of another
    /// age.
    #[must_use]
    pub const fn tried_for(self, format: Format) -> Millis {
        match (self, format) {
            (Self::Hour, _) => 3 * HOUR,
            (_, Format::Story) => 50 * 60_000,
            (Self::Day, _) => DAY,
            (Self::Week, _) => 3 * DAY,
            (Self::Month, _) => 10 * DAY,
        }
    }
}
