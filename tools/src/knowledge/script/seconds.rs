//! The duration of the blocks of a video.

/// Divides a duration among blocks in proportion to their weights. Every block gets at least one
/// second, and the seconds add up to the duration unless there are more blocks than seconds.
pub(super) fn divide_seconds(total: u32, weights: &[f64]) -> Vec<u32> {
    let sound = |weight: f64| match weight.is_finite() && weight > 0.0 {
        true => weight.min(1e9),
        false => 1.0,
    };
    let sum: f64 = weights.iter().copied().map(sound).sum();
    let exact = weights
        .iter()
        .map(|weight| f64::from(total) * sound(*weight) / sum);
    let exact: Vec<f64> = exact.collect();
    // The shares are at most `total`, so the cast is exact.
    let mut seconds: Vec<u32> = exact
        .iter()
        .map(|share| (share.floor() as u32).max(1))
        .collect();
    let mut order: Vec<usize> = (0..exact.len()).collect();
    order.sort_by(|a, b| {
        exact[*b]
            .fract()
            .total_cmp(&exact[*a].fract())
            .then(a.cmp(b))
    });
    for at in order.iter().cycle().take(4 * order.len()) {
        if seconds.iter().sum::<u32>() >= total {
            break;
        }
        seconds[*at] += 1;
    }
    while seconds.iter().sum::<u32>() > total {
        let Some(longest) = (0..seconds.len()).max_by_key(|at| seconds[*at]) else {
            break;
        };
        if seconds[longest] == 1 {
            break;
        }
        seconds[longest] -= 1;
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::divide_seconds;

    #[test]
    fn the_durations_of_the_blocks_add_up_to_the_whole_duration() {
        assert_eq!(divide_seconds(30, &[10.0, 10.0, 10.0]), [10, 10, 10]);
        assert_eq!(divide_seconds(30, &[6.0, 12.0, 12.0]), [6, 12, 12]);
        assert_eq!(divide_seconds(10, &[1.0, 2.0, 4.0]), [1, 3, 6]);
        assert_eq!(divide_seconds(10, &[0.0, f64::NAN, -3.0]), [4, 3, 3]);
        assert_eq!(divide_seconds(5, &[1000.0, 1.0, 1.0]), [3, 1, 1]);
        assert_eq!(divide_seconds(2, &[1.0, 1.0, 1.0]), [1, 1, 1]);
        assert!(divide_seconds(30, &[]).is_empty());
        for total in 5..200 {
            let weights = [0.3, 7.0, 1.0, 2.5, 1e12];
            assert_eq!(divide_seconds(total, &weights).iter().sum::<u32>(), total);
        }
    }
}
