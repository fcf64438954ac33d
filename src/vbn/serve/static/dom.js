// Elements from data. Text is always text: nothing here takes HTML.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else if (name in element && name !== "list" && name !== "role") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

export function number(value, digits = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return digits === 2 && value >= 0.995 && value < 1 ? ">0.99" : value.toFixed(digits);
}

export function percent(value) {
  return `${(100 * value).toFixed(value > 0 && value < 0.01 ? 1 : 0)} %`;
}

export function times(count) {
  if (count === 0) return "never seen";
  const shown = Number.isInteger(count) ? count.toLocaleString("en") : count.toFixed(1);
  return count === 1 ? "seen once" : `seen ${shown} times`;
}

export function later(task, wait = 120) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => task(...given), wait);
  };
}
