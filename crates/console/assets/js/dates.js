
// ---- Dates and hours as Brazilians write them ----
// A browser shows `type=date` and `type=time` in its own language. If that is not Portuguese, these fields become text
// fields, and the form still sends the format that the server expects: 2026-12-31 and 14:30. A button opens a calendar.

const PORTUGUESE = [navigator.language, Intl.DateTimeFormat().resolvedOptions().locale].every((one) => /^pt\b/i.test(one));
const two = (number) => String(number).padStart(2, "0");
const brazilian = (iso) => iso.split("-").reverse().join("/");

/** This year in Brasília, by the clock of the service. The clock of the browser may be wrong, or in another zone. */
const thisYear = () => Number(document.querySelector("main").dataset.today.slice(0, 4));

/** Converts 31/12/2026, 31/12/26, or 31/12 of this year, to 2026-12-31. Undefined if the text is not a date. */
function isoDay(text) {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return isoDay(brazilian(text));
  const [, day, month, written] = /^(\d\d?)[/.-](\d\d?)(?:[/.-](\d{4}|\d\d))?$/.exec(text) ?? [];
  if (!day) return undefined;
  const year = written ? Number(written) + (written.length === 2 ? 2000 : 0) : thisYear();
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === Number(day);
  return isReal ? `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}` : undefined;
}

/** Converts 14:30, 14h30, 1430, 14h or 14 to `HH:mm`. Undefined if the text is not an hour. */
function isoHour(text) {
  const [, hour, minute = "0"] = /^(\d\d?)(?:[:h]?(\d\d)|h)?$/i.exec(text) ?? [];
  return hour <= 23 && minute <= 59 ? `${two(hour)}:${two(minute)}` : undefined;
}

const KINDS = {
  date: { read: isoDay, show: brazilian, hint: "dd/mm/aaaa", fault: "Escreva a data como 31/12/2026." },
  time: { read: isoHour, show: (iso) => iso.slice(0, 5), hint: "hh:mm", fault: "Escreva a hora como 14:30." },
};

function writeAsText(field) {
  const { read, show, hint, fault } = KINDS[field.type];
  const picker = field.type === "date" && field.showPicker && field.cloneNode();
  const { value, form } = field;
  Object.assign(field, { type: "text", value: value && show(value), placeholder: hint, autocomplete: "off", size: 10 });
  const sent = () => read(field.value.trim());
  field.addEventListener("input", () => field.setCustomValidity(""));
  field.addEventListener("change", () => {
    const iso = sent();
    if (iso) field.value = show(iso);
    field.setCustomValidity(iso || !field.value.trim() ? "" : fault);
  });
  form?.addEventListener("formdata", ({ formData }) => {
    if (field.isConnected && formData.has(field.name)) formData.set(field.name, sent() ?? field.value);
  });
  if (!picker) return;
  // The button is inside the label, so the name of the field is set first, without the text of the button.
  field.ariaLabel ??= field.labels[0]?.textContent.trim();
  for (const name of ["id", "name", "required", "aria-label"]) picker.removeAttribute(name);
  Object.assign(picker, { tabIndex: -1, ariaHidden: "true", onchange: () => {
    field.value = show(picker.value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  } });
  const open = () => {
    picker.value = sent() ?? "";
    picker.showPicker();
  };
  const button = make("button", { type: "button", className: "quiet", title: "Calendário", "aria-label": "Calendário", onclick: open }, "▾");
  const around = make("span", { className: "day-field" });
  field.replaceWith(around);
  around.append(field, picker, button);
}

function writeDatesAsText() {
  for (const field of all("input[type=date]:not([aria-hidden]), input[type=time]")) writeAsText(field);
}

if (!PORTUGUESE) {
  document.addEventListener("htmx:after:swap", writeDatesAsText);
  writeDatesAsText();
}
