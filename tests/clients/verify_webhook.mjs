// Verifies a message of a webhook with the official library of Standard Webhooks (npm). Reads
// {"secret", "headers", "body"} from the standard input, and writes true or false.

import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

// `.ci/install` installs the npm packages in this folder.
const require = createRequire(new URL("../../.tools/node/", import.meta.url));
const { Webhook, WebhookVerificationError } = require("standardwebhooks");

const { secret, headers, body } = JSON.parse(await text(process.stdin));
try {
  new Webhook(secret).verify(body, headers);
  console.log(true);
} catch (error) {
  if (!(error instanceof WebhookVerificationError)) throw error;
  console.log(false);
}
