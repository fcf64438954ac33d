// Paints the points of the map: by WebGL where there is one, else on a plain canvas.

export const COLOURS = ["#8a8f98", "#2a6fdb", "#e0752d", "#2f9e62", "#c2413b", "#8b5fbf", "#a0763a", "#d05c9e", "#5f7d12", "#1a98a6", "#b08900", "#5468ff", "#7a4b2a"];
const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);

const VERTEX = `
attribute vec2 place; attribute float size; attribute vec4 colour; attribute float hollow;
uniform vec2 middle; uniform vec2 zoom; uniform float scale; varying vec4 shade; varying float hole;
void main() {
  gl_Position = vec4((place - middle) * zoom, 0.0, 1.0);
  gl_PointSize = size * scale;
  shade = colour;
  hole = hollow * (1.0 - 2.0 * max(RING / max(size * scale, 2.0 * RING), 0.14));
}`;
const FRAGMENT = `
precision mediump float; varying vec4 shade; varying float hole;
void main() {
  float d = length(gl_PointCoord - 0.5) * 2.0;
  if (d > 1.0) discard;
  float ring = mix(0.1, 1.0, smoothstep(hole - 0.15, hole + 0.1, d)) * (1.0 - smoothstep(0.85, 1.0, d));
  float fade = hole > 0.0 ? ring : 1.0 - 0.6 * d * d;
  gl_FragColor = vec4(shade.rgb, 1.0) * shade.a * fade;
}`;
const WORDS = 8; // of a point: place, size, colour, opacity, and whether it is hollow
const RING = 1.3; // pixels of the line around a hollow point
const FEWEST = 3000; // points of the coarsest level

export function makePainter(canvas, points) {
  // `paint` draws a level, 0 for all points, and tells how many there were; a level has half the points of the one before.
  // It draws all of them, or the "frequent" or "rare" ones: these are hollow, and stand at the end of the order.
  return webgl(canvas, points) || plain(canvas, points);
}

function looks(points) {
  // Sorted so that what was seen least is drawn last; uncertain ones are large and pale.
  const order = [...points.count.keys()].sort((a, b) => points.count[b] - points.count[a]);
  const sorted = [...points.std].sort((a, b) => a - b);
  const low = sorted[Math.floor(sorted.length * 0.05)] || 0;
  const high = Math.max(sorted[Math.floor(sorted.length * 0.95)] || 1, low + 1e-6);
  const crowd = Math.max(0.45, Math.min(1, 60 / Math.sqrt(points.n)));
  const first = order.findIndex((n) => points.count[n] <= points.rare);
  return {
    order,
    frequent: first < 0 ? order.length : first,
    look(n) {
      const unsure = Math.max(0, Math.min(1, (points.std[n] - low) / (high - low)));
      const hollow = points.count[n] <= points.rare;
      const size = (4 + 9 * unsure) * crowd;
      return {
        size: hollow ? Math.max(size, 4.5) : size, // a ring that small would be a dot
        alpha: 0.95 - (hollow ? 0.35 : 0.55) * unsure,
        colour: COLOURS[points.branch[n] % COLOURS.length],
        hollow,
      };
    },
  };
}

function range({ first, length, step }, frequent, shown) {
  // Which points of a level these are: the frequent ones come first in each.
  const cut = Math.ceil(frequent / step);
  if (shown === "frequent") return { first, length: cut };
  return shown === "rare" ? { first: first + cut, length: length - cut } : { first, length };
}

function levelsOf(number) {
  // As starts and lengths in one list of points: all of them, then every second, every fourth, ...
  const levels = [{ first: 0, length: number, step: 1 }];
  for (;;) {
    const last = levels[levels.length - 1];
    const step = 2 * last.step;
    const length = Math.ceil(number / step);
    if (length < FEWEST) return levels;
    levels.push({ first: last.first + last.length, length, step });
  }
}

function webgl(canvas, points) {
  const gl = canvas.getContext("webgl", { antialias: false, alpha: true });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source.replaceAll("RING", `float(${RING})`));
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) return null;
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  const { order, frequent, look } = looks(points);
  const levels = levelsOf(points.n);
  const end = levels[levels.length - 1];
  const data = new Float32Array((end.first + end.length) * WORDS);
  order.forEach((n, at) => {
    const { size, alpha, colour, hollow } = look(n);
    data.set([points.x[n], points.y[n], size, ...rgb(colour), alpha, Number(hollow)], WORDS * at);
  });
  for (const { first, length, step } of levels.slice(1)) {
    for (let n = 0; n < length; n += 1) data.copyWithin(WORDS * (first + n), WORDS * n * step, WORDS * (n * step + 1));
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  for (const [name, count, offset] of [["place", 2, 0], ["size", 1, 8], ["colour", 4, 12], ["hollow", 1, 28]]) {
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, count, gl.FLOAT, false, 4 * WORDS, offset);
  }
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA); // colours are multiplied by their opacity already, as pages expect
  const [middle, zoom, scale] = ["middle", "zoom", "scale"].map((name) => gl.getUniformLocation(program, name));
  return {
    levels: levels.length,
    paint(view, unit, w, tall, ratio, level, shown) {
      const { first, length } = range(levels[level], frequent, shown);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform2f(middle, view.x, view.y);
      gl.uniform2f(zoom, (2 * view.zoom * unit) / w, (2 * view.zoom * unit) / tall);
      gl.uniform1f(scale, ratio * Math.min(3, Math.max(1, Math.sqrt(view.zoom))));
      gl.drawArrays(gl.POINTS, first, length);
      return length;
    },
  };
}

function plain(canvas, points) {
  const pen = canvas.getContext("2d");
  const { order, frequent, look } = looks(points);
  const all = order.map((n) => ({ x: points.x[n], y: points.y[n], ...look(n) }));
  const levels = levelsOf(points.n);
  return {
    levels: levels.length,
    paint(view, unit, w, tall, ratio, level, shown) {
      const { step } = levels[level];
      const { first, length } = range({ ...levels[level], first: 0 }, frequent, shown);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, w, tall);
      const scale = Math.min(3, Math.max(1, Math.sqrt(view.zoom)));
      pen.lineWidth = RING;
      for (let n = first; n < first + length; n += 1) {
        const one = all[n * step];
        const px = w / 2 + (one.x - view.x) * view.zoom * unit;
        const py = tall / 2 - (one.y - view.y) * view.zoom * unit;
        if (px < -20 || py < -20 || px > w + 20 || py > tall + 20) continue;
        pen.globalAlpha = one.alpha;
        pen.fillStyle = one.colour;
        pen.strokeStyle = one.colour;
        pen.beginPath();
        pen.arc(px, py, (one.size * scale) / 2 - (one.hollow ? RING / 2 : 0), 0, 2 * Math.PI);
        if (one.hollow) pen.stroke();
        else pen.fill();
      }
      pen.globalAlpha = 1;
      return length;
    },
  };
}
