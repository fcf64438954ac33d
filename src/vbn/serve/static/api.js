// The service. A request that is overtaken by a newer one of its kind is dropped.

import { h } from "./dom.js";

const KEY = "vbn-token";
const BASE = new URL("../api/v1/", import.meta.url); // also where a proxy serves the page below a path of its own
const running = new Map();

// A notebook passes the token behind the "#", which browsers do not send; it does not stay in the address.
const given = new URLSearchParams(location.hash.slice(1));
if (given.has("token")) {
  sessionStorage.setItem(KEY, given.get("token"));
  given.delete("token");
  history.replaceState(null, "", `#${given}`);
}

export class Refused extends Error {
  constructor(status, body) {
    super(body.detail || `error ${status}`);
    this.status = status;
    this.closest = body.closest || [];
  }
}

async function call(path, options, kind) {
  if (kind) {
    running.get(kind)?.abort();
    running.set(kind, new AbortController());
  }
  const headers = { ...(options.headers || {}) };
  const token = sessionStorage.getItem(KEY);
  if (token) headers.Authorization = `Bearer ${token}`;
  const signal = kind ? running.get(kind).signal : undefined;
  const answer = await fetch(new URL(path, BASE), { ...options, headers, signal });
  if (answer.status === 401) {
    await askForToken();
    return call(path, options, kind);
  }
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

export async function get(path, parameters = {}, kind = "") {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined && each !== null) query.append(name, each);
  }
  const text = query.toString();
  return (await call(`${path}${text ? `?${text}` : ""}`, {}, kind)).json();
}

export async function post(path, body, kind = "") {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return (await call(path, options, kind)).json();
}

export async function bytes(path) {
  return (await call(path, {}, "")).arrayBuffer();
}

let asking = null;
let dismissed = false; // then no question comes by itself: only a button asks again

// Asks once for all requests that wait. If the dialog is closed, only a button opens it again.
export function askForToken(again = false) {
  if (dismissed && !again) return Promise.reject(new Refused(401, { detail: "This server needs a token." }));
  dismissed = false;
  asking ??= new Promise((done, refuse) => {
    const before = sessionStorage.getItem(KEY) !== null; // then the server has just refused it
    const field = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
    const dialog = h(
      "dialog",
      { "aria-labelledby": "token-title" },
      h(
        "form",
        { method: "dialog" },
        h("h2", { id: "token-title" }, before ? "The token was refused" : "This server needs a token"),
        h("p", { class: "note" }, "Enter the token that the server was started with (VBN_TOKEN)."),
        h("label", { for: "token" }, "Token "),
        field,
        h("button", { type: "submit" }, "Go on"),
      ),
    );
    dialog.addEventListener("close", () => {
      asking = null;
      dialog.remove();
      const token = field.value.trim();
      if (token) {
        sessionStorage.setItem(KEY, token);
        done();
        return;
      }
      dismissed = true;
      refuse(new Refused(401, { detail: "This server needs a token." }));
    });
    dialog.addEventListener("cancel", () => { field.value = ""; });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
