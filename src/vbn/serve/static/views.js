// The four views beside the map. Each is a function (state, model, draw) that fills the panel.

import { get, post } from "./api.js";
import { h, fill, later, number, percent, times } from "./dom.js";
import { chips, field } from "./search.js";
import { failed, family, ranked, waiting, why } from "./parts.js";
import { go, here, link, replace } from "./route.js";

async function attempt(element, task) {
  fill(element, waiting());
  try {
    fill(element, await task());
  } catch (error) {
    const shown = failed(error);
    if (shown) fill(element, shown);
  }
}

function block(title, ...children) {
  return h("section", { class: "block" }, h("h3", {}, title), ...children);
}

// What an entity most probably goes with: beside it, or, where rows and columns differ, what a row would take.
async function likely(entity, side, model, k) {
  if (model.shared) {
    const found = await get("similar", { entity, side, k, by: "context" });
    return block("Likely beside it", ranked(found, { side, label: `Likely beside ${entity}`, of: `of occurring beside ${entity}` }));
  }
  if (side === "row") {
    const found = await post("recommend", { user: entity, k, exclude_seen: model.counts });
    const title = model.counts ? "Recommended to it" : "Recommended to it, perhaps what it has already";
    return block(title, ranked(found, { label: `Recommended to ${entity}`, of: `of occurring with ${entity}` }));
  }
  const found = await post("recommend", { entities: [entity], k });
  const note = `Somebody of whom only ${entity} is known, folded in.`;
  return block("Likely for who has it", h("p", { class: "note" }, note), ranked(found, { label: `Likely for who has ${entity}`, of: "of occurring with such a row" }));
}

// A category does not occur, so nothing is likely beside it: other categories that are like it.
async function kindred(entity, side, k) {
  const found = await get("similar", { entity, side, k, candidates: "categories" });
  return block("Nearest categories", ranked(found, { side, label: `Categories nearest to ${entity}`, empty: "There is no other category." }));
}

async function card(entity, side, model, k = 10) {
  const told = await get("explain", { entity, side });
  const seen = told.explanation;
  const [near, beside] = await Promise.all([
    get("similar", { entity, side, k }),
    seen.kind === "category" ? kindred(entity, side, k) : likely(entity, side, model, k),
  ]);
  return [
    h("h2", {}, seen.label || entity, seen.label ? h("small", {}, ` ${seen.entity}`) : null),
    h("p", { class: "note" }, seen.kind === "category" ? `a category with ${seen.n_children.toLocaleString("en")} ${seen.n_children === 1 ? "child" : "children"}` : times(seen.count)),
    block("Why it is where it is", why(seen, model.shared || side === "row" ? "column" : "row")),
    block("Nearest", ranked(near, { side, label: `Nearest to ${entity}` })),
    beside,
    block("In the taxonomy", family(told.family, entity, side)),
  ];
}

function relations(state, model) {
  if (!model.relations.length || !state.entity) return null;
  const answers = h("div", {});
  const ask = (relation) =>
    attempt(answers, async () => ranked(await get("related", { relation, entity: state.entity }), { label: `${relation} of ${state.entity}`, of: `that ${relation} leads there` }));
  if (state.relation) ask(state.relation);
  return block(
    "Relations",
    h(
      "div",
      { class: "buttons" },
      model.relations.map((relation) =>
        h("button", { type: "button", "aria-pressed": String(relation === state.relation), onclick: () => go({ ...state, relation }) }, relation),
      ),
    ),
    answers,
  );
}

export function explore(panel, state, model, map) {
  if (!state.entity) {
    fill(
      panel,
      h("h2", {}, "Entities as densities"),
      h("p", {}, `${model.entities.toLocaleString("en")} entities, each a density in ${model.dim} dimensions: a place, and how sure the model is of it. `
        + "A large pale dot is uncertain, a small strong one is well known, a ring is rare. Colours are branches of the taxonomy."),
      h("p", {}, "Search for a name, or click on the map. Entities that were hardly seen stand near their parents; ",
        h("a", { href: "#view=what-if" }, "what if"), " shows where one would stand that does not exist yet."),
      block("Often seen", h("ul", { class: "plain", id: "often" })),
    );
    get("entities", { limit: 12, side: "column" }).then(({ entities }) =>
      fill(document.getElementById("often"), entities.map((one) => h("li", {}, h("a", { href: link(one.name) }, one.label || one.name), h("small", {}, times(one.count))))),
    ).catch(() => {});
    map.select();
    return;
  }
  attempt(panel, async () => [await card(state.entity, state.side, model), relations(state, model)]);
  if (state.side === "column" || model.shared) map.select(state.entity);
}

export function compare(panel, state, model, map) {
  const side = state.side;
  const both = [["entity", "First entity"], ["other", "Second entity"]];
  const cards = both.map(() => h("div", { class: "card" }));
  const together = h("div", {});
  fill(
    panel,
    h("h2", {}, "Two side by side"),
    h("div", { class: "pair" }, both.map(([key, label]) => field(label, (entity) => go({ ...state, [key]: entity.name, side: entity.side }), {}))),
    together,
    h("div", { class: "pair" }, cards),
  );
  both.forEach(([key], n) => {
    if (state[key]) attempt(cards[n], () => card(state[key], side, model, 6));
  });
  if (state.entity && state.other && model.shared) {
    attempt(together, async () => {
      const { predictions } = await post("predict", { pairs: [[state.entity, state.other], [state.other, state.entity]] });
      return h("p", {}, predictions.map((one) => h("span", { class: "pill" }, `p(${one.right} beside ${one.left}) = ${number(one.p)} ± ${number(one.std)}`)));
    });
  }
  map.select(state.entity, state.other);
}

export function whatIf(panel, state, model, map) {
  const answers = h("div", { "aria-live": "polite" });
  const name = h("input", { id: "new-name", type: "text", maxLength: 500, autocomplete: "off", value: state.name || "" });
  const text = h("textarea", { id: "new-text", rows: "3", maxLength: 2000, value: state.text || "" });
  const said = () => (model.texts.length ? text.value.trim() : "");
  const change = (more) => go({ ...state, name: name.value.trim() || state.name, text: said(), ...more });
  const without = (key, entry) => change({ [key]: state[key].filter((each) => each !== entry) });
  const typed = later(() => {
    if (!name.isConnected) return;  // drawn anew since, with this name and perhaps with more
    state.name = name.value.trim();
    state.text = said();
    replace({ ...here(), name: state.name, text: state.text });
    ask();
  }, 250);
  for (const input of [name, text]) input.addEventListener("input", typed);
  const contextsSide = model.shared ? "column" : "row";
  fill(
    panel,
    h("h2", {}, "What if there were…"),
    h("p", { class: "note" }, "A name that the model does not know, what it is a kind of, and perhaps what it was seen with. Nothing is changed in the model."),
    h("div", { class: "field" }, h("label", { for: "new-name" }, "Its name"), name),
    field("A parent", (entity) => change({ parent: [...new Set([...state.parent, entity.name])] }), { side: "column" }),
    chips(state.parent, (entry) => without("parent", entry), "Parents"),
    field("Seen with", (entity) => change({ context: [...state.context, entity.name] }), { side: contextsSide }),
    chips([...new Set(state.context)], (entry) => without("context", entry), "Seen with"),
    model.texts.length ? h("div", { class: "field" }, h("label", { for: "new-text" }, "A text about it"), text) : null,
    answers,
  );
  function ask() {
    if (!state.name) {
      fill(answers, h("p", { class: "note" }, "Give it a name to begin."));
      map.ghost(null);
      return;
    }
    const asked = { name: state.name, parents: state.parent, contexts: state.context, k: 10 };
    if (state.text && model.texts.length) asked.text = { [model.texts[0]]: state.text };
    attempt(answers, async () => {
      const found = await post("what-if", asked, "what-if");
      map.ghost(found.place, state.name, found.std);
      return [
        block("It would stand near", ranked(found.similar, { label: `Nearest to ${state.name}` })),
        h("p", {}, `Uncertainty ${number(found.std)}; ${percent(found.prior_share)} of what is known comes from its parents${asked.text ? " and the text" : ""}.`),
        model.writable ? h("button", { type: "button", onclick: () => save(asked) }, "Add it to the model") : null,
      ];
    });
  }
  async function save(asked) {
    try {
      await post("what-if", { ...asked, save: true });
      map.again();
      go({ view: "explore", entity: asked.name });
    } catch (error) {
      fill(answers, failed(error));
    }
  }
  ask();
}

export function recommend(panel, state, model) {
  const answers = h("div", { class: "pair" });
  const dial = h("input", { id: "dial", type: "range", min: "-1", max: "1", step: "0.125", value: String(state.popularity === "auto" ? 0 : state.popularity) });
  const automatic = h("button", { type: "button", onclick: () => go({ ...here(), popularity: "auto" }) }, "automatic");
  dial.addEventListener("input", later(() => dial.isConnected && go({ ...here(), popularity: Number(dial.value) }), 200));
  fill(
    panel,
    h("h2", {}, "Recommend"),
    h("p", { class: "note" }, "What goes with a handful of entities, for somebody whom the model has never seen."),
    field("Somebody has", (entity) => go({ ...state, user: undefined, has: [...new Set([...state.has, entity.name])] }), { side: "column" }),
    chips(state.has, (entry) => go({ ...state, has: state.has.filter((each) => each !== entry) }), "Somebody has"),
    model.shared ? null : field("Or a row of training", (entity) => go({ ...state, has: [], user: entity.name }), { side: "row" }),
    state.user ? chips([state.user], () => go({ ...state, user: undefined }), "Row") : null,
    h("div", { class: "field" }, h("label", { for: "dial" }, `Popularity dial: ${state.popularity === "auto" ? "automatic" : state.popularity} (rare ⟷ popular)`), dial, state.popularity === "auto" ? null : automatic),
    answers,
  );
  if (!state.has.length && !state.user) {
    fill(answers, h("p", { class: "note" }, "Pick an entity to begin."));
    return;
  }
  const ways = state.user ? [["By its own density", "fold_in"]] : [["Folded in", "fold_in"], ...(model.shared ? [["Averaged", "average"]] : [])];
  fill(answers, ways.map(([title, query]) => {
    const list = h("div", {});
    attempt(list, async () => {
      const who = state.user ? { user: state.user } : { entities: state.has };
      return ranked(await post("recommend", { ...who, query, popularity: state.popularity, k: 12 }), { label: title, of: "of occurring with these" });
    });
    return h("div", { class: "card" }, h("h3", {}, title), list);
  }));
}
