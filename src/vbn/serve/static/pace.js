// How much of the map is drawn while it moves: as much as the machine can do without a jerk.

const SLOW = 34; // milliseconds of a frame: two of a usual screen
const FAST = 20;
const PATIENCE = 30; // fast frames before more is tried

export function makePace(levels) {
  let level = 0;
  let fast = 0;
  let patience = PATIENCE;
  return {
    level: () => level,
    saw(milliseconds) {
      fast = milliseconds < FAST ? fast + 1 : 0;
      if (milliseconds > SLOW && level < levels - 1) level += 1;
      else if (fast >= patience && level > 0) {
        level -= 1;
        fast = 0;
        patience *= 2; // what was too much before may be so again
      }
    },
  };
}
