//! Readings of the results of a published post.

use crate::{
    Format, text_enum,
    time::{DAY, HOUR, Millis},
};

text_enum! {
    /// The age of a post at which the service reads its results.
    pub enum ReadingAge {
        Hour = "1h",
        Day = "24h",
        Week = "7d",
        Month = "30d",
    }
}

text_enum! {
    /// The measure by which published posts are sorted, in descending order.
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
    /// Returns the time from the publication to the reading; `None` if posts of this format have no
    /// reading at this age. The network reports the figures of a story for one day only, so the
    /// last reading of a story is due shortly before that day ends.
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

    /// Returns how long a failed reading is retried. Figures that are read later would belong to
    /// another age.
    #[must_use]
    pub const fn retry_period(self, format: Format) -> Millis {
        match (self, format) {
            (Self::Hour, _) => 3 * HOUR,
            (_, Format::Story) => 50 * 60_000,
            (Self::Day, _) => DAY,
            (Self::Week, _) => 3 * DAY,
            (Self::Month, _) => 10 * DAY,
        }
    }
}
