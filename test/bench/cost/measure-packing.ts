import { provenBound, volumeBound } from "./packing-bound.ts";
import { binsOf, instances } from "./vector-packing.ts";

/** The most bins for each that is needed, as a mean. */
const mostOverProven = 1.09;
/** The same beside the bound that papers use. Here no packing gets below 1.067 of it. */
const mostOverVolume = 1.1;

/** Packs items of several dimensions into equal bins. Returns what is not as promised. */
export function measurePacking(): readonly string[] {
  const rows = instances().map((instance) => {
    const bins = { reuse: binsOf(instance, "reuse"), cost: binsOf(instance, "cost") };
    return { ...bins, name: instance.name, volume: volumeBound(instance), proven: provenBound(instance) };
  });
  for (const [name, some] of Map.groupBy(rows, (row) => row.name))
    console.log(
      `  ${name}: first fit ${mean(some, "reuse", "proven")}, cost ${mean(some, "cost", "proven")}`,
    );
  for (const bound of ["proven", "volume"] as const)
    console.log(
      `${rows.length} packings, ${bound} bound: first fit ${mean(rows, "reuse", bound)}, cost ${mean(rows, "cost", bound)}`,
    );
  const wrong = rows.find(({ cost, proven }) => cost < proven);
  const most = { proven: mostOverProven, volume: mostOverVolume };
  return [
    ...(wrong === undefined ? [] : [`${wrong.name}: ${wrong.cost} bins, below the bound of ${wrong.proven}`]),
    ...(["proven", "volume"] as const)
      .filter((bound) => Number(mean(rows, "cost", bound)) > most[bound])
      .map(
        (bound) =>
          `packing: ${mean(rows, "cost", bound)} x the ${bound} bound, expected at most ${most[bound]}`,
      ),
  ];
}

interface Row {
  readonly reuse: number;
  readonly cost: number;
  readonly volume: number;
  readonly proven: number;
}

function mean(rows: readonly Row[], bins: "reuse" | "cost", bound: "volume" | "proven"): string {
  return (rows.reduce((sum, row) => sum + row[bins] / row[bound], 0) / rows.length).toFixed(4);
}
