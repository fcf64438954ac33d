// Pieces that several views share: ranked lists with bars, families, messages.

import { askForToken } from "./api.js";
import { fill, h, named, number, percent, times, whole } from "./dom.js";
import { theGuide } from "./known.js";
import { link } from "./route.js";
import { saveList } from "./saving.js";

export const block = (title, ...children) => h("section", { class: "block" }, h("h3", {}, title), ...children);

// A link to a card; hovered, it marks its point on the map.
export function entityLink(one, side = "column") {
  const name = one.entity ?? one.name;
  const about = { href: link(name, side), title: one.label ? name : null, "data-entity": side === "column" ? name : null };
  return h("a", about, named(one.label || name));
}

// What a task answers, in an element; if it has been replaced since, nobody sees a late answer.
export async function attempt(element, task, meanwhile) {
  fill(element, waiting(meanwhile));
  try {
    fill(element, await task());
  } catch (error) {
    const shown = failed(error);
    if (shown) fill(element, shown);
  }
}

// What the bars of a list are: `of` says of what a probability is.
function measured(measure, of) {
  if (measure === "cosine") return "how alike they are: the expected cosine, 1 if both are fully known and point the same way";
  const p = `the probability${of ? ` ${of}` : ""}, rather than being paired by chance`;
  return measure === "score" ? `how well it fits: a score from 0 to 1 that starts from ${p}, and is moved by the popularity dial and, in some models, by what occurs together` : `how likely: ${p}`;
}

// What a cosine means in this model: how alike two entities are that were taken at random.
function usual() {
  const told = h("span", {});
  theGuide().then(({ cosines }) => {
    if (cosines["0.5"] === undefined) return;
    fill(told, ` Two entities at random have ${number(cosines["0.5"])}; one such pair in a hundred reaches ${number(cosines["0.99"])}.`);
  }).catch((error) => console.info(`no usual cosines: ${error.message}`));
  return told;
}

// All bars of the page have one scale, from 0 to 1.
export function ranked(answers, { side = "column", empty = "Nothing.", label = "Ranked entities", of = "", more = () => null } = {}) {
  const rows = answers.answers;
  if (!rows.length) return h("p", { class: "note" }, empty);
  const measure = answers.measure === "p" ? "probability" : answers.measure;
  const columns = ["entity", "label", measure, "std", "times_seen"];
  const save = () => saveList(label, columns, rows.map((one) => [one.entity, one.label, one.score, one.std, one.count]));
  const list = h(
    "ol",
    { class: rows.some((one) => one.known) ? "ranked known" : "ranked", "aria-label": label },
    rows.map((one) =>
      h(
        "li",
        {},
        entityLink(one, side),
        h("small", {}, one.category ? "category" : one.known ? `known; ${times(one.count)}` : times(one.count)),
        bar(one.score, one.std),
        h(
          "span",
          { class: "value", title: `${measure} ${number(one.score, 3)}, standard deviation ${number(one.std, 3)}` },
          `${number(one.score)} ± ${number(one.std)}`,
        ),
        more(one),
      ),
    ),
  );
  return [
    h("p", { class: "note" }, `Bar: ${measured(answers.measure, of)}. Line: how far off that may be, one standard deviation to both sides.`, measure !== "cosine" || side === "row" ? null : usual()),
    list,
    h("button", { type: "button", class: "quiet", onclick: save, "aria-label": `Save as csv: ${label}` }, "Save as csv"),
  ];
}

export function bar(score, std = 0) {
  const cut = (value) => Math.max(0, Math.min(1, value));
  const [low, high] = [cut(score - std), cut(score + std)];
  return h(
    "span",
    { class: "bar", "aria-hidden": "true", vars: { "--end": `${100 * cut(score)}%`, "--low": `${100 * low}%`, "--wide": `${100 * (high - low)}%` } },
    h("span", { class: "bar-value" }),
    std ? h("span", { class: "bar-spread" }) : null,
  );
}

export function family(found, self, side) {
  const item = (one) => h("li", {}, entityLink(one, side), h("small", {}, one.count ? times(one.count) : ""));
  const group = (title, list, total) =>
    list.length
      ? h("details", { open: list.length <= 12 }, h("summary", {}, `${title} (${whole(total ?? list.length)})`), h("ul", {}, list.map(item)))
      : null;
  if (!found.parents.length && !found.children.length) return h("p", { class: "note" }, "It has no parents and no children.");
  return h(
    "div",
    { class: "family" },
    group("Parents", found.parents),
    h("p", { class: "self" }, h("strong", {}, named(self))),
    group("Children", found.children, found.n_children),
    group("Siblings", found.siblings, found.n_siblings),
  );
}

// The children that hold a category in place, by their shares.
function held(children, side) {
  if (!children.length) return null;
  return h("p", {}, "Held most by ", children.map((one, n) => [n ? ", " : "", entityLink(one, side), ` (${percent(one.share)})`]), ".");
}

function fromPrior(part, content) {
  if (!part.parents.length && !content) return "the prior alone, as it has no parents";
  return [part.parents.length ? "its parents" : "", content ? `its content (${content})` : ""].filter(Boolean).join(" and ");
}

// How often a pair was seen, where it was more than once.
const together = (count) => (count === 1 ? "" : ` (${times(count).replace("seen ", "")})`);

const ofAll = (share) => (share > 0.995 ? "almost all" : share < 0.005 ? "hardly any" : `${percent(share)} of all`);

export function why(explanation, side, map) {
  const part = explanation.parts[0];
  const category = explanation.kind === "category";
  const content = (part.content || []).map((one) => one.source).join(" and ");
  const shares = [
    ["prior", part.prior_share, fromPrior(part, content)],
    [category ? "children" : "data", part.data_share, category ? "its children" : "what it was seen with"],
    ["relations", part.relation_share, "typed relations"],
  ].filter(([, share]) => share > 0.0005);
  const unseen = part.prior_share > 0.995;
  const pairs = part.moved ? part.moved.pairs.slice(0, 6) : [];
  const surer = h("span", {});
  if (!category && map) map.surerThan(part.std).then((share) => fill(surer, ` Its place is surer than that of ${ofAll(share)} entities.`));
  return [
    h(
      "div",
      { class: "shares", role: "img", "aria-label": shares.map(([name, share]) => `${percent(share)} ${name}`).join(", ") },
      shares.map(([name, share, text]) =>
        h("span", { class: `share ${name}`, title: `${percent(share)} from ${text}`, vars: { "--share": String(share) } }, share < 0.2 ? "" : `${name} ${percent(share)}`),
      ),
    ),
    h(
      "p",
      {},
      `${shares.map(([, share, text], n) => `${percent(share)} ${n ? "" : "of what is known comes "}from ${text}`).join(", ")}. `,
      `Uncertainty ${number(part.std)}: along each dimension its true place is about that far from the mean`,
      unseen ? `. ${category ? "Nothing below it was ever seen" : "It was never seen"}.` : `; by the prior alone it would be ${number(part.prior_std)}.`,
      surer,
    ),
    category ? held(explanation.children, explanation.side) : null,
    pairs.length
      ? h("p", {}, `Moved most by ${side === "row" ? "the rows it was seen with: " : "what it was seen with: "}`,
          pairs.map((pair, n) => [n ? ", " : "", entityLink(pair, side), together(pair.count)]), ".")
      : null,
  ];
}

export function failed(error) {
  if (error.name === "AbortError") return null;
  const told = error.closest?.length ? error.message.replace(/ Did you mean [^?]*\?$/, "") : error.message; // links say it
  const begun = told.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return h(
    "div",
    { class: "failed", role: "alert" },
    h("p", {}, begun),
    error.status === 401 ? h("button", { type: "button", onclick: () => askForToken(true).then(() => location.reload(), () => {}) }, "Enter the token") : null,
    error.closest?.length ? h("p", {}, "Did you mean ", error.closest.map((name, n) => [n ? ", " : "", entityLink({ name })]), "?") : null,
  );
}

export const waiting = (text = "…") => h("p", { class: "note waiting" }, text);
