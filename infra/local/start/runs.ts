import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import { type DefinitionInput, loadDefinition } from "../cyclecloud/index.ts";
import type { ServedCluster } from "../environment/environment.ts";

export const placements = ["reuse", "order", "cost"] as const;
export type Placement = (typeof placements)[number];

/** One cluster that gets the whole workload, and the placement with which it is planned. */
export interface Run extends ServedCluster {
  readonly placement: Placement;
}

/** Reads the values of `--placement`. */
export function parsePlacements(text: string): readonly Placement[] {
  const values = text.split(",").map((word) => {
    const placement = placements.find((each) => each === word);
    if (placement === undefined)
      throw new InvalidArgumentError(`"${word}", expected ${placements.join(", ")}, or several with commas.`);
    return placement;
  });
  if (new Set(values).size < values.length) throw new InvalidArgumentError(`"${text}", expected each once.`);
  return values;
}

/** The one of a configuration; `reuse` where it names none. What it names wrongly is refused when it is read. */
export function placementOf({ placement }: Readonly<Record<string, unknown>>): readonly Placement[] {
  return [placements.find((each) => each === placement) ?? "reuse"];
}

/**
 * The runs that are compared: the same workload on clusters that are alike, at the same time, with the same draws of boot
 * times and failures. The first keeps the definition's name; the others have the placement behind it.
 */
export async function runsOf(of: {
  readonly placements: readonly Placement[];
  readonly clusterFile: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Definitions that no file holds yet are written here. */
  readonly folder: string;
}): Promise<readonly Run[]> {
  const { clusterFile, seed, folder } = of;
  const definition = await loadDefinition(clusterFile);
  return Promise.all(
    of.placements.map(async (placement, index): Promise<Run> => {
      const config = { ...of.config, placement };
      const { name } = definition;
      if (index === 0) return { placement, config, clusterFile, cluster: name };
      const copy = { ...definition, name: `${name}-${placement}`, seed };
      return { placement, config, cluster: copy.name, clusterFile: await written(folder, copy) };
    }),
  );
}

async function written(folder: string, definition: DefinitionInput): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${definition.name}.cluster.json`);
  await writeFile(file, JSON.stringify(definition, null, 2));
  return file;
}
