//! Captions in lists.

/// Returns the first words of a caption.
pub(super) fn caption_start(caption: &str) -> String {
    let line = caption.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or("Sem legenda");
    let mut words: String = line.chars().take(120).collect();
    if words.len() < line.len() {
        words.push('…');
    }
    words
}
