import type { Draw } from "../shared-pools.ts";
import type { Reservation } from "./reservations.ts";
import { readLines } from "./slurm-records.ts";

/** What the whole cluster has of a licence. */
export interface License {
  readonly total: number;
  /** Nobody uses them. */
  readonly unused: number;
  /** Those of them that no reservation has. */
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
      const unused = Math.max(0, Math.min(Number(total) - inUse, Number(free)));
      return [[name, { total: Number(total), unused, free: Math.max(0, unused - kept) }] as const];
    }),
  );
}

function isCount(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,9}$/.test(text);
}

/** The pools that `ansys:2,matlab` draws on, for a job of these reservations. Undefined for what Slurm does not list, or for a choice of licences. */
export function licenseDraws(
  asked: string,
  licenses: ReadonlyMap<string, License>,
  reservations: readonly Reservation[],
): readonly Draw[] | undefined {
  if (asked === "") return [];
  const kept = reservations.flatMap(({ licenses = "" }) => countsIn(licenses));
  const draws = countsIn(asked).map((item) => {
    const license = licenses.get(item?.name ?? "");
    if (item === undefined || license === undefined) return undefined;
    const { name, count } = item;
    const own = kept.reduce((sum, each) => sum + (each?.name === name ? each.count : 0), 0);
    const { total, unused, free } = license;
    return { name: `license ${name}`, requested: count, total, free: Math.min(unused, free + own) };
  });
  const known = draws.filter((draw) => draw !== undefined);
  return known.length < draws.length ? undefined : known;
}

function countsIn(text: string) {
  return text.split(/[,;]/).map((item) => {
    const [, name, count = "1"] = /^([^:|()]+)(?::(\d{1,9}))?$/.exec(item.trim()) ?? [];
    return name === undefined ? undefined : { name, count: Number(count) };
  });
}
