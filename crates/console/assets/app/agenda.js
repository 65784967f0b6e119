// The agenda, by day. It opens at the first piece that is not past.

paged = { items: ".ev", groups: ".day, .tray" };

showResult = async () => {
  await show(`lista?${givenQuery()}`);
  // Inside the conversation a day is a heading only: its pieces are the links.
  for (const link of main.querySelectorAll("h3 > a")) link.replaceWith(...link.childNodes);
  openAt(".ev:not(.past)");
};
