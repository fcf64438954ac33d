// The map: all entities as points that are moved, hovered and chosen, with words and marks over them.

import { get } from "./api.js";
import { coloured } from "./colours.js";
import { fill, h, later } from "./dom.js";
import { decoded, encoded, inside, listenTo } from "./gestures.js";
import { forget, wordsOf } from "./known.js";
import { makeLegend } from "./legend.js";
import { makeMarks } from "./marks.js";
import { makePace } from "./pace.js";
import { makePainter } from "./painting.js";
import { fetchPoints, makeTip, nearestOf } from "./points.js";
import { go, sawMap, saysOfMap } from "./route.js";
import { savePicture } from "./saving.js";
import { makeRoom, makeWords } from "./words.js";

const AT_REST = 150; // milliseconds without a movement
const TOLD = 250; // until the address says where the map is
const LOOKS = 5000; // milliseconds between questions for a better layout
const ZOOM = [0.5, 400];
const ENOUGH = 240; // pixels beside the legend, or below a list, in which all of the map is shown; in less, they lie over the map

export function makeMap(chosen) {
  const box = document.getElementById("map-box");
  const canvas = document.getElementById("map");
  const tip = makeTip(document.getElementById("tip"));
  const [wordy, over] = ["words", "over"].map((name) => h("canvas", { class: name, "aria-hidden": "true" }));
  canvas.after(wordy, over);
  const view = { x: 0, y: 0, zoom: 1 };
  const lassoButton = document.getElementById("lasso");
  let points = null;
  let painter = null;
  let pace = null;
  let words = null;
  let shown = new Uint8Array(0); // which points pass the filters
  let meant = null; // those of a category that is looked at, all others are pale
  let lasso = null; // corners in the plane
  let views = 0; // that were shown: what an earlier one asked for is not drawn any more
  let asked = false;
  let stale = true; // whether the points must be dressed again
  let movingUntil = 0;
  let stirred = false; // whether it moved since the last frame, however long that took
  let lastFrame = 0; // when this movement was drawn last; 0 at rest
  let rested = ""; // where names were chosen last

  const size = () => ({ w: canvas.clientWidth || 1, h: canvas.clientHeight || 1 });
  // The pixels at the left that the legend covers, if there is enough room beside it.
  const covered = () => {
    const panel = document.getElementById("legend");
    const right = panel.open ? panel.offsetLeft + panel.offsetWidth : 0;
    return size().w - right >= ENOUGH ? right : 0;
  };
  // The pixels at the top that search hits cover.
  let listed = 0;
  const under = () => (size().h - listed >= ENOUGH ? listed : 0);
  const tools = box.querySelector(".map-tools");
  const right = () => size().w - tools.offsetLeft; // the pixels at the right that buttons cover
  const middle = () => [(size().w + covered() - right()) / 2, (size().h + under()) / 2];
  const unit = () => Math.min(size().w - covered() - right(), size().h - under()) / 2.1;
  const toScreen = (x, y) => [middle()[0] + (x - view.x) * view.zoom * unit(), middle()[1] - (y - view.y) * view.zoom * unit()];
  const toPlane = (px, py) => [view.x + (px - middle()[0]) / (view.zoom * unit()), view.y - (py - middle()[1]) / (view.zoom * unit())];
  const onCanvas = () => ({ ...view, x: view.x - (covered() - right()) / 2 / (view.zoom * unit()), y: view.y + under() / 2 / (view.zoom * unit()) }); // what is in the middle of the canvas
  const digits = () => 3 + Math.max(0, Math.ceil(Math.log10(view.zoom)));

  const legend = makeLegend(box, document.getElementById("legend-body"), () => {
    stale = true;
    tip.hide();
    draw();
  });
  const marks = makeMarks(() => draw(), revealAll);

  // Where the map is, to the pixel and no finer; nothing where all of it is shown.
  function place() {
    if (view.x === 0 && view.y === 0 && view.zoom === 1) return "";
    return [view.x.toFixed(digits()), view.y.toFixed(digits()), Number(view.zoom.toPrecision(4))].join("_");
  }

  let awaited = 0; // places that are asked for, and may move the map
  const tell = later(() => {
    sawMap({ map: place(), ...legend.told() });
    canvas.dataset.told = awaited ? "no" : "yes";
  }, TOLD);

  async function awaiting(task) {
    awaited += 1;
    try {
      return await task();
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

  function dress() {
    shown = legend.passing();
    painter.dress({ colours: coloured(points, legend.how.colour), shown, meant });
    pace = makePace(painter.levels());
    rested = "";
    stale = false;
  }

  function frame(now) {
    asked = false;
    if (!points) return;
    if (stale) dress();
    const moving = stirred || now < movingUntil;
    stirred = false;
    if (moving && lastFrame) pace.saw(now - lastFrame);
    lastFrame = moving ? now : 0;
    paint(moving ? pace.level() : 0);
    if (moving) draw(); // until it rests: then all points are drawn
    else name();
  }

  function paint(level) {
    const ratio = devicePixelRatio || 1;
    const { w, h: tall } = size();
    for (const one of [canvas, wordy, over]) {
      if (one.width === Math.round(w * ratio) && one.height === Math.round(tall * ratio)) continue;
      one.width = Math.round(w * ratio);
      one.height = Math.round(tall * ratio);
    }
    canvas.dataset.drawn = String(painter.paint(onCanvas(), unit(), w, tall, ratio, level));
    const [pen, below] = [over, wordy].map((layer) => {
      const found = layer.getContext("2d");
      found.setTransform(ratio, 0, 0, ratio, 0, 0);
      found.clearRect(0, 0, w, tall);
      return found;
    });
    const room = makeRoom(w, tall);
    for (const one of box.querySelectorAll(".map-tools, .map-shown, .legend")) {
      room.take([one.offsetLeft, one.offsetTop, one.offsetLeft + one.offsetWidth, one.offsetTop + one.offsetHeight]);
    }
    const marked = marks.draw(pen, room, points, toScreen, { w, h: tall }, view.zoom * unit());
    if (lasso) outline(pen, room.colour("--accent"), lasso.map(([x, y]) => toScreen(x, y)));
    const { only, colour } = legend.how;
    canvas.dataset.words = String(words.draw(below, room, view, toScreen, { w, shown, marked, only, byBranch: colour === "branch" }));
  }

  // Names are chosen where the map rests.
  function name() {
    const now = `${place()} ${size().w} ${size().h} ${covered()} ${under()}`;
    if (now === rested) return;
    rested = now;
    words.rest(onCanvas(), unit(), size(), shown).catch((error) => console.info(`no names for the map: ${error.message}`));
    paint(0);
  }

  function outline(pen, colour, corners) {
    pen.beginPath();
    corners.forEach(([px, py]) => pen.lineTo(px, py));
    pen.closePath();
    pen.fillStyle = colour;
    pen.strokeStyle = colour;
    pen.globalAlpha = 0.08;
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.stroke();
  }

  async function load() {
    let about;
    [points, about] = await fetchPoints();
    painter = makePainter(canvas, points);
    words = makeWords(points, about.branches.map((title, at) => about.labels[at] || title), () => draw());
    legend.load(points, about);
    stale = true;
    canvas.dataset.places = String(points.n);
    loaded.forEach((done) => done(points));
    draw();
    if (!about.final) setTimeout(look, LOOKS);
  }

  // Asks whether the better layout is there, and loads it then; until then nothing that is shown is disturbed.
  async function look() {
    const about = await get("map/about").catch(() => ({ final: false })); // the server may be busy: ask again later
    if (about.final) again();
    else setTimeout(look, LOOKS);
  }

  const loaded = [];
  const ready = () => (points ? Promise.resolve(points) : new Promise((done) => loaded.push(done)));

  function again() {
    forget();
    return awaiting(() => load().then(marks.again)).catch((error) => console.info(`the map stays as it is: ${error.message}`));
  }

  const nearest = (px, py, reach = 14) => nearestOf(points, shown, toPlane(px, py), reach / (view.zoom * unit()));

  let given = false; // whether a link says where the map is: then it stays there
  function revealAll(ids) {
    const places = ids.map((id) => points?.at.get(id)).filter((at) => at !== undefined);
    if (!given) for (const at of places) reveal(points.x[at], points.y[at]);
    if (ids.length && points) given = false;
  }

  // The part of the map where a mark and its name are neither cut off nor covered.
  function free() {
    const { w, h: tall } = size();
    const panel = document.getElementById("legend");
    const beside = panel.open ? panel.offsetLeft + panel.offsetWidth + 30 : 40;
    return { left: beside < w / 2 ? beside : 40, right: w - 140, top: 65, bottom: tall - 60 };
  }

  function reveal(x, y) {
    // just so far that a mark and its name can be seen: what one knows of the map stays where it was
    const [px, py] = toScreen(x, y);
    const { left, right, top, bottom } = free();
    const beyond = (at, least, most) => (at < least ? at - least : at > most ? at - most : 0);
    view.x += beyond(px, left, right) / (view.zoom * unit());
    view.y -= beyond(py, top, bottom) / (view.zoom * unit());
    draw();
  }

  function zoomAt(factor, px = middle()[0], py = middle()[1]) {
    const before = toPlane(px, py);
    view.zoom = Math.max(ZOOM[0], Math.min(ZOOM[1], view.zoom * factor));
    const after = toPlane(px, py);
    view.x += before[0] - after[0];
    view.y += before[1] - after[1];
    move();
  }

  function all() {
    Object.assign(view, { x: 0, y: 0, zoom: 1 });
    draw();
  }

  function hover(px, py) {
    const at = points ? nearest(px, py, 10) : -1;
    canvas.classList.toggle("over-point", at >= 0);
    if (at < 0) tip.hide();
    else tip.show(points, at, toScreen(points.x[at], points.y[at]), tools.offsetLeft);
  }

  function lassoing(on) {
    lassoButton.setAttribute("aria-pressed", String(on));
    canvas.classList.toggle("lassoing", on);
  }

  listenTo(canvas, {
    hover,
    zoom: zoomAt,
    all,
    drag(dx, dy) {
      view.x -= dx / (view.zoom * unit());
      view.y += dy / (view.zoom * unit());
      move();
    },
    async click(px, py) {
      const at = points ? nearest(px, py) : -1;
      if (at >= 0) chosen((await wordsOf([points.id[at]]))[0].name);
    },
    leave: () => tip.hide(),
    lassoing: () => lassoButton.getAttribute("aria-pressed") === "true",
    lassoed(corners, done) {
      lasso = corners.map(([px, py]) => toPlane(px, py));
      draw();
      if (!done) return;
      lassoing(false);
      if (corners.length > 2) go({ view: "list", lasso: encoded(lasso, digits()) });
      else lasso = null;
    },
  });
  const pressed = (id, task) => document.getElementById(id).addEventListener("click", task);
  pressed("zoom-in", () => zoomAt(1.6));
  pressed("zoom-out", () => zoomAt(1 / 1.6));
  pressed("zoom-all", all);
  pressed("lasso", () => lassoing(lassoButton.getAttribute("aria-pressed") !== "true"));
  pressed("list-shown", () => {
    const { w, h: tall } = size();
    go({ view: "list", lasso: encoded([toPlane(0, 0), toPlane(w, 0), toPlane(w, tall), toPlane(0, tall)], digits()) });
  });
  pressed("picture", () => {
    paint(0); // what WebGL has drawn is there only until the browser shows it
    savePicture([canvas, wordy, over], getComputedStyle(document.documentElement).getPropertyValue("--back"), document.title);
  });

  new ResizeObserver(draw).observe(canvas);
  document.getElementById("legend").addEventListener("toggle", draw);
  addEventListener("theme", draw);
  awaiting(() => load().then(marks.again)).catch((error) => fill(document.getElementById("legend-body"), error.message));

  return {
    // Marks of a view, by their kind: chosen, near, basket, hit, finding, hover. They stay until the next view.
    mark: (kind, names) => awaiting(() => marks.set(kind, names)).catch((error) => console.info(`no marks: ${error.message}`)),
    spread: (names) => marks.spread(names),
    // Makes room for a list of hits, as long as it is open: shorter lists that follow do not move the map again.
    aside(list, hits) {
      const before = listed;
      const bottom = list ? list.getBoundingClientRect().bottom - canvas.getBoundingClientRect().top : 0;
      listed = list ? Math.max(listed, hits ? bottom : 0) : 0;
      if (listed !== before) draw();
    },
    clear() {
      views += 1;
      marks.clear();
      lasso = null;
      if (meant) stale = true;
      meant = null;
      draw();
    },
    // As a link, or a step back, says; one within the page says nothing of the map.
    follow(state) {
      given = false;
      if (saysOfMap(state)) {
        legend.read(state);
        stale = true;
      }
      const [x, y, zoom] = (state.map || "").split("_").map(Number);
      if (Number.isFinite(x + y + zoom)) {
        Object.assign(view, { x, y, zoom: Math.max(ZOOM[0], Math.min(ZOOM[1], zoom)) });
        given = true;
      }
      draw();
    },
    again,
    ghost(where, name = "") {
      marks.ghost(where, name);
      if (where && points && !given) reveal(...where);
      if (where) given = false;
    },
    // All of a category are strong, the others pale.
    async mean(ids) {
      const asking = views;
      await ready();
      if (asking !== views) return;
      meant = new Set(ids.map((id) => points.at.get(id)).filter((at) => at !== undefined));
      stale = true;
      draw();
    },
    // Whom a lasso holds, of those that are shown, the most frequent first.
    async within(text) {
      const asking = views;
      await ready();
      const corners = decoded(text);
      if (!corners || asking !== views) return [];
      lasso = corners;
      if (stale) dress();
      draw();
      return [...points.order].filter((n) => shown[n] && inside([points.x[n], points.y[n]], corners))
        .map((n) => ({ id: points.id[n], count: points.count[n], std: points.std[n], prior: points.prior[n] }));
    },
    // The share of all entities that are less certain.
    async surerThan(std) {
      await ready();
      return points.std.reduce((n, each) => n + Number(each > std), 0) / Math.max(points.n, 1);
    },
  };
}
