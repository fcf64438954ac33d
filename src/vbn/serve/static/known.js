// Names that the page has met: their numbers on the map, and what people call them.

import { get, post } from "./api.js";

const found = new Map(); // name -> { id, label }; the id is null where the map has no place
const words = new Map(); // id -> { name, label }
const AT_ONCE = 500;

export async function lookUp(names) {
  const asked = [...new Set(names)].filter((name) => !found.has(name));
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const some = asked.slice(at, at + AT_ONCE);
    const { ids, labels } = await post("map/places", { entities: some });
    some.forEach((name, n) => found.set(name, { id: ids[n], label: labels[n] }));
  }
  return names.map((name) => found.get(name));
}

export async function wordsOf(ids) {
  const asked = ids.filter((id) => !words.has(id));
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const answer = await get("map/words", { ids: asked.slice(at, at + AT_ONCE) });
    for (const [id, { name, label }] of Object.entries(answer)) {
      words.set(Number(id), { name, label });
      found.set(name, { id: Number(id), label });
    }
  }
  return ids.map((id) => words.get(id));
}

export const wordIfKnown = (id) => words.get(id);
export const labelIfKnown = (name) => found.get(name)?.label || name;

// The model has grown: what had no place before may have one now.
export function forget() {
  found.clear();
}

// Entities, or parents, that say more to somebody who has typed nothing yet than the most frequent words do.
export async function toBeginWith(what) {
  const { examples } = await theGuide();
  const some = examples.filter((one) => one.kind !== "new");
  const roots = what === "parents" ? (await get("tree", { limit: 6 })).nodes.map((one) => ({ ...one, side: "column", category: true })) : [];
  const found = what === "parents" ? [...examples.flatMap((one) => one.parents), ...roots]
    : [...some.map((one) => one.entity), ...some.flatMap((one) => one.near.map((each) => ({ ...each, name: each.entity, side: "column" })))];
  const met = new Set();
  return found.filter((one) => !met.has(one.name) && met.add(one.name)).slice(0, 8);
}

let guide = null;
export function theGuide() {
  guide ??= get("guide").catch((error) => {
    guide = null;
    throw error;
  });
  return guide;
}
