// A box with type-ahead: a combobox with a list, by mouse, keyboard and screen reader.

import { get } from "./api.js";
import { h, fill, later, named, times } from "./dom.js";
import { labelIfKnown, lookUp, toBeginWith } from "./known.js";

let boxes = 0;
let pressing = false;  // until it is lifted again: what it is pressed on must not move away
addEventListener("pointerdown", () => { pressing = true; }, true);
for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { pressing = false; }, true);

// `begin` says what an empty box offers: telling "entities", "parents", or null for the most frequent names.
export function combobox(input, list, chosen, { side = null, clear = true, begin = "entities", offered = () => {} } = {}) {
  const id = `box${(boxes += 1)}`;
  let options = [];
  let listed = null;  // what was typed when they were asked for
  let eager = false;  // Enter came before they did
  let at = -1;

  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    offered([], false);
  };
  const closeSoon = () => {
    if (document.activeElement === input) return;
    if (pressing) setTimeout(closeSoon, 50);
    else close();
  };
  const items = () => [...list.querySelectorAll("[role=option]:not([aria-disabled])")];
  const mark = (to) => {
    at = options.length ? (to + options.length) % options.length : -1;
    items().forEach((item, n) => item.setAttribute("aria-selected", String(n === at)));
    if (at >= 0) {
      input.setAttribute("aria-activedescendant", `${id}-${at}`);
      items()[at].scrollIntoView({ block: "nearest" });
    }
  };
  const likeliest = () => options.find((entity) => entity.name === input.value || entity.label === input.value) || options[0];
  const take = (entity) => {
    eager = false;
    input.value = clear ? "" : entity.name;
    close();
    chosen(entity);
  };
  const option = (entity, n) =>
    h(
      "li",
      { id: `${id}-${n}`, role: "option", "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); take(entity); } },
      h("span", {}, named(entity.label || entity.name)),
      h("small", {}, entity.label ? [named(entity.name), ", "] : "", entity.category ? "category" : times(entity.count), entity.side === "row" ? ", row" : ""),
    );
  const told = (text) => h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, text);
  const show = (entities, typed, near = false) => {
    if (document.activeElement !== input) return;  // the user has gone on
    options = entities;
    listed = typed;
    at = -1;
    if (eager && options.length && !near) {
      take(likeliest());
      return;
    }
    eager = false;
    fill(list, near ? told("Nothing has this name. Did you mean:") : null, entities.length ? entities.map(option) : told("Nothing found"));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    offered(typed ? entities.filter((one) => one.side === "column").map((one) => one.name) : [], true);
  };
  const telling = async () => (side === "row" || !begin ? [] : toBeginWith(begin).catch(() => []));
  const look = later(async () => {
    const typed = input.value;
    try {
      const some = typed.trim() ? [] : await telling();
      const found = some.length && input.value === typed ? { entities: some } : await get("entities", { q: input.value, limit: 12, side }, id);
      show(found.entities, some.length ? typed : input.value, found.near);
    } catch (error) {
      if (error.name !== "AbortError") show([], typed);
    }
  });
  input.addEventListener("input", () => {
    eager = false;
    look();
  });
  input.addEventListener("focus", () => input.dataset.quiet || look());
  input.addEventListener("blur", () => setTimeout(closeSoon, 100));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) look();
      else mark(event.key === "ArrowDown" ? at + 1 : at < 0 ? options.length - 1 : at - 1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (at >= 0) take(options[at]);
      else if (input.value && listed === input.value && options.length) take(likeliest());
      else if (input.value) {
        eager = true;
        look();
      }
    } else if (event.key === "Escape") close();
  });
}

export function field(label, chosen, { placeholder = "", ...options } = {}) {
  const n = label.toLowerCase().replace(/\W+/g, "-");  // the same when a view is drawn again, so that it keeps the focus
  const input = h("input", {
    id: `field-${n}`, type: "text", role: "combobox", autocomplete: "off", spellcheck: false, "aria-autocomplete": "list",
    "aria-expanded": "false", "aria-controls": `list-${n}`, placeholder,
  });
  const list = h("ul", { id: `list-${n}`, role: "listbox", "aria-label": label, class: "found", hidden: true });
  combobox(input, list, chosen, options);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), h("div", { class: "search" }, input, list));
}

// Names that were taken, each with a button that removes it; titles are put in their place as soon as they are known.
export function chips(names, remove, label, side = "column") {
  const texts = new Map(names.map((name) => [name, named(side === "column" ? labelIfKnown(name) : name)]));
  if (side === "column" && names.length) {
    lookUp(names).then((found) => names.forEach((name, n) => { texts.get(name).textContent = found[n].label || name; }), (error) => console.info(error.message));
  }
  return h(
    "ul",
    { class: "chips", "aria-label": label },
    names.map((name) =>
      h("li", { "data-entity": side === "column" ? name : null },
        h("span", {}, texts.get(name)),
        h("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => remove(name) }, "×")),
    ),
  );
}
