// The map: all entities as points that are moved, hovered and chosen.

import { bytes, get } from "./api.js";
import { fill, h, later, times } from "./dom.js";
import { makePace } from "./pace.js";
import { COLOURS, makePainter } from "./painting.js";
import { sawMap } from "./route.js";

const AT_REST = 150; // milliseconds without a movement
const TOLD = 250; // until the address says where the map is
const SHOWN = { "": "All", frequent: "Frequent", rare: "Rare" };
const ZOOM = [0.5, 400];

export function makeMap(chosen, model) {
  const box = document.getElementById("map-box");
  const canvas = document.getElementById("map");
  const tip = document.getElementById("tip");
  const over = h("canvas", { class: "over", "aria-hidden": "true" });
  box.insertBefore(over, canvas.nextSibling);
  const view = { x: 0, y: 0, zoom: 1 };
  let points = null;
  let selected = [];
  let ghost = null;
  let painter = null;
  let pace = null;
  let asked = false;
  let shown = "";
  let movingUntil = 0;
  let stirred = false; // whether it moved since the last frame, however long that took
  let lastFrame = 0; // when this movement was drawn last; 0 at rest

  const size = () => ({ w: canvas.clientWidth || 1, h: canvas.clientHeight || 1 });
  const unit = () => Math.min(size().w, size().h) / 2.1;
  const toScreen = (x, y) => [size().w / 2 + (x - view.x) * view.zoom * unit(), size().h / 2 - (y - view.y) * view.zoom * unit()];
  const toPlane = (px, py) => [view.x + (px - size().w / 2) / (view.zoom * unit()), view.y - (py - size().h / 2) / (view.zoom * unit())];

  // Where the map is, to the pixel and no finer; nothing where all of it is shown.
  function place() {
    if (view.x === 0 && view.y === 0 && view.zoom === 1) return "";
    const digits = 3 + Math.max(0, Math.ceil(Math.log10(view.zoom)));
    return [view.x.toFixed(digits), view.y.toFixed(digits), Number(view.zoom.toPrecision(4))].join("_");
  }

  let awaited = 0; // places that are asked for, and may move the map
  const tell = later(() => {
    sawMap({ map: place(), shown });
    canvas.dataset.told = awaited ? "no" : "yes";
  }, TOLD);

  async function awaiting(task) {
    awaited += 1;
    try {
      await task();
    } finally {
      awaited -= 1;
      draw();
    }
  }

  function draw() {
    canvas.dataset.told = "no";
    tell();
    if (asked) return;
    asked = true;
    requestAnimationFrame(frame);
  }

  function move() {
    movingUntil = performance.now() + AT_REST;
    stirred = true;
    draw();
  }

  function frame(now) {
    asked = false;
    if (!points) return;
    const moving = stirred || now < movingUntil;
    stirred = false;
    if (moving && lastFrame) pace.saw(now - lastFrame);
    lastFrame = moving ? now : 0;
    const ratio = devicePixelRatio || 1;
    const { w, h: tall } = size();
    for (const one of [canvas, over]) {
      if (one.width !== Math.round(w * ratio) || one.height !== Math.round(tall * ratio)) {
        one.width = Math.round(w * ratio);
        one.height = Math.round(tall * ratio);
      }
    }
    canvas.dataset.drawn = String(painter.paint(view, unit(), w, tall, ratio, moving ? pace.level() : 0, shown));
    marks(ratio);
    if (moving) draw(); // until it rests: then all points are drawn
  }

  function marks(ratio) {
    const pen = over.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, over.width, over.height);
    const style = getComputedStyle(document.documentElement);
    const ring = (x, y, text, dashed) => {
      const [px, py] = toScreen(x, y);
      pen.strokeStyle = style.getPropertyValue("--accent");
      pen.fillStyle = style.getPropertyValue("--text");
      pen.lineWidth = 2.5;
      pen.setLineDash(dashed ? [4, 3] : []);
      pen.beginPath();
      pen.arc(px, py, 11, 0, 2 * Math.PI);
      pen.stroke();
      pen.font = "600 14px system-ui, sans-serif";
      pen.lineWidth = 4;
      pen.strokeStyle = style.getPropertyValue("--back");
      pen.setLineDash([]);
      const shown = text.length > 40 ? `${text.slice(0, 39)}…` : text;
      pen.strokeText(shown, px + 16, py + 5);
      pen.fillText(shown, px + 16, py + 5);
    };
    for (const { at, name } of selected) ring(points.x[at], points.y[at], name, false);
    if (ghost) ring(ghost.x, ghost.y, ghost.name, true);
  }

  async function load() {
    const [about, body] = await Promise.all([get("map/about"), bytes("map")]);
    const n = about.places;
    points = {};
    about.fields.forEach((field, at) => {
      points[field.name] = field.type === "<u4" ? new Uint32Array(body, 4 * n * at, n) : new Float32Array(body, 4 * n * at, n);
    });
    points.n = n;
    points.rare = about.rare;
    points.at = new Map();
    points.id.forEach((id, at) => points.at.set(id, at));
    painter = makePainter(canvas, points);
    pace = makePace(painter.levels);
    canvas.dataset.places = String(n);
    legend(about);
    draw();
    if (!about.final) setTimeout(again, 5000);
  }

  const again = () => awaiting(() => load().then(reselect)).catch(() => {});

  function legend(about) {
    fill(
      document.getElementById("legend-body"),
      h("ul", {}, about.branches.map((name, n) => h("li", {}, h("span", { class: "dot", vars: { "--dot": COLOURS[n % COLOURS.length] } }), name))),
      h("ul", {},
        h("li", {}, h("span", { class: "dot" }), `Frequent: seen ${about.rare === 0 ? "" : "more than "}${about.rare <= 1 ? "once" : `${about.rare.toLocaleString("en")} times`}${about.rare === 0 ? " or more often" : ""}`),
        h("li", {}, h("span", { class: "dot hollow" }), `Rare, a ring: ${about.rare ? `seen at most ${about.rare === 1 ? "once" : `${about.rare.toLocaleString("en")} times`}` : "never seen"}; drawn last`)),
      h("p", {}, "Large and pale: uncertain. Small and strong: well known."),
      h("p", {}, `Layout: ${about.method}${about.final ? "" : " (a better one is being computed)"}. Near means similar; far says little.`),
    );
  }

  function nearest(px, py, reach = 14) {
    const [x, y] = toPlane(px, py);
    const far = (reach / (view.zoom * unit())) ** 2;
    let best = -1;
    let least = far;
    for (let n = 0; n < points.n; n += 1) {
      if (shown && (points.count[n] <= points.rare) !== (shown === "rare")) continue;
      const d = (points.x[n] - x) ** 2 + (points.y[n] - y) ** 2;
      if (d < least) {
        least = d;
        best = n;
      }
    }
    return best;
  }

  const names = new Map();
  async function nameOf(at) {
    const id = points.id[at];
    if (!names.has(id)) Object.entries(await get("map/names", { ids: [id] })).forEach(([key, name]) => names.set(Number(key), name));
    return names.get(id);
  }

  let wanted = [];
  let given = false; // whether a link says where the map is: then it stays there
  async function reselect() {
    const names = wanted;
    const places = await Promise.all(names.map((name) => get("map/place", { entity: name }).catch(() => null)));
    if (names !== wanted || !points) return;
    selected = [];
    names.forEach((name, n) => {
      const at = places[n] ? points.at.get(places[n].id) : undefined;
      if (at === undefined) return;  // a parent without data, or a name that nobody knows
      selected.push({ name, at });
      if (!given) reveal(points.x[at], points.y[at]);
    });
    if (names.length) given = false;
    draw();
  }

  function reveal(x, y) {
    // just so far that a mark and its name can be seen: what one knows of the map stays where it was
    const [px, py] = toScreen(x, y);
    const { w, h: tall } = size();
    const beyond = (at, least, most) => (at < least ? at - least : at > most ? at - most : 0);
    view.x += beyond(px, 40, w - 140) / (view.zoom * unit());
    view.y -= beyond(py, 40, tall - 40) / (view.zoom * unit());
    draw();
  }

  function zoomAt(factor, px = size().w / 2, py = size().h / 2) {
    const before = toPlane(px, py);
    view.zoom = Math.max(ZOOM[0], Math.min(ZOOM[1], view.zoom * factor));
    const after = toPlane(px, py);
    view.x += before[0] - after[0];
    view.y += before[1] - after[1];
    move();
  }

  const pointers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) {
      hover(event);
      return;
    }
    const dx = event.offsetX - last[0];
    const dy = event.offsetY - last[1];
    if (pointers.size === 2) {
      const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
      const now = Math.hypot(event.offsetX - other[0], event.offsetY - other[1]);
      if (before > 0) zoomAt(now / before, (event.offsetX + other[0]) / 2, (event.offsetY + other[1]) / 2);
    } else {
      view.x -= dx / (view.zoom * unit());
      view.y += dy / (view.zoom * unit());
      move();
    }
    moved += Math.abs(dx) + Math.abs(dy);
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  const up = async (event) => {
    const was = pointers.delete(event.pointerId);
    if (event.type !== "pointerup" || !was || moved > 5 || !points) return;
    const at = nearest(event.offsetX, event.offsetY);
    if (at >= 0) chosen(await nameOf(at));
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = 60 / (view.zoom * unit());
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) {
      event.preventDefault();
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      move();
    } else if (event.key === "+" || event.key === "=") zoomAt(1.4);
    else if (event.key === "-") zoomAt(1 / 1.4);
    else if (event.key === "0") all();
  });
  function all() {
    Object.assign(view, { x: 0, y: 0, zoom: 1 });
    draw();
  }
  document.getElementById("zoom-in").addEventListener("click", () => zoomAt(1.6));
  document.getElementById("zoom-out").addEventListener("click", () => zoomAt(1 / 1.6));
  document.getElementById("zoom-all").addEventListener("click", all);

  function choices() {
    return h(
      "fieldset",
      { class: "map-shown" },
      h("legend", { class: "hidden" }, "Entities on the map"),
      Object.entries(SHOWN).map(([value, text]) =>
        h(
          "label",
          {},
          h("input", { type: "radio", name: "shown", value, checked: value === shown, onchange: () => show(value) }),
          value ? h("span", { class: `dot ${value === "rare" ? "hollow" : ""}`, "aria-hidden": "true" }) : null,
          text,
        ),
      ),
    );
  }
  box.append(choices());
  function show(value) {
    shown = Object.hasOwn(SHOWN, value) ? value : "";
    box.querySelector(`.map-shown input[value="${shown}"]`).checked = true;
    tip.hidden = true;
    draw();
  }

  let hovered = -1;
  async function hover(event) {
    if (!points) return;
    const at = nearest(event.offsetX, event.offsetY, 10);
    hovered = at;
    canvas.classList.toggle("over-point", at >= 0);
    if (at < 0) {
      tip.hidden = true;
      return;
    }
    const name = await nameOf(at);
    if (hovered !== at) return;
    fill(tip, h("strong", {}, name), h("small", {}, ` ${points.count[at] <= points.rare ? "rare, " : ""}${times(points.count[at])}; uncertainty ${points.std[at].toFixed(2)}`));
    tip.hidden = false;
    const [px, py] = toScreen(points.x[at], points.y[at]);
    tip.style.left = `${Math.min(px + 12, size().w - 180)}px`;
    tip.style.top = `${Math.max(py - 34, 4)}px`;
  }

  new ResizeObserver(draw).observe(canvas);
  addEventListener("theme", draw);
  awaiting(() => load().then(reselect)).catch((error) => fill(document.getElementById("legend-body"), error.message));

  return {
    select(...names) {
      wanted = names.filter(Boolean);
      if (points) awaiting(reselect);
    },
    // As a link, or a step back, says; one within the page says nothing of the map.
    follow(state) {
      given = false;
      if (state.shown || state.map) show(state.shown || "");
      const [x, y, zoom] = (state.map || "").split("_").map(Number);
      if (Number.isFinite(x + y + zoom)) {
        Object.assign(view, { x, y, zoom: Math.max(ZOOM[0], Math.min(ZOOM[1], zoom)) });
        given = true;
      }
      draw();
    },
    again,
    ghost(place, name = "", std = 0) {
      ghost = place ? { x: place[0], y: place[1], name, std } : null;
      if (ghost && points && !given) reveal(ghost.x, ghost.y);
      if (ghost) given = false;
      draw();
    },
    points: () => points && points.n,
    screen: (at) => toScreen(points.x[at], points.y[at]),
  };
}
