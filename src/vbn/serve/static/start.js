// The first page: what a density is, by three entities of the model itself.

import { fill, h, named, number, percent, size, times } from "./dom.js";
import { theGuide } from "./known.js";
import { attempt, bar, block, entityLink } from "./parts.js";
import { address } from "./route.js";

const TITLES = { known: "Well known", once: "Hardly seen", unseen: "Never seen", new: "Not in the model yet" };
const title = (one) => (one.kind === "once" && one.entity.count === 1 ? "Seen once" : TITLES[one.kind]);

const CLEAR = 0.8; // of the widest density: narrower ones are called narrow

const listed = (entities) => entities.map((one, n) => [n ? (n === entities.length - 1 ? " and " : ", ") : "", entityLink(one)]);

// `wide` is the standard deviation of the least certain example.
function told(one, wide) {
  const orphan = !one.parents.length;
  const parents = orphan ? "the prior, as it has no parents" : ["its ", one.parents.length === 1 ? "parent " : "parents ", listed(one.parents)];
  if (one.kind === "new") return ["Name it and say what it is a kind of: it has a density at once, beside ", listed(one.parents), "'s other children."];
  if (one.kind === "known") {
    return [`${percent(1 - one.prior_share)} of what is known of it comes from data`, orphan ? "" : [", so it may stand far from ", parents], one.std < CLEAR * wide ? ". Its density is narrow." : "."];
  }
  if (one.kind === "once") {
    return [`There is less to go by: ${percent(one.prior_share)} of what is known comes from `, parents, one.std === wide ? ". Its density is wide." : "."];
  }
  return ["No data at all: everything comes from ", parents, ". It has neighbours all the same, and the model says how unsure it is."];
}

function example(one, wide) {
  const name = one.entity.label || one.entity.name;
  const href = one.kind === "new" ? address({ view: "what-if", name, parent: one.parents.map((each) => each.name) }) : null;
  return h(
    "section",
    { class: `example ${one.kind}` },
    h("h3", {}, `${title(one)}: `, href ? h("a", { href }, named(name)) : entityLink(one.entity), one.entity.count > 1 ? h("small", {}, ` ${times(one.entity.count)}`) : null),
    h("p", {}, told(one, wide)),
    one.std === null ? null : h("p", { class: "unsure" }, h("span", {}, `uncertainty ${number(one.std)}`), bar(one.std)),
    one.near.length ? h("p", { class: "note" }, "Nearest, by cosine: ", one.near.map((each, n) => [n ? ", " : "", entityLink(each), ` ${number(each.score)}`]), ".") : null,
  );
}

function meaning(cosines) {
  if (cosines["0.5"] === undefined) return null;
  return block(
    "What the numbers mean",
    h("dl", { class: "meaning" },
      h("dt", {}, "cosine"),
      h("dd", {}, `how alike two entities are, from −1 to 1. Two at random have ${number(cosines["0.5"])} here; one pair in ten has more `
        + `than ${number(cosines["0.9"])}, one in a hundred more than ${number(cosines["0.99"])}. Anything above that is close. Doubt lowers `
        + "it: where little is known of an entity, even its closest neighbours stay further from 1."),
      h("dt", {}, "± "),
      h("dd", {}, "one standard deviation. Two scores that differ by less than that may well be the other way round."),
      h("dt", {}, "uncertainty"),
      h("dd", {}, "how far, along each dimension, the true place is from the mean. About 1 is what the model starts from; near 0 is certain."),
      h("dt", {}, "share of the prior"),
      h("dd", {}, "how much of what is known of an entity comes from its parents, not from data of its own."),
    ),
  );
}

export function start(sheet, model, map) {
  const examples = h("div", {});
  fill(
    sheet,
    h("h2", {}, "Entities as densities"),
    h("p", {}, `${size(model)}, each a density in ${model.dim} dimensions: a place, and how sure the model is of it. `
      + (model.taxonomy ? "A taxonomy says what each is a kind of; an entity that was hardly seen stands near its parents. " : "")
      + "Search for a name, click on the map, or begin with one of these."),
    examples,
    h("p", {}, h("a", { href: "#view=what-if" }, "What if"), " shows where an entity would stand that does not exist yet, ",
      h("a", { href: "#view=recommend" }, "recommend"), " what goes with some of them."),
  );
  attempt(examples, async () => {
    const { examples: found, cosines } = await theGuide();
    if (examples.isConnected) {
      const there = found.filter((one) => one.kind !== "new").map((one) => one.entity.name);
      map.mark("near", there);
      map.spread(there);
    }
    return [
      h("div", { class: "examples", id: "often" }, found.map((one) => example(one, Math.max(...found.map(({ std }) => std ?? 0))))),
      h("p", { class: "note" }, "Each has a dashed ellipse on the map: the wider it is, the less sure the model is of the place."),
      meaning(cosines),
    ];
  });
}
