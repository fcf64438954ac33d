// Elements from data. Text is always text: nothing here takes HTML.

const there = (child) => child !== null && child !== undefined && child !== false;

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (!there(value)) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else if (name in element && name !== "list" && name !== "role") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(there));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(there));
}

// A name, whichever way it is written: what stands around it keeps its own direction.
export const named = (text) => h("bdi", {}, text);

export function number(value, digits = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const shown = value.toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
  return digits === 2 && value >= 0.995 && value < 1 ? ">0.99" : shown;
}

export function percent(value) {
  const fine = value > 0.0005 && value < 0.9995 && (value < 0.01 || value > 0.99);
  return `${(100 * value).toFixed(fine ? 1 : 0)}\u00a0%`;
}

export const whole = (count) => count.toLocaleString("en");

export const size = ({ entities, categories }) =>
  `${whole(entities - categories)} entities${categories ? ` and ${whole(categories)} ${categories === 1 ? "category" : "categories"}` : ""}`;

export function times(count) {
  if (count === 0) return "never seen";
  const shown = Number.isInteger(count) ? whole(count) : count.toFixed(1);
  return count === 1 ? "seen once" : `seen ${shown} times`;
}

export function later(task, wait = 120) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => task(...given), wait);
  };
}
