// A box with type-ahead: a combobox with a list, by mouse, keyboard and screen reader.

import { get } from "./api.js";
import { h, fill, later, times } from "./dom.js";

let boxes = 0;

export function combobox(input, list, chosen, { side = null, clear = true } = {}) {
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
  };
  const mark = (to) => {
    at = options.length ? (to + options.length) % options.length : -1;
    [...list.children].forEach((item, n) => item.setAttribute("aria-selected", String(n === at)));
    if (at >= 0) {
      input.setAttribute("aria-activedescendant", `${id}-${at}`);
      list.children[at].scrollIntoView({ block: "nearest" });
    }
  };
  const likeliest = () => options.find((entity) => entity.name === input.value || entity.label === input.value) || options[0];
  const take = (entity) => {
    eager = false;
    input.value = clear ? "" : entity.name;
    close();
    chosen(entity);
  };
  const show = (entities, typed) => {
    if (document.activeElement !== input) return;  // whoever asked has gone on
    options = entities;
    listed = typed;
    at = -1;
    if (eager && options.length) {
      take(likeliest());
      return;
    }
    fill(
      list,
      entities.length
        ? entities.map((entity, n) =>
            h(
              "li",
              { id: `${id}-${n}`, role: "option", "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); take(entity); } },
              h("span", {}, entity.label || entity.name),
              h("small", {}, entity.label ? `${entity.name}, ` : "", entity.category ? "category" : times(entity.count), entity.side === "row" ? ", row" : ""),
            ),
          )
        : h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "nothing found"),
    );
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };
  const look = later(async () => {
    const typed = input.value;
    try {
      show((await get("entities", { q: typed, limit: 12, side }, id)).entities, typed);
    } catch (error) {
      if (error.name !== "AbortError") show([], typed);
    }
  });
  input.addEventListener("input", () => {
    eager = false;
    look();
  });
  input.addEventListener("focus", () => input.dataset.quiet || look());
  input.addEventListener("blur", () => setTimeout(close, 100));
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

export function field(label, chosen, options = {}) {
  const n = label.toLowerCase().replace(/\W+/g, "-");  // the same when a view is drawn anew, so that it keeps the focus
  const input = h("input", {
    id: `field-${n}`, type: "text", role: "combobox", autocomplete: "off", spellcheck: false, "aria-autocomplete": "list",
    "aria-expanded": "false", "aria-controls": `list-${n}`,
  });
  const list = h("ul", { id: `list-${n}`, role: "listbox", "aria-label": label, class: "found", hidden: true });
  combobox(input, list, chosen, options);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), h("div", { class: "search" }, input, list));
}

export function chips(names, remove, label) {
  return h(
    "ul",
    { class: "chips", "aria-label": label },
    names.map((name) =>
      h("li", {}, h("span", {}, name), h("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => remove(name) }, "×")),
    ),
  );
}
