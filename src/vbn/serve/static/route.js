// What is shown stands in the address, so that a link shows the same.

const listeners = [];

export function here() {
  const given = new URLSearchParams(location.hash.slice(1));
  const state = { view: given.get("view") || "explore", side: given.get("side") === "row" ? "row" : "column" };
  for (const name of ["entity", "other", "name", "relation", "query", "user"]) if (given.get(name)) state[name] = given.get(name);
  for (const name of ["has", "parent", "context"]) state[name] = given.getAll(name);
  state.popularity = Number(given.get("popularity")) || 0;
  return state;
}

export function address(state) {
  const made = new URLSearchParams();
  made.set("view", state.view || "explore");
  for (const name of ["entity", "other", "name", "relation", "query", "user"]) if (state[name]) made.set(name, state[name]);
  if (state.side === "row") made.set("side", "row");
  if (state.popularity) made.set("popularity", String(state.popularity));
  for (const name of ["has", "parent", "context"]) for (const each of state[name] || []) made.append(name, each);
  return `#${made}`;
}

export function go(state) {
  location.hash = address(state);
}

export function replace(state) {
  history.replaceState(null, "", address(state));
}

export function listen(listener) {
  listeners.push(listener);
}

export function start() {
  const tell = () => listeners.forEach((listener) => listener(here()));
  addEventListener("hashchange", tell);
  tell();
}

export const link = (entity, side = "column") => address({ view: "explore", entity, side });
