import type { LocalMoment, TimeZone } from "../time/time-zone.ts";

/** Values as Slurm prints them. Each gives undefined for a text of another form. */

const bytesPer: Readonly<Record<string, number>> = {
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
  P: 2 ** 50,
};
const secondsPerDay = 86_400;
const millisecondsPerSecond = 1_000;

/** `[days-]hours:minutes:seconds`, or `minutes:seconds`, with parts of a second or without. */
export function slurmSeconds(text: string): number | undefined {
  const parts = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?$/.exec(text);
  if (parts === null) return undefined;
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return (days ?? 0) * secondsPerDay + (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
}

/** A moment in seconds since 1970, and whether the text says in which time zone it is. */
export interface SlurmMoment extends LocalMoment {
  readonly isExact: boolean;
}

/**
 * A moment: `2027-01-15T10:00:00`, the same with `Z`, `+0100` or `+01:00`, or seconds since 1970 (`SLURM_TIME_FORMAT=%s`).
 * One that does not name its zone is of the given one; without that it is read as UTC.
 */
export function slurmMoment(text: string, local?: TimeZone): SlurmMoment | undefined {
  if (/^\d{1,10}$/.test(text)) return { seconds: Number(text), isExact: true };
  const [, time, zone, hours, minutes] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(Z|[+-](\d\d):?(\d\d))?$/.exec(text) ?? [];
  if (time === undefined) return undefined;
  const milliseconds = Date.parse(`${time}Z`);
  // 30 February is read as a day in March.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(time)) return undefined;
  if (zone === undefined && local !== undefined)
    return { ...local.momentOf(milliseconds / millisecondsPerSecond), isExact: false };
  const ahead = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 * (zone?.startsWith("-") ? -1 : 1);
  return { seconds: milliseconds / millisecondsPerSecond - ahead, isExact: zone !== undefined };
}

/** An amount of memory in GiB: `4000M`, `1.50G`; without a unit in MiB. */
export function slurmMemoryGiB(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)([KMGTP]?)$/.exec(text);
  if (parts === null) return undefined;
  return (Number(parts[1]) * (bytesPer[parts[2] || "M"] ?? 0)) / 2 ** 30;
}

/** Trackable resources: `billing=4,cpu=4,gres/gpu=1,mem=8G,node=1`. What is not of this form is passed over. */
export function slurmResources(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(",").flatMap((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [] : [[part.slice(0, at), part.slice(at + 1)] as const];
    }),
  );
}

/** GPUs among them: the sum, or else the parts of each model. */
export function slurmGpus(resources: ReadonlyMap<string, string>): number {
  const all = Number(resources.get("gres/gpu"));
  if (Number.isInteger(all) && all > 0) return all;
  return [...resources]
    .filter(([name]) => name.startsWith("gres/gpu:"))
    .reduce((sum, [, count]) => sum + (Number(count) || 0), 0);
}
