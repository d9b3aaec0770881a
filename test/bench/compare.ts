/** Numbers with a unit behind them, as benchmarks print them: 12.5 ms, 95 %, 1,000 jobs. */
const number = /(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w])/g;

/** What a line measures, without its figures. A name that is a number (10,000 nodes) is a figure that stays the same. */
const shapeOf = (line: string) => line.replaceAll(number, "#").replaceAll(/\s+/g, " ").trim();
const figuresOf = (line: string) =>
  [...line.matchAll(number)].map(([text]) => Number(text.replaceAll(",", "")));

/**
 * The output of a benchmark beside that of an earlier run: each line with the same words, in their order, and how much each figure
 * changed, in percent. A change below `leastPercent` is noise and is left out.
 */
export function compareRuns(before: string, now: string, leastPercent: number): readonly string[] {
  const earlier = Map.groupBy(before.split("\n"), shapeOf);
  return now.split("\n").flatMap((line) => {
    const than = earlier.get(shapeOf(line))?.shift();
    if (than === undefined) return [];
    const old = figuresOf(than);
    const changes = figuresOf(line).flatMap((figure, index) => {
      const was = old[index] ?? figure;
      const percent =
        was === 0 ? (figure === 0 ? 0 : Number.POSITIVE_INFINITY) : (100 * (figure - was)) / was;
      return Math.abs(percent) < leastPercent ? [] : [`${was} → ${figure} (${signed(percent)} %)`];
    });
    return changes.length === 0 ? [] : [`${line.trim()}\n    ${changes.join(", ")}`];
  });
}

function signed(percent: number): string {
  return `${percent > 0 ? "+" : ""}${percent.toFixed(0)}`;
}
