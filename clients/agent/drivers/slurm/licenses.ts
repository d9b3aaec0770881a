import type { Draw } from "../shared-pools.ts";
import { readLines } from "./slurm-records.ts";

/** What the whole cluster has of a licence, and what is free now. */
export interface License {
  readonly total: number;
  readonly free: number;
}

/** `scontrol show licenses --oneliner`; undefined when it is not all there. */
export function readLicenses(text: string): ReadonlyMap<string, License> | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  return new Map(
    lines.flatMap(({ LicenseName: name, Total: total, Used: used, Free: free, Reserved: reserved }) => {
      if (name === undefined || !isCount(total) || !isCount(free)) return [];
      const [inUse = 0, kept = 0] = [used, reserved].map((text) => (isCount(text) ? Number(text) : 0));
      // Free are those of reservations too, which Slurm gives to no other job.
      const open = Math.max(0, Number(total) - inUse - kept);
      return [[name, { total: Number(total), free: Math.min(open, Number(free)) }] as const];
    }),
  );
}

function isCount(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,9}$/.test(text);
}

/** The pools that `ansys:2,matlab` draws on. Undefined for what Slurm does not list, or for a choice of licences. */
export function licenseDraws(
  asked: string,
  licenses: ReadonlyMap<string, License>,
): readonly Draw[] | undefined {
  if (asked === "") return [];
  const draws = asked.split(/[,;]/).map((item) => {
    const match = /^([^:|()]+)(?::(\d{1,9}))?$/.exec(item.trim());
    const license = licenses.get(match?.[1] ?? "");
    if (match === null || license === undefined) return undefined;
    return { name: `license ${match[1]}`, requested: Number(match[2] ?? 1), ...license };
  });
  const known = draws.filter((draw) => draw !== undefined);
  return known.length < draws.length ? undefined : known;
}
