
// ---- Dates and hours as Brazilians write them ----
// A browser shows `type=date` and `type=time` in its own language. In a browser of another language these fields become
// text, and a form sends what the server expects of them: 2026-12-31 and 14:30. A calendar stays one press away.

const PORTUGUESE = [navigator.language, Intl.DateTimeFormat().resolvedOptions().locale].every((one) => /^pt\b/i.test(one));
const two = (number) => String(number).padStart(2, "0");
const brazilian = (iso) => iso.split("-").reverse().join("/");

/** 2026-12-31 from 31/12/2026, 31/12/26 or 31/12 of this year; undefined for what is no date. */
function isoDay(text) {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return isoDay(brazilian(text));
  const [, day, month, written] = /^(\d\d?)[/.-](\d\d?)(?:[/.-](\d{4}|\d\d))?$/.exec(text) ?? [];
  if (!day) return undefined;
  const year = written ? Number(written) + (written.length === 2 ? 2000 : 0) : new Date().getFullYear();
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === Number(day);
  return isReal ? `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}` : undefined;
}

/** 14:30 from 14:30, 14h30, 1430, 14h or 14; undefined for what is no hour. */
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
  // The button stands in the label, and is no part of its name.
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
