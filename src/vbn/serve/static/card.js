// The card of an entity: why it is where it is, whom it is near, what it goes with, its family and its relations.

import { get, post } from "./api.js";
import { h, named, times, whole } from "./dom.js";
import { attempt, block, family, ranked, why } from "./parts.js";
import { address, go } from "./route.js";
import { start } from "./start.js";

// What an entity most probably goes with: beside it, or, where rows and columns differ, what a row would take.
async function likely(entity, shown, side, model, k) {
  if (model.shared) {
    const found = await get("similar", { entity, side, k, by: "context" });
    return block("Likely beside it", ranked(found, { side, label: `Likely beside ${shown}`, of: `of occurring beside ${shown}` }));
  }
  if (side === "row") {
    const found = await post("recommend", { user: entity, k, exclude_seen: model.counts });
    const title = model.counts ? "Recommended to it" : "Recommended to it, perhaps some that it has already";
    return block(title, ranked(found, { label: `Recommended to ${shown}`, of: `of occurring with ${shown}` }));
  }
  const found = await post("recommend", { entities: [entity], k });
  const note = `For somebody of whom only ${shown} is known.`;
  return block("Likely for somebody who has it", h("p", { class: "note" }, note), ranked(found, { label: `Likely for somebody who has ${shown}`, of: "of occurring with somebody like that" }));
}

// A category does not occur, so nothing is likely beside it: other categories that are like it.
async function kindred(entity, shown, side, k) {
  const found = await get("similar", { entity, side, k, candidates: "categories" });
  return block("Nearest categories", ranked(found, { side, label: `Categories nearest to ${shown}`, empty: "There is no other category." }));
}

// What all answers about an entity together say, as elements and as data.
export async function card(entity, side, model, map, k = 10) {
  const told = await get("explain", { entity, side });
  const seen = told.explanation;
  const shown = seen.label || entity;
  const category = seen.kind === "category";
  const [near, beside] = await Promise.all([
    get("similar", { entity, side, k }),
    category ? kindred(entity, shown, side, k) : likely(entity, shown, side, model, k),
  ]);
  const row = side === "row" && !model.shared ? "a row of the data, such as a user; " : "";
  const count = category ? `a category with ${whole(seen.n_children)} ${seen.n_children === 1 ? "child" : "children"}` : `${row}${times(seen.count)}`;
  return {
    seen,
    near: near.answers.map((one) => one.entity),
    parts: [
      h("h2", {}, named(shown), seen.label ? h("small", {}, " ", named(seen.entity)) : null),
      h("p", { class: "note" }, count),
      block("Why it is where it is", why(seen, model.shared || side === "row" ? "column" : "row", side === "column" ? map : null)),
      block("Nearest", ranked(near, { side, label: `Nearest to ${shown}` })),
      beside,
      block("In the taxonomy", family(told.family, shown, side)),
    ],
  };
}

function relations(state, model) {
  if (!model.relations.length || !state.entity) return null;
  const answers = h("div", {});
  const ask = (relation) =>
    attempt(answers, async () => {
      const found = await get("related", { relation, entity: state.entity });
      return ranked(found, { label: `${relation} of ${state.entity}`, of: `that ${relation} leads there` });
    });
  if (state.relation) ask(state.relation);
  return block(
    "Relations",
    h(
      "div",
      { class: "buttons" },
      model.relations.map((relation) =>
        h("button", { type: "button", "aria-pressed": String(relation === state.relation), onclick: () => go({ ...state, relation }) }, named(relation)),
      ),
    ),
    answers,
  );
}

export function explore(sheet, state, model, map) {
  if (!state.entity) {
    start(sheet, model, map);
    return;
  }
  const onMap = state.side === "column" || model.shared;
  if (onMap) map.mark("chosen", [state.entity]);
  attempt(sheet, async () => {
    const { seen, near, parts } = await card(state.entity, state.side, model, map);
    if (sheet.isConnected && onMap) mark(map, sheet, state.entity, seen, near);
    if (sheet.isConnected && seen.label) document.title = `${seen.label} – vbn explorer`;
    const compare = h("a", { class: "pill", href: address({ view: "compare", entity: state.entity, side: state.side }) }, "Compare it with another");
    return [parts.slice(0, 2), h("p", {}, compare), parts.slice(2), relations(state, model)];
  });
}

// An entity has an ellipse and neighbours on the map, a category all that is below it.
async function mark(map, sheet, entity, seen, near) {
  map.mark("near", near);
  if (seen.kind !== "category") {
    map.spread([entity]);
    return;
  }
  const { ids } = await get("map/below", { entity });
  if (sheet.isConnected) map.mean(ids);
}
