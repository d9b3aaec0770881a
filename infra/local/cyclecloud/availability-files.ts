import { readFile } from "node:fs/promises";
import { availabilitySchema, type DefinitionInput } from "../../../shared/simulated-cyclecloud/index.ts";

/** Definitions with the traces of `CLUSTER/ARRAY=FILE` arguments. Throws an Error that names what is wrong. */
export async function withAvailability(
  definitions: readonly DefinitionInput[],
  traces: readonly string[],
): Promise<readonly DefinitionInput[]> {
  let changed = definitions;
  for (const trace of traces) {
    const [, cluster, array, file = ""] = /^([^/=]+)\/([^=]+)=(.+)$/.exec(trace) ?? [];
    const isKnown = definitions.some(
      ({ name, nodearrays }) => name === cluster && nodearrays.some((each) => each.name === array),
    );
    if (!isKnown) throw new Error(`Cannot use trace "${trace}": expected CLUSTER/ARRAY=FILE of a spot array`);
    const availability = availabilitySchema.parse(JSON.parse(await readFile(file, "utf8")));
    changed = changed.map((definition) =>
      definition.name === cluster
        ? {
            ...definition,
            nodearrays: definition.nodearrays.map((each) =>
              each.name === array ? { ...each, availability } : each,
            ),
          }
        : definition,
    );
  }
  return changed;
}
