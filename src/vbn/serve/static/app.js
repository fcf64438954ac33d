// The page: search box, theme, map, and the view that the address names.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { makeMap } from "./map.js";
import { failed } from "./parts.js";
import { go, here, listen, start } from "./route.js";
import { combobox } from "./search.js";
import { compare, explore, recommend, whatIf } from "./views.js";
import { watch } from "./watch.js";

const VIEWS = { explore, compare, "what-if": whatIf, recommend };
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

// Views are drawn anew; whoever works by keyboard stays where he was, or goes on in the panel.
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

async function begin() {
  theme();
  keys();
  combobox(document.getElementById("search"), document.getElementById("found"), (entity) => {
    const now = here();
    go({ view: "explore", entity: entity.name, side: entity.side, relation: now.relation });
  });
  let model;
  try {
    model = await get("health");
  } catch (error) {
    fill(panel, failed(error));
    return;
  }
  const map = makeMap((name) => go({ view: "explore", entity: name }), model);
  document.getElementById("footer").append(
    `${model.entities.toLocaleString("en")} entities, ${model.dim} dimensions. `,
    h("a", { href: "/docs" }, "Service"),
    model.problem ? h("span", { class: "failed" }, ` Trouble: ${model.problem}`) : "",
  );
  watch(model, () => {
    const told = "The model was replaced by a newer one. ";
    const again = h("button", { type: "button", onclick: () => location.reload() }, "Show it");
    document.getElementById("footer").prepend(h("span", { class: "newer" }, told, again, " "));
    document.getElementById("status").textContent = told;
  });
  listen((state) => {
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.view === state.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const shown = state.entity || { "what-if": "What if", compare: "Compare", recommend: "Recommend" }[state.view];
    document.title = shown ? `${shown} – vbn explorer` : "vbn explorer";
    map.follow(state);
    if (state.view !== "what-if") map.ghost(null);
    document.getElementById("status").textContent = shown || "Start";
    document.body.dataset.view = state.view;
    keepingFocus(() => (VIEWS[state.view] || explore)(panel, state, model, map));
  });
  start();
}

begin();
