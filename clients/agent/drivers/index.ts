import { celery } from "./celery/celery.ts";
import type { DriverKind } from "./driver.ts";
import { gridengine } from "./gridengine/gridengine.ts";
import { pbs } from "./pbs/pbs.ts";
import { slurm } from "./slurm/slurm.ts";

/** The drivers that come with the agent. Others are loaded from files (`clients/agent/load-driver.ts`). */
const drivers: ReadonlyMap<string, DriverKind> = new Map(
  [celery, gridengine, pbs, slurm].map((kind) => [kind.name, kind]),
);

export const driverNames: readonly string[] = [...drivers.keys()];

/** Undefined for other names. */
export function builtInDriver(name: string): DriverKind | undefined {
  return drivers.get(name);
}
