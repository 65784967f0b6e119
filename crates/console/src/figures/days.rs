//! The days of a period as bars and as cumulative sums.

use std::collections::BTreeMap;

use domain::time::LocalDay;

use super::shapes::Day;

/// The longest period, in days, in which days without sales get a bar: two years. In a longer period,
/// such a bar is too narrow to see.
const MOST: i64 = 731;

/// The revenue and the sales of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bar {
    pub day: LocalDay,
    pub cents: i64,
    pub sales: i64,
    /// True if nothing was bought on this day. A purchase that was refunded later still counts.
    pub is_empty: bool,
}

/// Returns one bar for each day from `from` to `until`, but not after today. Days without sales get
/// an empty bar.
pub(super) fn complete_bars(
    rows: &[Day],
    from: LocalDay,
    until: LocalDay,
    today: LocalDay,
) -> Vec<Bar> {
    let bar = |row: &Day| Bar {
        day: row.dia,
        cents: row.receita_centavos,
        sales: row.vendas,
        is_empty: row.receita_bruta_centavos == 0 && row.vendas == 0 && row.reembolsos == 0,
    };
    let length = from.days_through(until.min(today));
    if length > MOST {
        return rows.iter().map(bar).collect();
    }
    let by_day: BTreeMap<LocalDay, &Day> = rows.iter().map(|row| (row.dia, row)).collect();
    let days = (0..i32::try_from(length).unwrap_or(0)).map(|index| from.plus_days(index));
    let empty = |day| Bar {
        day,
        cents: 0,
        sales: 0,
        is_empty: true,
    };
    days.map(|day| by_day.get(&day).map_or_else(|| empty(day), |row| bar(row)))
        .collect()
}

/// Returns the cumulative revenue, one number per day.
pub(super) fn cumulative_sums(bars: &[Bar]) -> Vec<i64> {
    let sum = bars.iter().scan(0_i64, |sum, bar| {
        *sum = sum.saturating_add(bar.cents);
        Some(*sum)
    });
    sum.collect()
}

/// Returns the total revenue and the number of sales of the first `days` days.
pub(super) fn first_days_totals(bars: &[Bar], days: usize) -> (i64, i64) {
    let days = bars.iter().take(days);
    days.fold((0, 0), |(cents, sales), bar| {
        (cents + bar.cents, sales + bar.sales)
    })
}

#[cfg(test)]
mod tests {
    use domain::time::parse_day;

    use super::*;

    fn local_day(text: &str) -> LocalDay {
        LocalDay(parse_day(text).expect("a day"))
    }

    fn day_row(text: &str, cents: i64) -> Day {
        Day {
            dia: local_day(text),
            receita_bruta_centavos: cents,
            receita_centavos: cents,
            vendas: 1,
            reembolsos: 0,
        }
    }

    #[test]
    fn days_without_sales_are_filled_in_until_today() {
        let rows = [day_row("2026-11-01", 100), day_row("2026-11-03", 50)];
        let (from, until) = (local_day("2026-11-01"), local_day("2026-11-30"));
        let bars = complete_bars(&rows, from, until, local_day("2026-11-04"));
        let cents: Vec<i64> = bars.iter().map(|bar| bar.cents).collect();
        assert_eq!(cents, [100, 0, 50, 0]);
        assert!(bars[1].is_empty && bars[3].is_empty && !bars[2].is_empty);
        assert_eq!(cumulative_sums(&bars), [100, 100, 150, 150]);
        assert_eq!(first_days_totals(&bars, 3), (150, 2));
        assert_eq!(first_days_totals(&bars, 9), (150, 2));
        assert!(complete_bars(&rows, from, until, local_day("2026-10-31")).is_empty());
    }

    #[test]
    fn a_very_long_period_has_only_days_with_sales() {
        let rows = [day_row("2026-11-01", 100)];
        let bars = complete_bars(
            &rows,
            local_day("2020-01-01"),
            local_day("2026-12-01"),
            local_day("2026-12-01"),
        );
        assert_eq!(bars.len(), 1);
    }
}
