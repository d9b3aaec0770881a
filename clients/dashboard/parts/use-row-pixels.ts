import { useEffect, useState } from "preact/hooks";

/** As in `style.css`, which lays rows out as cards there. */
const narrow = matchMedia("(width <= 48rem)");

const heights = { line: 34, card: 112 } as const;

/** The height of a row of a virtual table: a line, or a card on a narrow screen. */
export function useRowPixels(): number {
  const [isNarrow, setIsNarrow] = useState(narrow.matches);
  useEffect(() => {
    const look = () => setIsNarrow(narrow.matches);
    look();
    narrow.addEventListener("change", look);
    return () => narrow.removeEventListener("change", look);
  }, []);
  return isNarrow ? heights.card : heights.line;
}
