// What the map shows: colours, and filters by branch, frequency and uncertainty. A branch is filtered by a click on it.

import { amounts, BRANCHES, CHOICES, quantiles, STOPS } from "./colours.js";
import { fill, h, named, number, times, whole } from "./dom.js";

const SHOWN = { "": "All", frequent: "Frequent", rare: "Rare" };
const STEPS = 20;

export function makeLegend(box, body, changed) {
  const how = { shown: "", colour: "branch", only: new Set(), seen: 0, sure: Infinity };
  let points = null;
  let about = null;

  // From an address, whose words may be any.
  function read(state) {
    how.shown = Object.hasOwn(SHOWN, state.shown || "") ? state.shown || "" : "";
    how.colour = Object.hasOwn(CHOICES, state.colour || "") ? state.colour : "branch";
    how.only = new Set((state.only || "").split(".").filter(Boolean).map(Number).filter(Number.isInteger));
    how.seen = Math.max(0, Number(state.seen) || 0);
    how.sure = Number(state.sure) > 0 ? Number(state.sure) : Infinity;
    draw();
  }

  const told = () => ({
    shown: how.shown,
    colour: how.colour === "branch" ? "" : how.colour,
    only: [...how.only].sort((a, b) => a - b).join("."),
    seen: how.seen ? String(how.seen) : "",
    sure: Number.isFinite(how.sure) ? String(how.sure) : "",
  });

  function change(more) {
    Object.assign(how, more);
    draw();
    changed();
  }

  // Which points are shown.
  function passing() {
    const passes = new Uint8Array(points.n);
    for (let n = 0; n < points.n; n += 1) {
      const rare = points.count[n] <= points.rare;
      passes[n] = Number(
        (!how.shown || rare === (how.shown === "rare")) && (!how.only.size || how.only.has(points.branch[n]))
        && points.count[n] >= how.seen && points.std[n] <= how.sure,
      );
    }
    return passes;
  }

  function choices() {
    return h(
      "fieldset",
      { class: "map-shown" },
      h("legend", { class: "hidden" }, "Entities on the map"),
      Object.entries(SHOWN).map(([value, text]) =>
        h(
          "label",
          {},
          h("input", { type: "radio", name: "shown", value, checked: value === how.shown, onchange: () => change({ shown: value }) }),
          value ? h("span", { class: `dot ${value === "rare" ? "hollow" : ""}`, "aria-hidden": "true" }) : null,
          text,
        ),
      ),
    );
  }
  box.append(choices());

  function branches() {
    const sizes = new Uint32Array(about.branches.length);
    points.branch.forEach((branch) => { sizes[branch] += 1; });
    const toggle = (n) => {
      const only = new Set(how.only);
      if (!only.delete(n)) only.add(n);
      change({ only });
    };
    return [
      about.branches.length > 1 ? h("p", {}, "Click on branches to see only these.") : null,
      h("ul", { class: "branches" }, about.branches.map((name, n) =>
        sizes[n] || n
          ? h("li", {}, h("button", { type: "button", id: `branch-${n}`, "aria-pressed": String(how.only.has(n)), onclick: () => toggle(n) },
              h("span", { class: "dot", vars: { "--dot": BRANCHES[n % BRANCHES.length] } }), named(about.labels[n] || name), h("small", {}, ` ${whole(sizes[n])}`)))
          : null)),
    ];
  }

  function gradient() {
    const { low, high } = amounts(points, how.colour);
    return [
      h("div", { class: "gradient", "aria-hidden": "true", vars: { "--stops": STOPS.join(", ") } }),
      h("p", { class: "ends" }, h("span", {}, low), h("span", {}, high)),
    ];
  }

  // A slider over quantiles, so that each step takes away about as many.
  function slider(id, values, value, text, take) {
    const at = values.findIndex((each) => each >= value);
    const label = h("label", { for: id }, text(value));
    const input = h("input", { id, type: "range", min: "0", max: String(values.length - 1), step: "1", value: String(at < 0 ? values.length - 1 : at) });
    input.addEventListener("input", () => {
      take(values[Number(input.value)], Number(input.value));
      label.textContent = text(id === "seen" ? how.seen : how.sure);
    });
    return h("div", { class: "field" }, label, input);
  }

  function filters() {
    const shares = Array.from({ length: STEPS + 1 }, (_, n) => n / STEPS);
    const counts = [...new Set([0, ...quantiles(points.count, shares.slice(1, -1))])];
    const stds = [...new Set(quantiles(points.std, shares.slice(1)))];
    const last = stds.length - 1;
    return [
      slider("seen", counts, how.seen, (value) => `Seen at least: ${value ? times(value).replace("seen ", "") : "any"}`, (value) => {
        how.seen = value;
        changed();
      }),
      slider("sure", stds, how.sure, (value) => `Uncertainty at most: ${Number.isFinite(value) ? number(value) : "any"}`, (value, at) => {
        how.sure = at === last ? Infinity : Number(value.toPrecision(4));
        changed();
      }),
    ];
  }

  function draw() {
    box.querySelector(`.map-shown input[value="${how.shown}"]`).checked = true;
    if (!points) return;
    const focus = body.contains(document.activeElement) ? document.activeElement.id : "";
    const select = h("select", { id: "colour", onchange: (event) => change({ colour: event.target.value }) },
      Object.entries(CHOICES).map(([value, text]) => h("option", { value, selected: value === how.colour }, text)));
    const rare = `${about.rare === 1 ? "once" : `${whole(about.rare)} times`}`;
    fill(
      body,
      h("p", {}, h("label", { for: "colour" }, "Colour: "), select),
      how.colour === "branch" ? branches() : gradient(),
      filters(),
      how.only.size || how.seen || how.shown || Number.isFinite(how.sure)
        ? h("p", {}, h("button", { type: "button", id: "unfiltered", onclick: () => change({ shown: "", only: new Set(), seen: 0, sure: Infinity }) }, "Show all again"))
        : null,
      h("ul", {},
        h("li", {}, h("span", { class: "dot" }), `Frequent: seen ${about.rare ? `more than ${rare}` : "once or more often"}`),
        h("li", {}, h("span", { class: "dot hollow" }), `Rare, a ring: ${about.rare ? `seen at most ${rare}` : "never seen"}; drawn last`)),
      h("p", {}, "Large and pale: uncertain. Small and strong: well known. The dashed ellipse around an entity shows where it "
        + "might as well stand: two draws in five from its density fall inside."),
      h("p", {}, `Layout: ${about.method}${about.final ? "" : " (a better one is being computed)"}. Near means similar; far says little.`),
    );
    if (focus) document.getElementById(focus)?.focus();
  }

  return {
    read,
    told,
    how,
    passing,
    load(newPoints, newAbout) {
      points = newPoints;
      about = newAbout;
      draw();
    },
  };
}
