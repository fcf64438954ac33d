// Files that are made on the page: a list as csv, the map as a picture.

import { h } from "./dom.js";

function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const quoted = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csv = (columns, rows) => [columns, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";

// Names may hold anything that a file's name may not.
const fileName = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "list";

export function saveList(title, columns, rows) {
  download(new Blob(["\ufeff", csv(columns, rows)], { type: "text/csv;charset=utf-8" }), `${fileName(title)}.csv`);
}

// The layers of the map, one over the other, on the colour that lies behind them.
export function savePicture(layers, background, title) {
  const made = h("canvas", { width: layers[0].width, height: layers[0].height });
  const pen = made.getContext("2d");
  pen.fillStyle = background;
  pen.fillRect(0, 0, made.width, made.height);
  for (const layer of layers) pen.drawImage(layer, 0, 0);
  made.toBlob((blob) => download(blob, `${fileName(title)}.png`));
}
