// The agenda, by day. The view opens at the first piece that is not in the past.

paged = { items: ".ev", groups: ".day, .tray" };

showResult = async () => {
  await show(`lista?${givenQuery()}`);
  // Inside the conversation the headings of days are no links: only the pieces are links.
  for (const link of main.querySelectorAll("h3 > a")) link.replaceWith(...link.childNodes);
  openAt(".ev:not(.past)");
};
