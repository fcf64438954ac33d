// Whether the server has loaded another model since the page was opened.

import { get } from "./api.js";

const EVERY = 15_000;  // milliseconds, and whenever somebody comes back to the page

export function watch(model, tell) {
  let asking = false;
  const timer = setInterval(look, EVERY);
  addEventListener("focus", look);
  async function look() {
    if (asking || document.hidden) return;
    asking = true;
    try {
      const now = await get("health");
      if (now.root === model.root) return;
      clearInterval(timer);
      removeEventListener("focus", look);
      tell();
    } catch (error) {
      console.info(`the server does not answer, asking again later: ${error.message}`);
    } finally {
      asking = false;
    }
  }
}
