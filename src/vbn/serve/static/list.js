// The entities inside of a lasso, as a list.

import { h, number, percent, times, whole } from "./dom.js";
import { wordsOf } from "./known.js";
import { attempt, entityLink } from "./parts.js";
import { address } from "./route.js";
import { saveList } from "./saving.js";

const SHOWN = 200;
const SAVED = 5000;
const BASKET = 20;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function save(points) {
  const some = points.slice(0, SAVED);
  const words = await wordsOf(some.map((one) => one.id));
  saveList("entities", ["entity", "label", "times_seen", "uncertainty", "share_of_prior"],
    some.map((one, n) => [words[n].name, words[n].label, one.count, one.std.toFixed(4), one.prior.toFixed(4)]));
}

export function list(sheet, state, model, map) {
  attempt(sheet, async () => {
    const points = await map.within(state.lasso);
    if (!points.length) return [h("h2", {}, "Nothing inside"), h("p", { class: "note" }, "Press the lasso beside the map, and draw around some points.")];
    const some = points.slice(0, SHOWN);
    const words = await wordsOf(some.map((one) => one.id));
    const [std, prior] = ["std", "prior"].map((name) => median(points.map((one) => one[name])));
    const basket = address({ view: "recommend", has: words.slice(0, BASKET).map((one) => one.name) });
    return [
      h("h2", {}, `${whole(points.length)} ${points.length === 1 ? "entity" : "entities"} inside`),
      h("p", {}, `Half of them have an uncertainty of ${number(std)} or less. For half of them, ${percent(prior)} or less of what is known comes from their parents.`),
      h("div", { class: "buttons" },
        h("button", { type: "button", onclick: () => save(points) }, `Save as csv${points.length > SAVED ? ` (the first ${whole(SAVED)})` : ""}`),
        h("a", { class: "pill", href: basket }, `What goes with ${points.length > BASKET ? `the first ${BASKET}` : "these"}`)),
      points.length > SHOWN ? h("p", { class: "note" }, `The ${SHOWN} most frequent:`) : null,
      h("ul", { class: "plain" }, some.map((one, n) => h("li", {}, entityLink(words[n]), h("small", {}, `${times(one.count)}; uncertainty ${number(one.std)}`)))),
    ];
  });
}
