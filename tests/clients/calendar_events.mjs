// Reads a calendar from the standard input with npm `ical.js`, and writes its pieces as JSON.
//
//     calendar_events.mjs < agenda.ics
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

// `.ci/install` installs the npm packages in this folder.
const require = createRequire(new URL("../../.tools/node/", import.meta.url));
const ICAL = require("ical.js");

const calendar = new ICAL.Component(ICAL.parse(await text(process.stdin)));
const pieces = calendar.getAllSubcomponents("vevent").map((component) => {
  const event = new ICAL.Event(component, { strictExceptions: true });
  return {
    UID: event.uid,
    SEQUENCE: event.sequence,
    STATUS: component.getFirstPropertyValue("status"),
    SUMMARY: event.summary,
    DESCRIPTION: event.description,
    CATEGORIES: component.getFirstProperty("categories").getValues(),
    DTSTART: event.startDate.toJSDate().toISOString(),
    DTEND: event.endDate.toJSDate().toISOString(),
    "LAST-MODIFIED": component.getFirstPropertyValue("last-modified").toJSDate().toISOString(),
  };
});
console.log(JSON.stringify({ name: calendar.getFirstPropertyValue("x-wr-calname"), pieces }));
