// The taxonomy from its roots, and what the data says against it.

import { get } from "./api.js";
import { fill, h, times, whole } from "./dom.js";
import { lookUp } from "./known.js";
import { attempt, block, entityLink } from "./parts.js";
import { address } from "./route.js";

const AGAINST = "What the data says against it";
const KINDS = {
  contradicted: "Parents that the data contradicts",
  nearer: "Entities nearer to another parent",
  scattered: "Categories whose children have little in common",
  level: "Levels without meaning",
  both: "Names of an entity and of a category at once",
};
const [FIRST, MOST] = [20, 200]; // nodes at once, and in all

// A node with a button that shows what is below it; its children are asked for when they are first wanted.
function node(one) {
  const under = h("div", { hidden: true });
  const label = `Show what is below ${one.label || one.name}`;
  const open = h("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-label": label, onclick: () => toggle() }, "▸");
  function toggle() {
    under.hidden = !under.hidden;
    open.setAttribute("aria-expanded", String(!under.hidden));
    open.textContent = under.hidden ? "▸" : "▾";
    if (!under.hidden && !under.childElementCount) attempt(under, () => branch(one.name));
  }
  const told = one.children ? `${whole(one.below)} below` : times(one.count);
  const line = h("div", { class: "node" }, one.children ? open : h("span", { class: "opener" }), entityLink(one), h("small", {}, told));
  return h("li", {}, line, one.children ? under : null);
}

async function branch(entity) {
  const found = await get("tree", { entity, limit: MOST });
  const rest = found.total - found.nodes.length;
  const list = h("ul", { class: "tree" }, found.nodes.slice(0, FIRST).map(node));
  const hidden = found.nodes.slice(FIRST);
  const more = h("button", { type: "button", class: "quiet", onclick: () => { list.append(...hidden.map(node)); more.remove(); } }, `Show ${whole(hidden.length)} more`);
  return [
    list,
    hidden.length ? more : null,
    rest > 0 ? h("p", { class: "note" }, `${whole(rest)} more are not listed; the search box finds them.`) : null,
  ];
}

const namesOf = (one) => [one.entity, one.parent, ...one.suggestions.slice(0, 3)].filter(Boolean);

function finding(one, labels) {
  const linked = (name) => entityLink({ name, label: labels.get(name) });
  return h(
    "li",
    {},
    one.kind === "level" ? one.entity : linked(one.entity),
    one.parent ? [" below ", linked(one.parent)] : "",
    one.suggestions.length ? [h("small", {}, "; better: "), one.suggestions.slice(0, 3).map((name, n) => [n ? ", " : "", linked(name)])] : "",
    h("small", { class: "evidence" }, one.evidence),
  );
}

async function audit(map, place) {
  const found = await get("audit", { limit: 25 });
  if (place.isConnected) map.mark("finding", found.findings.map((one) => one.entity));
  if (!found.findings.length) return h("p", { class: "note" }, `The data contradicts none of the ${whole(found.edges)} edges.`);
  const names = [...new Set(found.findings.flatMap(namesOf))];
  const labels = new Map((await lookUp(names)).map((one, n) => [names[n], one.label]));
  return [
    h("p", { class: "note" }, `${whole(found.edges)} edges were checked. Entities listed here have a red ring on the map; categories are not on it.`),
    Object.entries(found.counts).filter(([, n]) => n).map(([kind, n]) => {
      const some = found.findings.filter((one) => one.kind === kind);
      return h("details", { open: true },
        h("summary", {}, `${KINDS[kind] || kind} (${some.length < n ? `the first ${some.length} of ` : ""}${whole(n)})`),
        h("ul", { class: "findings" }, some.map((one) => finding(one, labels))));
    }),
  ];
}

export function taxonomy(sheet, state, model, map) {
  const [tree, findings] = [h("div", {}), h("div", {})];
  const wanted = Boolean(state.finding);
  fill(
    sheet,
    h("h2", {}, "The taxonomy"),
    h("p", { class: "note" }, "What each entity is a kind of: the prior of its density. An entity that was hardly seen stands near its parents."),
    wanted ? block(AGAINST, findings) : h("p", {}, h("a", { class: "pill", href: address({ view: "taxonomy", finding: "all" }) }, AGAINST)),
    block("From the roots", tree),
  );
  attempt(tree, () => branch());
  if (wanted) attempt(findings, () => audit(map, findings), "Checking all edges…");
}
