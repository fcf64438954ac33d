// Paints the points of the map: by WebGL where there is one, else on a plain canvas.

const VERTEX = `
attribute vec2 place; attribute float size; attribute vec4 colour; attribute float hollow;
uniform vec2 middle; uniform vec2 zoom; uniform float scale; uniform float strength;
varying vec4 shade; varying float hole;
void main() {
  gl_Position = vec4((place - middle) * zoom, 0.0, 1.0);
  gl_PointSize = size * scale;
  shade = vec4(colour.rgb, colour.a * strength);
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
const [DIM, DIMMEST] = [0.12, 0.02]; // opacity of what is not meant: the less the more there is of it
const MUCH = 350000; // opaque pixels that the points of any map may have; if they have more, they fade
const [THIN, FAINTEST] = [0.5, 0.12]; // how many are left for each pixel of the map, and the strength that points keep

// `dress` takes the colours of all points, which of them are shown, and which are meant (all if null). `paint` draws a
// level, 0 for all that are shown, and tells how many these were; a level has half the points of the one before.
export function makePainter(canvas, points) {
  return webgl(canvas, points) || plain(canvas, points);
}

// How a point looks: uncertain ones are large and pale, rare ones hollow.
function looks(points) {
  const [low, high] = points.bounds;
  const crowd = Math.max(0.45, Math.min(2, 60 / Math.sqrt(points.n))); // few points may be large
  return (n) => {
    const unsure = Math.max(0, Math.min(1, (points.std[n] - low) / Math.max(high - low, 1e-6)));
    const hollow = points.count[n] <= points.rare;
    const size = (4 + 9 * unsure) * crowd;
    return { size: hollow ? Math.max(size, 4.5) : size, alpha: 0.95 - (hollow ? 0.35 : 0.55) * unsure, hollow };
  };
}

// The points that are shown, as words of eight numbers, and the levels: all of them, then every second, every fourth, ...
function dressed(points, look, { colours, shown, meant }) {
  const list = points.order.filter((n) => shown[n]); // what was seen least is drawn last
  if (meant) list.sort((a, b) => Number(meant.has(a)) - Number(meant.has(b)));
  const pale = Math.max(DIMMEST, Math.min(DIM, 3000 / points.n));
  const data = new Float32Array(list.length * WORDS);
  list.forEach((n, row) => {
    const { size, alpha, hollow } = look(n);
    const at = WORDS * row;
    data[at] = points.x[n];
    data[at + 1] = points.y[n];
    data[at + 2] = meant?.has(n) ? 1.5 * size : size;
    data.set(colours.subarray(3 * n, 3 * n + 3), at + 3);
    data[at + 6] = meant && !meant.has(n) ? pale : alpha;
    data[at + 7] = Number(hollow);
  });
  return data;
}

// The opaque pixels that points have, drawn apart from each other.
function paintOf(data) {
  let sum = 0;
  for (let at = 0; at < data.length; at += WORDS) sum += data[at + 2] ** 2 * data[at + 6];
  return sum;
}

// How points change with the view: they grow as one zooms in, and so many that they would be one blot are faint, so
// that dense parts of the map can be told from others.
function scaled(view, unit, paint) {
  const scale = Math.min(3, Math.max(1, Math.sqrt(view.zoom)));
  const room = (2 * view.zoom * unit) ** 2;
  const beyond = Math.max(paint - MUCH, 1) * scale ** 2;
  return { scale, strength: Math.max(FAINTEST, Math.min(1, (THIN * room) / beyond)) };
}

function levelsOf(number) {
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
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  for (const [name, count, offset] of [["place", 2, 0], ["size", 1, 8], ["colour", 4, 12], ["hollow", 1, 28]]) {
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, count, gl.FLOAT, false, 4 * WORDS, offset);
  }
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA); // colours are multiplied by their opacity already, as pages expect
  const places = ["middle", "zoom", "scale", "strength"].map((name) => [name, gl.getUniformLocation(program, name)]);
  const at = Object.fromEntries(places);
  const look = looks(points);
  let levels = levelsOf(0);
  let needed = 0;
  return {
    levels: () => levels.length,
    dress(how) {
      const all = dressed(points, look, how);
      needed = paintOf(all);
      levels = levelsOf(all.length / WORDS);
      const end = levels[levels.length - 1];
      const data = new Float32Array((end.first + end.length) * WORDS);
      data.set(all);
      for (const { first, length, step } of levels.slice(1)) {
        for (let n = 0; n < length; n += 1) data.copyWithin(WORDS * (first + n), WORDS * n * step, WORDS * (n * step + 1));
      }
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    },
    paint(view, unit, w, tall, ratio, level) {
      const { first, length, step } = levels[Math.min(level, levels.length - 1)];
      const { scale, strength } = scaled(view, unit, needed / step);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform2f(at.middle, view.x, view.y);
      gl.uniform2f(at.zoom, (2 * view.zoom * unit) / w, (2 * view.zoom * unit) / tall);
      gl.uniform1f(at.scale, ratio * scale);
      gl.uniform1f(at.strength, strength);
      gl.drawArrays(gl.POINTS, first, length);
      return length;
    },
  };
}

function plain(canvas, points) {
  const pen = canvas.getContext("2d");
  const look = looks(points);
  let data = new Float32Array(0);
  let levels = levelsOf(0);
  let needed = 0;
  return {
    levels: () => levels.length,
    dress(how) {
      data = dressed(points, look, how);
      needed = paintOf(data);
      levels = levelsOf(data.length / WORDS);
    },
    paint(view, unit, w, tall, ratio, level) {
      const { length, step } = levels[Math.min(level, levels.length - 1)];
      const { scale, strength } = scaled(view, unit, needed / step);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, w, tall);
      pen.lineWidth = RING;
      for (let n = 0; n < length; n += 1) {
        const [x, y, size, r, g, b, alpha, hollow] = data.subarray(WORDS * n * step, WORDS * (n * step + 1));
        const px = w / 2 + (x - view.x) * view.zoom * unit;
        const py = tall / 2 - (y - view.y) * view.zoom * unit;
        if (px < -20 || py < -20 || px > w + 20 || py > tall + 20) continue;
        pen.globalAlpha = alpha * strength;
        pen.fillStyle = `rgb(${255 * r} ${255 * g} ${255 * b})`;
        pen.strokeStyle = pen.fillStyle;
        pen.beginPath();
        pen.arc(px, py, (size * scale) / 2 - (hollow ? RING / 2 : 0), 0, 2 * Math.PI);
        if (hollow) pen.stroke();
        else pen.fill();
      }
      pen.globalAlpha = 1;
      return length;
    },
  };
}
