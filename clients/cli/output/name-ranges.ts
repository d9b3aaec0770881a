const numbered = /^(.*?)(\d{1,15})$/;
/** Two that follow each other are as short as a range of them. */
const shortestRange = 3;
const mostShown = 20;

/** Names of nodes in a sentence: runs of numbers as `htc-1 to htc-1200`; beyond twenty parts only their number. */
export function nameRanges(names: readonly string[]): string {
  const runs: string[][] = [];
  for (const name of names) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && isNext(last, name)) run.push(name);
    else runs.push([name]);
  }
  const parts = runs.flatMap((run) =>
    run.length < shortestRange
      ? run.map((name) => ({ text: name, count: 1 }))
      : [{ text: `${run[0]} to ${run.at(-1)}`, count: run.length }],
  );
  const shown = parts.slice(0, mostShown);
  const left = parts.slice(mostShown).reduce((sum, { count }) => sum + count, 0);
  const text = shown.map((part) => part.text).join(", ");
  return left === 0 ? text : `${text} and ${left} more`;
}

/** Whether the name has the next number after the same words, written alike: `n-09` is followed by `n-10`, not by `n-010`. */
function isNext(before: string, name: string): boolean {
  const [, words, digits] = numbered.exec(before) ?? [];
  if (words === undefined || digits === undefined) return false;
  return name === `${words}${String(Number(digits) + 1).padStart(digits.length, "0")}`;
}
