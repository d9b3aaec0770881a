import { nearest } from "../../engine/index.ts";

/** The VM size that a misspelt one most likely means; null: none. Of the same series and number of vcpus: all names are alike. */
export function nearestVmSize(word: string, sizes: readonly string[]): string | null {
  const bySpelling = new Map(
    sizes.filter((size) => kindOf(size) === kindOf(word)).map((size) => [bare(size), size]),
  );
  const found = nearest(bare(word), [...bySpelling.keys()]);
  return found === null ? null : (bySpelling.get(found) ?? null);
}

function bare(size: string): string {
  return size.toLowerCase().replace(/^(standard|basic)_/, "");
}

/** Its first letter and its first number. */
function kindOf(size: string): string {
  return /^([a-z])[a-z]*(\d*)/.exec(bare(size))?.slice(1).join("") ?? "";
}
