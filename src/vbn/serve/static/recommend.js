// What goes with a handful of entities, or with a row of training.

import { post } from "./api.js";
import { fill, h, later, number } from "./dom.js";
import { attempt, ranked } from "./parts.js";
import { go, here, replace } from "./route.js";
import { chips, field } from "./search.js";

const WAYS = [
  ["Folded in", "fold_in", "For somebody new who has all of these."],
  ["Averaged", "average", "By the mean of their own densities."],
];

export function recommend(sheet, state, model, map) {
  const answers = h("div", { class: "pair" });
  const dial = h("input", { id: "dial", type: "range", min: "-1", max: "1", step: "0.125" });
  const label = h("label", { for: "dial" });
  const automatic = h("button", { type: "button", class: "quiet", onclick: () => turn("auto") }, "automatic");
  // A turn of the dial is no step of the history: one goes back to what was asked before, not through all positions.
  function turn(popularity) {
    state.popularity = popularity;
    replace({ ...here(), popularity });
    ask();
  }
  dial.addEventListener("input", later(() => dial.isConnected && turn(Number(dial.value)), 200));
  fill(
    sheet,
    h("h2", {}, "Recommend"),
    h("p", { class: "note" }, `What goes with a handful of entities, for somebody whom the model has never seen${model.shared ? "" : "; or what a row of the data may want next"}.`),
    field("Somebody has", (entity) => go({ ...state, user: undefined, has: [...new Set([...state.has, entity.name])] }), { side: "column" }),
    chips(state.has, (entry) => go({ ...state, has: state.has.filter((each) => each !== entry) }), "Somebody has"),
    model.shared ? null : field("Or a row of the data, such as a user", (entity) => go({ ...state, has: [], user: entity.name }), { side: "row" }),
    state.user ? chips([state.user], () => go({ ...state, user: undefined }), "Row", "row") : null,
    h("div", { class: "field" }, label, dial, automatic),
    answers,
  );
  map.mark("basket", state.has);

  function ask() {
    const chosen = state.popularity !== "auto";
    label.textContent = `Popularity dial: ${chosen ? number(state.popularity, 3).replace(/\.?0+$/, "") : "automatic"} (left: rare things first; right: popular ones)`;
    if (!chosen || Number(dial.value) !== state.popularity) dial.value = String(chosen ? state.popularity : 0);
    automatic.hidden = !chosen;
    if (!state.has.length && !state.user) {
      fill(answers, h("p", { class: "note" }, "Pick an entity to begin."));
      return;
    }
    const ways = state.user ? [["By its own density", "fold_in", null]] : WAYS.slice(0, model.shared ? 2 : 1);
    fill(answers, ways.map(([title, query, told], n) => {
      const list = h("div", {});
      attempt(list, async () => {
        const who = state.user ? { user: state.user } : { entities: state.has };
        const found = await post("recommend", { ...who, query, popularity: state.popularity, k: 12 }, `recommend-${query}`);
        if (n === 0 && list.isConnected) map.mark("near", found.answers.map((one) => one.entity));
        return ranked(found, { label: title, of: state.user ? "of occurring with this row" : "of occurring with these" });
      });
      return h("div", { class: "card" }, h("h3", {}, title), told ? h("p", { class: "note" }, told) : null, list);
    }));
  }
  ask();
}
