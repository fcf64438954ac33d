// Mouse, fingers and keys on the map: move, zoom, click, hover, and a lasso that is drawn around points.

const CLICK = 5; // pixels that a click may move
const APART = 6; // pixels between corners of a lasso

export function listenTo(canvas, act) {
  const pointers = new Map();
  let moved = 0;
  let lasso = null; // corners, in pixels

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    moved = 0;
    lasso = act.lassoing() && pointers.size === 1 ? [[event.offsetX, event.offsetY]] : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    const now = [event.offsetX, event.offsetY];
    if (!last) {
      act.hover(...now);
      return;
    }
    if (lasso) {
      const [x, y] = lasso[lasso.length - 1];
      if (Math.hypot(now[0] - x, now[1] - y) >= APART) lasso.push(now);
      act.lassoed(lasso, false);
      return;
    }
    if (pointers.size === 2) {
      const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)[1];
      const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
      const after = Math.hypot(now[0] - other[0], now[1] - other[1]);
      if (before > 0) act.zoom(after / before, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else act.drag(now[0] - last[0], now[1] - last[1]);
    moved += Math.abs(now[0] - last[0]) + Math.abs(now[1] - last[1]);
    pointers.set(event.pointerId, now);
  });
  const up = (event) => {
    const was = pointers.delete(event.pointerId);
    const drawn = lasso;
    lasso = null;
    if (!was || event.type !== "pointerup") return;
    if (drawn) act.lassoed(drawn, true);
    else if (moved <= CLICK) act.click(event.offsetX, event.offsetY);
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", act.leave);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    act.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (moves[event.key]) {
      event.preventDefault();
      act.drag(...moves[event.key]);
    } else if (event.key === "+" || event.key === "=") act.zoom(1.4);
    else if (event.key === "-") act.zoom(1 / 1.4);
    else if (event.key === "0") act.all();
    else if (event.key === "Escape") act.leave();
  });
}

// Whether a place lies inside of a polygon: how often a ray from it crosses the edges.
export function inside([x, y], corners) {
  let found = false;
  for (let n = 0, last = corners.length - 1; n < corners.length; last = n, n += 1) {
    const [ax, ay] = corners[n];
    const [bx, by] = corners[last];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) found = !found;
  }
  return found;
}

// Corners as a link has them, at most so many.
export function encoded(corners, digits, most = 48) {
  const step = Math.max(1, Math.ceil(corners.length / most));
  return corners.filter((_, n) => n % step === 0).map((place) => place.map((v) => Number(v.toFixed(digits))).join("_")).join("~");
}

export function decoded(text) {
  const corners = (text || "").split("~").map((place) => place.split("_").map(Number));
  return corners.length > 2 && corners.every(([x, y]) => Number.isFinite(x + y)) ? corners : null;
}
