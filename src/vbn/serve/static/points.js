// The points of the map: fetched as numbers, found by their place, and named in a tip.

import { bytes, get } from "./api.js";
import { quantiles } from "./colours.js";
import { fill, h, named, times } from "./dom.js";
import { wordsOf } from "./known.js";

// All points, as one array for each field, and what the map says about itself.
export async function fetchPoints() {
  const [about, body] = await Promise.all([get("map/about"), bytes("map")]);
  const n = about.places;
  const points = { n, rare: about.rare };
  about.fields.forEach((field, at) => {
    points[field.name] = field.type === "<u4" ? new Uint32Array(body, 4 * n * at, n) : new Float32Array(body, 4 * n * at, n);
  });
  points.most = points.count.reduce((most, count) => Math.max(most, count), 0);
  points.bounds = quantiles(points.std, [0.05, 0.95]);
  points.order = Uint32Array.from(points.id.keys()).sort((a, b) => points.count[b] - points.count[a]); // the rarest last
  points.at = new Map();
  points.id.forEach((id, at) => points.at.set(id, at));
  return [points, about];
}

// The point nearest to a place, of those that are shown; -1 if none is within reach.
export function nearestOf(points, shown, [x, y], reach) {
  let least = reach ** 2;
  let best = -1;
  for (let n = 0; n < points.n; n += 1) {
    if (!shown[n]) continue;
    const d = (points.x[n] - x) ** 2 + (points.y[n] - y) ** 2;
    if (d < least) {
      least = d;
      best = n;
    }
  }
  return best;
}

// What stands beside a point that the mouse is over; never cut off by the edge of the map.
export function makeTip(element) {
  let hovered = -1;
  return {
    hide() {
      hovered = -1;
      element.hidden = true;
    },
    async show(points, at, [px, py], right) {
      hovered = at;
      const [word] = await wordsOf([points.id[at]]);
      if (hovered !== at) return; // the mouse has gone on
      const rare = points.count[at] <= points.rare ? "rare, " : "";
      fill(
        element,
        h("strong", {}, named(word.label || word.name)),
        word.label ? h("small", {}, " ", named(word.name), ";") : null,
        h("small", {}, ` ${rare}${times(points.count[at])}; uncertainty ${points.std[at].toFixed(2)}`),
      );
      element.hidden = false;
      const above = py - element.offsetHeight - 8;
      element.style.left = `${Math.max(4, Math.min(px + 12, right - element.offsetWidth - 4))}px`;
      element.style.top = `${above > 4 ? above : py + 14}px`;
    },
  };
}
