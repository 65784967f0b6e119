/// Returns the name that MCP tools use for a field of REST: in snake case, and always the same name for
/// the id of a project.
pub fn published_name(field: &str) -> String {
    let snake = field.chars().flat_map(|c| {
        let underscore = c.is_ascii_uppercase().then_some('_');
        underscore.into_iter().chain([c.to_ascii_lowercase()])
    });
    snake
        .collect::<String>()
        .replace("projeto_id", "project_id")
}
