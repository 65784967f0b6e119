// Pieces that wait for a decision, one after the other.

let queue = [];

showResult = async (result) => {
  // A host may truncate a long result. The list is then read again.
  const answer = structuredAnswer(result) ?? (await callTool("list_pending_approvals", { limit: 20 }));
  const pieces = Array.isArray(answer.pendentes) ? answer.pendentes : [];
  queue = pieces.map((piece) => piece?.id).filter((id) => typeof id === "string");
  await showNext();
};

/** Shows the next piece. Removes it from the queue only after it is shown, so that a failed load can be repeated. */
async function showNext() {
  const [id] = queue;
  if (!id) {
    showSentence("Tudo decidido: nenhuma peça espera por uma decisão.");
    return;
  }
  await show(encodeURIComponent(id));
  queue.shift();
}

main.addEventListener("click", ({ target }) => {
  const button = target.closest("button[value]");
  if (button?.value === "seguinte") load(showNext);
  else if (button) act(button, () => decide(button.form, button.value));
});
main.addEventListener("toggle", layOut, true);
main.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-posts]")) return;
  main.querySelectorAll(".context").forEach((post, number) => (post.hidden = number !== Number(target.value)));
  layOut();
});

async function decide(form, action) {
  const { event: id, revision } = form.closest("[data-event]").dataset;
  const fields = new FormData(form);
  const reason = [...fields.getAll("rapido"), fields.get("motivo").trim()].filter(Boolean).join("\n");
  if (action === "recusar" && !reason) throw new Refusal("Diga o motivo, para quem vai refazer.");
  const decision = { event_id: id, action, expected_revision: Number(revision) };
  if (action === "recusar") decision.motivo = reason;
  form.inert = true;
  try {
    await callOnce("decide_approval", decision);
  } catch (error) {
    // Another person may have changed the piece, so the current version is shown.
    if (error.code) await show(encodeURIComponent(id));
    throw error;
  } finally {
    form.inert = false;
  }
  const done = action === "aprovar" ? "Aprovada." : "Recusada.";
  informModel(`Na visão de aprovação, a pessoa decidiu a peça ${id}: ${action}.`);
  await load(showNext);
  tell(done);
}
