// What is shown stands in the address, so that a link shows the same.

const listeners = [];
const NAMES = ["entity", "other", "name", "relation", "user", "text", "lasso", "finding"];
const SIDES = ["side", "otherside"];
const LISTS = ["has", "parent", "context"];
const MAP = ["map", "shown", "colour", "only", "seen", "sure"]; // where the map is, and whom it shows how
let seen = {};

export function here() {
  const given = new URLSearchParams(location.hash.slice(1));
  const state = { view: given.get("view") || "explore" };
  for (const name of SIDES) state[name] = given.get(name) === "row" ? "row" : "column";
  for (const name of [...NAMES, ...MAP]) if (given.get(name)) state[name] = given.get(name);
  for (const name of LISTS) state[name] = given.getAll(name);
  const dial = Number(given.get("popularity"));
  state.popularity = given.has("popularity") && Number.isFinite(dial) ? dial : "auto";
  return state;
}

export function address(state) {
  const made = new URLSearchParams();
  made.set("view", state.view || "explore");
  for (const name of NAMES) if (state[name]) made.set(name, state[name]);
  for (const name of SIDES) if (state[name] === "row") made.set(name, "row");
  if (Number.isFinite(state.popularity)) made.set("popularity", String(state.popularity));
  for (const name of LISTS) for (const each of state[name] || []) made.append(name, each);
  return `#${made}`;
}

export function go(state) {
  location.hash = address(state);
}

// The address with what the map shows, in place of the one before: no step of the history. Links within the page leave
// the map out: it stays as it is then.
export function replace(state) {
  const more = new URLSearchParams(Object.entries(seen).filter(([, value]) => value)).toString();
  history.replaceState(null, "", address(state) + (more && `&${more}`));
}

export function sawMap(what) {
  seen = what;
  const now = here();
  if (MAP.some((name) => (now[name] || "") !== (what[name] || ""))) replace(now);
}

// Whether an address says anything about the map.
export const saysOfMap = (state) => MAP.some((name) => state[name]);

export function listen(listener) {
  listeners.push(listener);
}

export function start() {
  const tell = () => listeners.forEach((listener) => listener(here()));
  addEventListener("hashchange", tell);
  tell();
}

export const link = (entity, side = "column") => address({ view: "explore", entity, side });
