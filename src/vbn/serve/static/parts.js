// Pieces that several views share: ranked lists with bars, families, messages.

import { h, number, percent, times } from "./dom.js";
import { link } from "./route.js";

// What the bars of a list are: `of` says of what a probability is.
function measured(measure, of) {
  if (measure === "cosine") return "expected cosine of the two densities, 1 if both are fully known and point the same way";
  return `probability${of ? ` ${of}` : ""}${measure === "score" ? ", after the dial" : ""}`;
}

export function ranked(answers, { side = "column", empty = "Nothing.", label = "Ranked entities", of = "" } = {}) {
  if (!answers.answers.length) return h("p", { class: "note" }, empty);
  const probability = answers.measure === "p" || answers.measure === "score";
  const largest = Math.max(...answers.answers.map((one) => Math.abs(one.score) + one.std), 1e-9);  // so that no spread is cut off
  const list = h(
    "ol",
    { class: "ranked", "aria-label": label },
    answers.answers.map((one) =>
      h(
        "li",
        {},
        h("a", { href: link(one.entity, side) }, one.label || one.entity),
        h("small", {}, one.label ? `${one.entity}, ` : "", one.category ? "category" : one.known ? `${times(one.count)}, known` : times(one.count)),
        bar(one.score / largest, one.std / largest),
        h(
          "span",
          { class: "value", title: `${probability ? "probability" : answers.measure} ${number(one.score, 3)}, standard deviation ${number(one.std, 3)}` },
          `${number(one.score)} ± ${number(one.std)}`,
        ),
      ),
    ),
  );
  return [h("p", { class: "note" }, `Bar: ${measured(answers.measure, of)}. Line: one standard deviation to both sides.`), list];
}

function bar(share, spread) {
  const end = Math.max(0, Math.min(1, share));
  const low = Math.max(0, Math.min(1, share - spread));
  const high = Math.max(0, Math.min(1, share + spread));
  return h(
    "span",
    { class: "bar", "aria-hidden": "true", vars: { "--end": `${100 * end}%`, "--low": `${100 * low}%`, "--wide": `${100 * (high - low)}%` } },
    h("span", { class: "bar-value" }),
    h("span", { class: "bar-spread" }),
  );
}

export function family(found, entity, side) {
  const item = (one) => h("li", {}, h("a", { href: link(one.name, side) }, one.label || one.name), h("small", {}, [one.label ? one.name : "", one.count ? times(one.count) : ""].filter(Boolean).join(", ")));
  const group = (title, list, total) =>
    list.length
      ? h("details", { open: list.length <= 12 }, h("summary", {}, `${title} (${(total ?? list.length).toLocaleString("en")})`), h("ul", {}, list.map(item)))
      : null;
  if (!found.parents.length && !found.children.length) return h("p", { class: "note" }, "It stands in no taxonomy.");
  return h(
    "div",
    { class: "family" },
    group("Parents", found.parents),
    h("p", { class: "self" }, h("strong", {}, entity)),
    group("Children", found.children, found.n_children),
    group("Siblings", found.siblings, found.n_siblings),
  );
}

// The children that hold a category in place, by their shares.
function held(children, side) {
  if (!children.length) return null;
  return h("p", {}, "Held most by ", children.map((one, n) => [n ? ", " : "", h("a", { href: link(one.entity, side) }, one.label || one.entity), ` (${percent(one.share)})`]), ".");
}

export function why(explanation, side = "column") {
  const part = explanation.parts[0];
  const category = explanation.kind === "category";
  const content = (part.content || []).map((one) => one.source).join(" and ");
  const said = content ? `what ${part.parents.length ? "its parents and " : ""}its content (${content}) say` : "what its parents say";
  const shares = [
    ["prior", part.prior_share, category && !part.parents.length && !content ? "the prior, as it has no parents" : said],
    [category ? "children" : "data", part.data_share, category ? "what its children say" : "what it was seen with"],
    ["relations", part.relation_share, "typed relations"],
  ].filter(([, share]) => share > 0.0005);
  const pairs = part.moved ? part.moved.pairs.slice(0, 6) : [];
  return [
    h(
      "div",
      { class: "shares", role: "img", "aria-label": shares.map(([name, share]) => `${percent(share)} ${name}`).join(", ") },
      shares.map(([name, share, text]) =>
        h("span", { class: `share ${name}`, title: `${percent(share)} ${text}`, vars: { "--share": String(share) } }, share < 0.2 ? "" : `${name} ${percent(share)}`),
      ),
    ),
    h(
      "p",
      {},
      `${shares.map(([, share, text]) => `${percent(share)} ${text}`).join(", ")}. `,
      `Uncertainty ${number(part.std)}; by the prior alone it would be ${number(part.prior_std)}.`,
      part.prior_share > 0.995 ? ` Nothing was seen ${category ? "below it" : `of it: all comes from its parents${content ? " and content" : ""}`}.` : "",
    ),
    category ? held(explanation.children, explanation.side) : null,
    pairs.length
      ? h(
          "p",
          {},
          "Moved most by ",
          pairs.map((pair, n) => [n ? ", " : "", h("a", { href: link(pair.entity, side) }, pair.label || pair.entity), ` (${number(pair.count, 0)}×)`]),
          ".",
        )
      : null,
  ];
}

export function failed(error) {
  if (error.name === "AbortError") return null;
  return h(
    "div",
    { class: "failed", role: "alert" },
    h("p", {}, error.message),
    error.closest?.length ? h("p", {}, "Closest: ", error.closest.map((name, n) => [n ? ", " : "", h("a", { href: link(name) }, name)])) : null,
  );
}

export const waiting = () => h("p", { class: "note waiting" }, "…");
