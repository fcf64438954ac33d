// Words on the map: names of branches where most of each is, names of entities as one comes nearer, never one over another.

import { BRANCHES } from "./colours.js";
import { wordIfKnown, wordsOf } from "./known.js";

const NEAR = 1.8; // zoom from which on entities are named
const FAR = 7; // zoom up to which branches are named
const FEW = 60; // entities that are named at any zoom
const MOST = 160; // names at a time
const CELL = [110, 22]; // pixels, of which the most frequent entity of each is named
const LONGEST = 40; // letters of a name
const LETTER = 13; // pixels of the map for each letter of a name: on a phone, names are shorter
const LOWER = [20, -20, 40, 60]; // pixels by which the name of a branch may be moved
const ELSEWHERE = [-20, 20, -40, 40, -60, 60]; // pixels by which a name that must be written moves out of the way of others
const FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif";
const GRID = 24; // squares to a side in which the middle of a branch is looked for

export const shortened = (text, most = LONGEST) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export const longest = (w) => Math.min(LONGEST, Math.round(w / LETTER));

// Keeps boxes apart and inside of the map, for one picture of it; knows the colours of the page.
export function makeRoom(w, tall) {
  const taken = [];
  const avoided = [];
  const style = getComputedStyle(document.documentElement);
  const clear = ([left, top, right, bottom], boxes) => !boxes.some(([l, t, r, b]) => left < r && right > l && top < b && bottom > t);
  const free = (box) => box[0] >= 2 && box[1] >= 2 && box[2] <= w - 2 && box[3] <= tall - 2 && clear(box, taken);
  return {
    colour: (name) => style.getPropertyValue(name),
    take: (box) => taken.push(box),
    avoid: (box) => avoided.push(box), // it is covered only where there is no other room
    // The first of some boxes that is free, and is taken then.
    first(boxes) {
      const some = boxes.filter(free);
      const found = some.find((box) => clear(box, avoided)) || some[0];
      if (found) taken.push(found);
      return found;
    },
  };
}

const widths = new Map(); // of texts that were measured before
function width(pen, font, text) {
  const key = `${font} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > 5000) widths.clear();
    pen.font = font;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

// A text beside a place, where there is room: right of it, left, above, below, or so many pixels lower (`lower`).
// `must` puts it inside of the map anyway.
export function write(pen, room, text, [px, py], { size = 12, weight = 400, gap = 6, lower = [], must = false, w = 0, tall = 0, dot = "" }) {
  const wide = width(pen, `${weight} ${size}px ${FONT}`, text) + (dot ? size : 0);
  const box = (x, y) => [x - 2, y - size / 2 - 2, x + wide + 2, y + size / 2 + 2];
  const away = gap + size / 2 + 2;
  const beside = [[px + gap, py], [px - gap - wide, py], [px - wide / 2, py - away], [px - wide / 2, py + away]];
  const places = [...beside, ...lower.map((dy) => [px + gap, py + dy])];
  let found = room.first(places.map(([x, y]) => box(x, y)));
  if (!found && must) {
    const x = Math.max(4, Math.min(px + gap + wide > w - 4 ? px - gap - wide : px + gap, w - wide - 4));
    const inside = [0, ...ELSEWHERE].map((dy) => box(x, Math.max(size / 2 + 4, Math.min(py + dy, tall - size / 2 - 4))));
    found = room.first(inside);
    if (!found) room.take((found = inside[0]));
  }
  if (!found) return false;
  const [x, y] = [found[0] + 2, (found[1] + found[3]) / 2];
  pen.font = `${weight} ${size}px ${FONT}`;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.setLineDash([]);
  pen.strokeStyle = room.colour("--back");
  pen.strokeText(text, x + (dot ? size : 0), y);
  pen.fillStyle = room.colour("--text");
  pen.fillText(text, x + (dot ? size : 0), y);
  if (dot) {
    pen.beginPath();
    pen.arc(x + size * 0.35, y, size * 0.35, 0, 2 * Math.PI);
    pen.stroke();
    pen.fillStyle = dot;
    pen.fill();
  }
  return true;
}

// Where most of each branch stands, or nothing for those that are too small.
function middles(points, titles) {
  const cells = titles.map(() => new Uint32Array(GRID * GRID));
  const square = (v) => Math.max(0, Math.min(GRID - 1, Math.floor(((v + 1) / 2) * GRID)));
  for (let n = 0; n < points.n; n += 1) cells[points.branch[n]][square(points.y[n]) * GRID + square(points.x[n])] += 1;
  const found = titles.map((_, branch) => {
    const best = cells[branch].reduce((most, count, at) => (count > cells[branch][most] ? at : most), 0);
    return cells[branch][best] ? { best, x: 0, y: 0, n: 0, size: cells[branch].reduce((a, b) => a + b, 0) } : null;
  });
  for (let n = 0; n < points.n; n += 1) {
    const one = found[points.branch[n]];
    if (!one || one.best !== square(points.y[n]) * GRID + square(points.x[n])) continue;
    one.x += points.x[n];
    one.y += points.y[n];
    one.n += 1;
  }
  return found.map((one) => one && { x: one.x / one.n, y: one.y / one.n, size: one.size });
}

export function makeWords(points, titles, changed) {
  const centres = middles(points, titles);
  const branches = centres.map((_, n) => n).filter((n) => n && centres[n]).sort((a, b) => centres[b].size - centres[a].size);
  const order = Uint32Array.from(points.order).sort((a, b) => Number(points.branch[b] > 0) - Number(points.branch[a] > 0) || points.count[b] - points.count[a]);
  let chosen = [];

  // Of each square of the plane the most frequent one: the squares are the same while one moves, and so are the names.
  function choose(view, unit, { w, h: tall }, shown) {
    if (view.zoom < NEAR && points.n > FEW) return [];
    const scale = unit * 2 ** Math.floor(Math.log2(view.zoom));
    const [right, top] = [w / 2 / (view.zoom * unit), tall / 2 / (view.zoom * unit)];
    const cells = new Set();
    const found = [];
    for (const n of order) {
      if (!shown[n] || Math.abs(points.x[n] - view.x) > right || Math.abs(points.y[n] - view.y) > top) continue;
      const cell = `${Math.floor((points.x[n] * scale) / CELL[0])}:${Math.floor((points.y[n] * scale) / CELL[1])}`;
      if (cells.has(cell)) continue;
      cells.add(cell);
      found.push(n);
      if (found.length >= MOST) break;
    }
    return found;
  }

  return {
    // At rest: choose whom to name, and fetch the names that are not there yet.
    async rest(view, unit, size, shown) {
      chosen = choose(view, unit, size, shown);
      const ids = chosen.map((n) => points.id[n]).filter((id) => !wordIfKnown(id));
      if (!ids.length) return;
      await wordsOf(ids);
      changed();
    },
    draw(pen, room, view, toScreen, { w, shown, marked, only, byBranch }) {
      let drawn = 0;
      const most = longest(w);
      if (view.zoom <= FAR) {
        for (const branch of branches) {
          if (only.size && !only.has(branch)) continue;
          const dot = byBranch ? BRANCHES[branch % BRANCHES.length] : "";
          drawn += write(pen, room, shortened(titles[branch], most), toScreen(centres[branch].x, centres[branch].y), { size: 14, weight: 600, gap: -7, lower: LOWER, dot });
        }
      }
      const gap = 4 + 3 * Math.min(3, Math.sqrt(view.zoom)); // points grow as one comes nearer
      for (const n of chosen) {
        const word = shown[n] && !marked.has(points.id[n]) && wordIfKnown(points.id[n]);
        if (word) drawn += write(pen, room, shortened(word.label || word.name, most), toScreen(points.x[n], points.y[n]), { size: 12, gap });
      }
      return drawn;
    },
  };
}
