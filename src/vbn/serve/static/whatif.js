// Where an entity would stand that does not exist yet.

import { post } from "./api.js";
import { fill, h, later, number, percent } from "./dom.js";
import { attempt, block, failed, ranked } from "./parts.js";
import { go, here, replace } from "./route.js";
import { chips, field } from "./search.js";

export function whatIf(sheet, state, model, map) {
  const answers = h("div", { "aria-live": "polite" });
  const name = h("input", { id: "new-name", type: "text", maxLength: 500, autocomplete: "off", value: state.name || "" });
  const text = h("textarea", { id: "new-text", rows: "3", maxLength: 2000, value: state.text || "" });
  const said = () => (model.texts.length ? text.value.trim() : "");
  const change = (more) => go({ ...state, name: name.value.trim() || state.name, text: said(), ...more });
  const without = (key, entry) => change({ [key]: state[key].filter((each) => each !== entry) });
  const typed = later(() => {
    if (!name.isConnected) return;  // drawn again since, with this name and perhaps with more
    state.name = name.value.trim();
    state.text = said();
    replace({ ...here(), name: state.name, text: state.text });
    ask();
  }, 250);
  for (const input of [name, text]) input.addEventListener("input", typed);
  const contextsSide = model.shared ? "column" : "row";
  fill(
    sheet,
    h("h2", {}, "What if there were…"),
    h("p", { class: "note" }, "A name that the model does not know, what it is a kind of, and perhaps what it was seen with. Nothing is changed in the model."),
    h("div", { class: "field" }, h("label", { for: "new-name" }, "Its name"), name),
    field("A parent", (entity) => change({ parent: [...new Set([...state.parent, entity.name])] }), { side: "column", begin: model.taxonomy ? "parents" : null }),
    chips(state.parent, (entry) => without("parent", entry), "Parents"),
    field("Seen with", (entity) => change({ context: [...state.context, entity.name] }), { side: contextsSide }),
    chips([...new Set(state.context)], (entry) => without("context", entry), "Seen with", contextsSide),
    model.texts.length ? h("div", { class: "field" }, h("label", { for: "new-text" }, "A text about it"), text) : null,
    answers,
  );
  function ask() {
    if (!state.name) {
      fill(answers, h("p", { class: "note" }, "Give it a name to begin."));
      map.ghost(null);
      map.mark("near", []);
      return;
    }
    const asked = { name: state.name, parents: state.parent, contexts: state.context, k: 10 };
    if (state.text && model.texts.length) asked.text = { [model.texts[0]]: state.text };
    const place = h("div", {}); // of this question: another one has another place, and so has an empty name
    fill(answers, place);
    attempt(place, async () => {
      const found = await post("what-if", asked, "what-if");
      const told = asked.parents.length || asked.contexts.length || asked.text;
      if (place.isConnected) {
        map.ghost(told ? found.place : null, state.name);
        map.mark("near", told ? found.similar.answers.map((one) => one.entity) : []);
      }
      if (!told) return h("p", { class: "note" }, "Say what it is a kind of, or what it was seen with. Without that it may stand anywhere.");
      const from = state.parent.length ? "its parents" : "the prior alone, as it has no parents";
      return [
        block("It would stand near", ranked(found.similar, { label: `Nearest to ${state.name}` })),
        h("p", {}, `Uncertainty ${number(found.std)}; ${percent(found.prior_share)} of what is known comes from ${from}${asked.text ? " and the text" : ""}.`),
        model.writable ? h("button", { type: "button", onclick: () => save(asked) }, "Add it to the model") : null,
      ];
    });
  }
  async function save(asked) {
    try {
      await post("what-if", { ...asked, save: true });
      map.again();
      go({ view: "explore", entity: asked.name });
    } catch (error) {
      fill(answers, failed(error));
    }
  }
  ask();
}
