// Marks on the map: the chosen entity with its ellipse, neighbours, basket, hits, findings, and the name a mouse is over.

import { get } from "./api.js";
import { lookUp } from "./known.js";
import { longest, shortened, write } from "./words.js";

// The later ones are drawn over the earlier ones.
const KINDS = {
  finding: { radius: 6, colour: "--bad", line: 2, size: 12 },
  near: { radius: 6, colour: "--accent", line: 1.8, size: 12 },
  hit: { radius: 7, colour: "--prior", line: 2, size: 12 },
  basket: { radius: 8, colour: "--relations", line: 3, size: 13, weight: 600 },
  chosen: { radius: 11, colour: "--accent", line: 2.5, size: 14, weight: 600, must: true },
  hover: { radius: 14, colour: "--prior", line: 3.5, size: 14, weight: 600, must: true },
};

export function makeMarks(changed, reveal) {
  const wanted = new Map(); // kind -> names
  const shown = new Map(); // kind -> [{ id, text }]
  let ellipses = []; // of those that are looked at
  let ghost = null; // one that does not exist yet

  async function set(kind, names) {
    const list = [...new Set(names.filter(Boolean))];
    wanted.set(kind, list);
    if (!list.length) {
      if (shown.delete(kind)) changed();
      return;
    }
    const found = await lookUp(list);
    if (wanted.get(kind) !== list) return; // overtaken
    shown.set(kind, found.map((one, n) => ({ id: one.id, text: one.label || list[n] })).filter(({ id }) => id !== null));
    changed();
    if (kind === "chosen") reveal(shown.get(kind).map(({ id }) => id));
  }

  let spreading = [];
  async function spread(names) {
    spreading = names;
    ellipses = [];
    const found = await Promise.all(names.map((entity) => get("map/spread", { entity }).catch(() => null))); // an unknown name has none
    if (spreading !== names) return; // overtaken
    ellipses = found.filter(Boolean);
    changed();
  }

  function drawEllipse(pen, room, toScreen, scale, ellipse) {
    const [px, py] = toScreen(...ellipse.place);
    pen.beginPath();
    pen.ellipse(px, py, Math.max(ellipse.axes[0] * scale, 3), Math.max(ellipse.axes[1] * scale, 3), -ellipse.angle, 0, 2 * Math.PI);
    pen.strokeStyle = room.colour("--accent");
    pen.fillStyle = room.colour("--accent");
    pen.globalAlpha = 0.1;
    pen.fill();
    pen.globalAlpha = 0.8;
    pen.lineWidth = 1.5;
    pen.setLineDash([6, 4]);
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  function ring(pen, room, [px, py], { radius, colour, line }, dashed = false) {
    pen.strokeStyle = room.colour(colour);
    pen.lineWidth = line;
    pen.setLineDash(dashed ? [4, 3] : []);
    pen.beginPath();
    pen.arc(px, py, radius, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
  }

  return {
    set,
    spread,
    ghost(place, name = "") {
      ghost = place ? { x: place[0], y: place[1], name } : null;
      changed();
    },
    clear() {
      for (const kind of Object.keys(KINDS)) if (kind !== "hit") set(kind, []);
      spread([]);
      ghost = null;
      changed();
    },
    again: () => Promise.all([spread(spreading), ...[...wanted].map(([kind, names]) => set(kind, names))]),
    draw(pen, room, points, toScreen, size, scale) {
      for (const one of ellipses) drawEllipse(pen, room, toScreen, scale, one);
      const kinds = []; // of marks that can be seen; within a kind the first are named first
      const met = new Set();
      for (const [kind, how] of Object.entries(KINDS)) {
        const some = [];
        for (const { id, text } of shown.get(kind) || []) {
          const at = points.at.get(id);
          if (at === undefined) continue;
          const place = toScreen(points.x[at], points.y[at]);
          if (place[0] < -20 || place[1] < -20 || place[0] > size.w + 20 || place[1] > size.h + 20) continue;
          ring(pen, room, place, how);
          some.push([id, text, place, how]);
        }
        kinds.unshift(some);
      }
      const texts = kinds.flat();
      if (ghost) {
        const place = toScreen(ghost.x, ghost.y);
        ring(pen, room, place, KINDS.chosen, true);
        texts.unshift([-1, ghost.name, place, KINDS.chosen]);
      }
      for (const [, , [px, py], { radius, must }] of texts) {
        const box = [px - radius, py - radius, px + radius, py + radius];
        if (must) room.take(box);
        else room.avoid(box);
      }
      for (const [id, text, place, how] of texts) {
        if (met.has(id)) continue;
        met.add(id);
        write(pen, room, shortened(text, longest(size.w)), place, { ...how, gap: how.radius + 5, w: size.w, tall: size.h });
      }
      return met; // who needs no other name
    },
  };
}
