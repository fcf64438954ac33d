// The page: search box, theme, map, and the view that the address names.

import { get } from "./api.js";
import { explore } from "./card.js";
import { compare } from "./compare.js";
import { fill, h, size } from "./dom.js";
import { list } from "./list.js";
import { makeMap } from "./map.js";
import { failed } from "./parts.js";
import { recommend } from "./recommend.js";
import { go, here, listen, start } from "./route.js";
import { combobox } from "./search.js";
import { taxonomy } from "./taxonomy.js";
import { watch } from "./watch.js";
import { whatIf } from "./whatif.js";

const VIEWS = { explore, compare, "what-if": whatIf, recommend, taxonomy, list };
const TITLES = { "what-if": "What if", compare: "Compare", recommend: "Recommend", taxonomy: "Taxonomy", list: "List" };
const panel = document.getElementById("panel");

function theme() {
  const button = document.getElementById("theme");
  const set = (value) => {
    document.documentElement.dataset.theme = value;
    button.textContent = value === "dark" ? "☀" : "☾";
    dispatchEvent(new Event("theme"));
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  set(localStorage.getItem("vbn-theme") || (system.matches ? "dark" : "light"));
  system.addEventListener("change", () => localStorage.getItem("vbn-theme") || set(system.matches ? "dark" : "light"));
  button.addEventListener("click", () => {
    const value = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("vbn-theme", value);
    set(value);
  });
}

// Views are drawn again; keyboard users stay where they were, or go on in the panel.
function keepingFocus(draw) {
  const before = document.activeElement;
  const within = panel.contains(before);
  draw();
  if (!within || document.activeElement === before) return;
  const again = before.id && document.getElementById(before.id);
  const target = again || panel;
  target.dataset.quiet = "yes";
  target.focus({ preventScroll: !again });
  delete target.dataset.quiet;
}

function keys() {
  if (matchMedia("(pointer: coarse)").matches) document.getElementById("search").placeholder = "Find an entity…"; // no keys to press
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();  // the address names the view, not a place on the page
    panel.focus();
  });
  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      document.getElementById("search").focus();
    }
  });
}

// A name in a list that the mouse points at, or that has the focus, is marked on the map.
function hovering(map) {
  let last = "";
  const show = (event) => {
    const name = event.target.closest?.("[data-entity]")?.dataset.entity || "";
    if (name !== last) map.mark("hover", [name]);
    last = name;
  };
  for (const kind of ["pointerover", "focusin"]) panel.addEventListener(kind, show);
  for (const kind of ["pointerleave", "focusout"]) panel.addEventListener(kind, () => show({ target: panel }));
}

function footer(model) {
  document.getElementById("footer").append(
    `${size(model)}, ${model.dim} dimensions. `,
    h("a", { href: "docs" }, "HTTP service"),
    model.problem ? h("span", { class: "failed" }, ` Trouble: ${model.problem}`) : "",
  );
  watch(model, () => {
    const told = "The model was replaced by a newer one. ";
    const again = h("button", { type: "button", onclick: () => location.reload() }, "Show it");
    document.getElementById("footer").prepend(h("span", { class: "newer" }, told, again, " "));
    document.getElementById("status").textContent = told;
  });
}

async function begin() {
  theme();
  keys();
  let map = null;
  combobox(document.getElementById("search"), document.getElementById("found"), (entity) => {
    const now = here();
    go({ view: "explore", entity: entity.name, side: entity.side, relation: now.relation });
  }, {
    offered: (names, open) => {
      map?.mark("hit", names);
      map?.aside(open ? document.getElementById("found") : null, names.length > 0);
    },
  });
  let model;
  try {
    model = await get("health");
  } catch (error) {
    fill(panel, failed(error));
    return;
  }
  document.querySelector("nav a[data-view=taxonomy]").hidden = !model.taxonomy;
  document.getElementById("legend").open = innerWidth >= 1600;
  map = makeMap((name) => go({ view: "explore", entity: name }));
  hovering(map);
  footer(model);
  listen((state) => {
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.view === state.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const shown = state.entity || TITLES[state.view];
    document.title = shown ? `${shown} – vbn explorer` : "vbn explorer";
    map.clear();
    map.follow(state);
    document.getElementById("status").textContent = shown || "Start";
    document.body.dataset.view = state.view;
    // each view has a sheet of its own: what it answers late is written on a sheet that nobody sees
    const sheet = h("div", { class: "sheet" });
    keepingFocus(() => {
      fill(panel, sheet);
      (VIEWS[state.view] || explore)(sheet, state, model, map);
      panel.scrollTop = 0;
    });
  });
  start();
}

begin();
