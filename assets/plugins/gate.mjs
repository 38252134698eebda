// Asks the gate of a running Jarvis, for the plugins beside this file. No dependencies.
// It uses node:http and not fetch, whose own limit of 300 seconds is shorter than a hold.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";

const SENT_BYTES = 768 * 1024; // the gate takes 1 MiB
const KEPT_CHARS = 32 * 1024; // of each text in a payload that is larger
const MARGIN_S = 15; // what the gate leaves us to hear its answer

function gate(file) {
  const found = JSON.parse(readFileSync(file, "utf8"));
  return { port: Number(found.port), token: String(found.token) };
}

function shortened(value) {
  if (typeof value === "string" && value.length > KEPT_CHARS) {
    // the digest keeps the fingerprints of two long calls apart
    const digest = createHash("sha256").update(value).digest("hex");
    const half = KEPT_CHARS / 2;
    const note = `[... ${value.length} characters, sha256 ${digest} ...]`;
    return `${value.slice(0, half)}\n${note}\n${value.slice(-half)}`;
  }
  if (Array.isArray(value)) return value.slice(0, 200).map(shortened);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
  }
  return value;
}

function post(runtime, payload, settings, signal) {
  const { port, token } = gate(settings.gateFile);
  const holdS = Number(settings.holdS ?? 540);
  let body = Buffer.from(JSON.stringify(payload));
  if (body.length > SENT_BYTES) body = Buffer.from(JSON.stringify(shortened(payload)));
  const query = `fail=${settings.fail === "closed" ? "closed" : "open"}&hold=${holdS}`;
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: "127.0.0.1",
        port,
        method: "POST",
        path: `/gate/${runtime}?${query}`,
        signal,
        agent: false,
        headers: {
          "Content-Type": "application/json",
          "Content-Length": body.length,
          Authorization: `Bearer ${token}`,
        },
      },
      (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
          try {
            resolve(JSON.parse(Buffer.concat(parts).toString("utf8")));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    request.setTimeout((holdS + MARGIN_S) * 1000, () => request.destroy(new Error("too late")));
    request.on("error", reject);
    request.end(body);
  });
}

// The gate's answer; null when there is none and the rule lets the call run. Throws by the rule.
export async function ask(runtime, payload, settings, signal) {
  try {
    return await post(runtime, payload, settings, signal);
  } catch {
    if (settings.fail !== "closed") return null;
    throw new Error(
      "This call was refused because Jarvis could not be asked, and it was set to refuse then " +
        "(fail closed). Nothing was run. Ask the user to start Jarvis or to detach it.",
    );
  }
}

// Tells the gate something and waits for nothing.
export function tell(runtime, payload, settings) {
  Promise.resolve()
    .then(() => post(runtime, payload, { ...settings, holdS: 5 }))
    .catch(() => undefined);
}
