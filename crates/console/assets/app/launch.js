// A launch at a glance.

showResult = async () => {
  const { projetoId } = given;
  if (typeof projetoId !== "string") throw new Refusal("O aplicativo não disse qual é o lançamento.");
  await show(encodeURIComponent(projetoId));
};
