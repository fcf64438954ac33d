// What the colours of the map say: a branch of the taxonomy, or how much of something, from blue (little) to red (much).

import { number, percent, times } from "./dom.js";

export const BRANCHES = ["#8a8f98", "#2a6fdb", "#e0752d", "#2f9e62", "#c2413b", "#8b5fbf", "#a0763a", "#d05c9e", "#5f7d12", "#1a98a6", "#b08900", "#5468ff", "#7a4b2a"];
export const STOPS = ["#2a6fdb", "#1a98a6", "#c99a1c", "#c2413b"]; // none too dark or too light for either background
export const CHOICES = { branch: "branch", uncertainty: "uncertainty", frequency: "how often seen", prior: "share from parents" };

const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
const ramp = STOPS.map(rgb);

function mixed(share) {
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1);
  const first = Math.min(Math.floor(at), ramp.length - 2);
  return ramp[first].map((part, n) => part + (at - first) * (ramp[first + 1][n] - part));
}

// The values at which a share of the others is below.
export function quantiles(values, shares) {
  const sorted = Float32Array.from(values).sort();
  return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
}

// How much each point has of what is coloured, between 0 and 1, and what the two ends mean in words.
export function amounts(points, by) {
  if (by === "prior") return { of: (n) => points.prior[n], low: `${percent(0)}: all from data`, high: `${percent(1)}: all from its parents` };
  if (by === "frequency") {
    const most = Math.log1p(points.most);
    return { of: (n) => Math.log1p(points.count[n]) / Math.max(most, 1e-9), low: "never seen", high: times(points.most) };
  }
  const [low, high] = points.bounds;
  return { of: (n) => (points.std[n] - low) / Math.max(high - low, 1e-9), low: `${number(low)} or less`, high: `${number(high)} or more` };
}

// Red, green and blue of all points, between 0 and 1.
export function coloured(points, by) {
  const colours = new Float32Array(3 * points.n);
  const palette = BRANCHES.map(rgb);
  const { of } = amounts(points, by);
  for (let n = 0; n < points.n; n += 1) colours.set(by === "branch" ? palette[points.branch[n] % palette.length] : mixed(of(n)), 3 * n);
  return colours;
}
