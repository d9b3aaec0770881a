/** Scripts that run in the page. The types of a browser are no part of these programs, so they are texts. */

/** As whoever kept a key in the tab, so that the page asks for its data at once. The local host takes any key. */
export const signedIn = `sessionStorage.setItem("autoscale-key", "local")`;

/** Records when something first matches each selector, in milliseconds since the navigation began. */
export function firstMatches(selectors: Readonly<Record<string, string>>): string {
  return `
    globalThis.firstMatches = {};
    const selectors = Object.entries(${JSON.stringify(selectors)});
    const look = () => {
      for (const [name, selector] of selectors)
        if (!(name in firstMatches) && document.querySelector(selector) !== null)
          // What is there now is on the screen with the next frame.
          firstMatches[name] = performance.now();
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
  `;
}

/** Tasks that block the page for longer than 50 ms, with their milliseconds. */
export const longTasks = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask", buffered: true });
`;

/** Timers of a second or more end sixty times as soon: an hour of polls takes minutes. */
export const fastTimers = `
  const usual = globalThis.setTimeout;
  globalThis.setTimeout = (work, ms = 0, ...rest) => usual(work, ms >= 1_000 ? ms / 60 : ms, ...rest);
`;

/** Scrolls the node table for `frames` frames, so many pixels each; answers with the milliseconds between frames. */
export function scrolled(frames: number, pixels: number): string {
  return `new Promise((done) => {
    const box = document.querySelector(".virtual");
    const gaps = [];
    let before;
    let blank = 0;
    const step = (now) => {
      if (before !== undefined) gaps.push(now - before);
      before = now;
      const { top, height } = box.getBoundingClientRect();
      const middle = document.elementFromPoint(innerWidth / 2, Math.min(top + height / 2, innerHeight - 10));
      if (middle?.closest('[role="row"]') === null) blank += 1;
      box.scrollTop += pixels_;
      if (gaps.length < ${frames}) requestAnimationFrame(step);
      else done({ gaps, blank });
    };
    const pixels_ = ${pixels};
    requestAnimationFrame(step);
  })`;
}

/** Magnifies the map and back, a step with each frame; answers with the milliseconds between frames. */
export function zoomed(frames: number): string {
  return eachFrame(
    frames,
    `const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new WheelEvent("wheel", {
      ctrlKey: true, bubbles: true, cancelable: true,
      deltaY: Math.floor(frame / 50) % 2 === 0 ? -10 : 10,
      clientX: box.left + box.width / 2, clientY: box.top + Math.min(box.height, innerHeight) / 2,
    }));`,
  );
}

/** Moves the pointer over the map, from cell to cell. */
export function pointedAt(frames: number): string {
  return eachFrame(
    frames,
    `const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent("pointermove", {
      bubbles: true,
      clientX: box.left + (frame * 37) % box.width, clientY: box.top + 50 + (frame * 11) % (box.height - 60),
    }));`,
  );
}

function eachFrame(frames: number, deed: string): string {
  return `new Promise((done) => {
    const canvas = document.querySelector(".map canvas");
    const gaps = [];
    let before;
    const step = (now) => {
      if (before !== undefined) gaps.push(now - before);
      before = now;
      const frame = gaps.length;
      ${deed}
      if (gaps.length < ${frames}) requestAnimationFrame(step);
      else done(gaps);
    };
    requestAnimationFrame(step);
  })`;
}
