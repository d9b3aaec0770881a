import { options } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Whether the page is being printed. What depends on it is drawn at once: the browser prints what it finds after the event. */
export function usePrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    addEventListener("beforeprint", () => atOnce(() => setIsPrinting(true)), { signal });
    addEventListener("afterprint", () => setIsPrinting(false), { signal });
    return () => ended.abort();
  }, []);
  return isPrinting;
}

/** Preact draws a change after the event, unless it is given another way to wait. */
function atOnce(change: () => void): void {
  const usual = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  change();
  if (usual === undefined) delete options.debounceRendering;
  else options.debounceRendering = usual;
}
