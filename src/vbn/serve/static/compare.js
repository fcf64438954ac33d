// Two entities compared: how alike they are, how much their densities overlap, whom both are near; then their cards.

import { get } from "./api.js";
import { fill, h, number, whole } from "./dom.js";
import { card } from "./card.js";
import { labelIfKnown, lookUp, theGuide } from "./known.js";
import { attempt, bar, block, entityLink } from "./parts.js";
import { go } from "./route.js";
import { field } from "./search.js";

// In words, compared with pairs that were taken at random.
const verdict = (expected, cosine, std, cosines) => {
  if (Math.abs(cosine) < 2 * std && cosine + 2 * std > cosines["0.9"]) return "too uncertain to tell whether they are alike";
  if (cosine < 0) return "they point away from each other";
  return expected > cosines["0.99"] ? "closer than 99 of 100 pairs" : expected > cosines["0.9"] ? "closer than 9 of 10 pairs" : "no closer than many pairs are";
};

function figure(title, value, std, note) {
  const told = [h("strong", {}, number(value)), std ? ` ± ${number(std)}` : "", bar(value, std || 0), h("small", {}, note)];
  return h("div", { class: "figure" }, h("dt", {}, title), h("dd", {}, told));
}

// Whom both are near; of a row and a column, what is likely for the one and near the other, in the order of the page.
function nearBoth(found, names) {
  const mixed = found.cosine === null;
  const title = mixed ? `Likely for ${names.row} and near ${names.column}` : "Near both";
  const numbers = names.order.map((side) => (side === "row" ? `how well it fits ${names.row}` : `its cosine with ${names[side]}`)).join(", and ");
  const note = `${found.n_shared > found.shared.length ? `The first ${whole(found.shared.length)}` : "Of each"}: ${numbers}.`;
  const list = h("ol", { class: "ranked plainly", "aria-label": title }, found.shared.map((one) =>
    h("li", {}, entityLink(one), h("span", { class: "value" }, `${number(one.first)} and ${number(one.second)}`))));
  return block(
    `${title}: ${whole(found.n_shared)} of the ${mixed ? `first ${found.looked_at}` : `${found.looked_at} nearest`} of each`,
    found.shared.length ? [h("p", { class: "note" }, note), list] : h("p", { class: "note" }, "None."),
  );
}

function together(found, cosines, shared, names) {
  const rows = [];
  if (found.cosine !== null) {
    rows.push(figure("How alike (expected cosine)", found.expected, 0, verdict(found.expected, found.cosine, found.std, cosines)));
    rows.push(figure("Cosine of the means", found.cosine, found.std, "as if both places were certain; the ± says that they are not"));
    rows.push(figure("Overlap of the densities", found.overlap, 0,
      "by dimension: 1 if they are the same density, 0 if they have nothing in common; wide densities overlap much"));
  }
  for (const one of found.chances) {
    const pair = shared ? `${labelIfKnown(one.right)} beside ${labelIfKnown(one.left)}` : `${labelIfKnown(one.right)} for ${one.left}`;
    rows.push(figure(`How likely: ${pair}`, one.p, one.std, "probability of occurring together, rather than being paired by chance"));
  }
  return [
    h("dl", { class: "figures" }, rows),
    nearBoth(found, names),
    found.ancestors.length ? block("Both are below", h("p", {}, found.ancestors.map((one, n) => [n ? ", " : "", entityLink(one)]))) : null,
  ];
}

export function compare(sheet, state, model, map) {
  const both = [["entity", "side", "First entity"], ["other", "otherside", "Second entity"]];
  const cards = both.map(() => h("div", { class: "card" }));
  const shared = h("div", {});
  const change = (key, side) => (entity) => go({ ...state, [key]: entity.name, [side]: entity.side });
  const fields = both.map(([key, side, label]) => field(label, change(key, side)));
  const onMap = both.filter(([key, side]) => state[key] && (model.shared || state[side] === "column")).map(([key]) => state[key]);
  const shown = ([key, side]) => (model.shared || state[side] === "column" ? labelIfKnown(state[key]) : state[key]);
  const titled = lookUp(onMap).then(() => fields.forEach((one, n) => {
    if (state[both[n][0]]) one.querySelector("input").placeholder = `${shown(both[n])}, or another`;
  }));
  fill(
    sheet,
    h("h2", {}, "Two side by side"),
    h("p", { class: "note" }, model.shared ? "How alike two entities are, and why."
      : "How alike two entities of a kind are; or how well a row and a column go together, such as a user and an item."),
    h("div", { class: "pair" }, fields),
    shared,
    h("div", { class: "pair" }, cards),
  );
  both.forEach(([key, side], n) => {
    if (state[key]) attempt(cards[n], async () => (await card(state[key], state[side], model, map, 6)).parts);
  });
  map.mark("chosen", onMap);
  if (!state.entity || !state.other) {
    fill(shared, h("p", { class: "note" }, state.entity || state.other ? "Pick another one." : "Pick two entities to begin."));
    return;
  }
  attempt(shared, async () => {
    const asked = { entity: state.entity, other: state.other, side: state.side, other_side: model.shared ? state.side : state.otherside };
    const [found, { cosines }] = await Promise.all([get("compare", asked), theGuide(), titled]);
    if (shared.isConnected) {
      document.title = `${both.map(shown).join(" and ")} – vbn explorer`;
      map.spread(onMap);
      if (found.shared.every((one) => one.side === "column")) map.mark("near", found.shared.map((one) => one.name));
    }
    const [row, column] = state.side === "row" ? both : [...both].reverse();
    const [first, second] = both.map(shown);
    const order = found.cosine !== null ? ["first", "second"] : state.side === "row" ? ["row", "column"] : ["column", "row"];
    return together(found, cosines, model.shared, { first, second, row: shown(row), column: shown(column), order });
  });
}
