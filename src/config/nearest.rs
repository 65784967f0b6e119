//! Suggests the correct spelling of a mistyped name.

/// Returns the candidate with the fewest edits from `word`, if it is close enough to be a typing error.
pub(crate) fn nearest_word<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let most = (word.len() / 5).clamp(1, 4);
    let candidates = candidates.into_iter();
    let measured = candidates.map(|candidate| (edit_distance(word, candidate), candidate));
    let (edits, candidate) = measured.min_by_key(|(edits, _)| *edits)?;
    (edits <= most).then_some(candidate)
}

/// Returns the edit distance: insertions, deletions, substitutions, and swaps of adjacent letters.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = vec![];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut line = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = last[j] + usize::from(x != y);
            let mut least = changed.min(last[j + 1] + 1).min(line[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            line.push(least);
        }
        before = std::mem::replace(&mut last, line);
    }
    last[b.len()]
}
