// The service. A request that is overtaken by a newer one of its kind is dropped.

import { h } from "./dom.js";

const KEY = "vbn-token";
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
    super(body.error || `error ${status}`);
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
  const answer = await fetch(path, { ...options, headers, signal });
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
  return (await call(`/api/${path}${text ? `?${text}` : ""}`, {}, kind)).json();
}

export async function post(path, body, kind = "") {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return (await call(`/api/${path}`, options, kind)).json();
}

export async function bytes(path) {
  return (await call(`/api/${path}`, {}, "")).arrayBuffer();
}

let asking = null;

function askForToken() {
  asking ??= new Promise((done) => {
    const field = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
    const dialog = h(
      "dialog",
      { "aria-labelledby": "token-title" },
      h(
        "form",
        {
          method: "dialog",
          onsubmit: () => {
            sessionStorage.setItem(KEY, field.value.trim());
            asking = null;
            dialog.remove();
            done();
          },
        },
        h("h2", { id: "token-title" }, "This server needs a token"),
        h("label", { for: "token" }, "Token "),
        field,
        h("button", { type: "submit" }, "Go on"),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}
