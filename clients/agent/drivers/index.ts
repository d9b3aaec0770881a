import { celery } from "./celery/celery.ts";
import type { DriverKind } from "./driver.ts";
import { slurm } from "./slurm/slurm.ts";

/** Every scheduler that the agent can stand beside. */
const drivers = { celery, slurm } as const satisfies Readonly<Record<string, DriverKind>>;

export type DriverName = keyof typeof drivers;

export const driverNames = Object.keys(drivers) as [DriverName, ...DriverName[]];

export function driverNamed(name: DriverName): DriverKind {
  return drivers[name];
}
