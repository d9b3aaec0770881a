import { expandHostlist } from "./hostlist.ts";
import { type NodeRecord, readLines } from "./slurm-records.ts";
import { tresAmount } from "./tres.ts";

/** Nodes that are kept for somebody, or for nobody, for a time. */
export interface Reservation {
  readonly name: string;
  /** Unix time. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly nodes: readonly string[];
}

/** `scontrol show reservations --oneliner` with times in seconds since 1970; undefined when it is not all there. */
export function readReservations(
  text: string,
  nodes: ReadonlyMap<string, NodeRecord>,
): readonly Reservation[] | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  const read = lines.flatMap((line) => {
    const { ReservationName: name, StartTime: start = "", EndTime: end = "", Nodes: list = "(null)" } = line;
    if (name === undefined) return [];
    if (list === "(null)" || list === "") return [];
    const names = expandHostlist(list);
    const isTime = (time: string) => /^\d{1,12}$/.test(time);
    if (names === undefined || !isTime(start) || !isTime(end)) return [undefined];
    const cpus = names.reduce((sum, each) => sum + (nodes.get(each)?.cpus ?? 0), 0);
    // It has some cores of its nodes only: the others take any job.
    if ((tresAmount(line.TRES ?? "", "cpu") ?? cpus) < cpus) return [];
    return [{ name, startSeconds: Number(start), endSeconds: Number(end), nodes: names }];
  });
  const known = read.filter((each) => each !== undefined);
  return known.length < read.length ? undefined : known;
}

/** Those into which a job would run that starts now. Without a time limit it runs into all that are to come. */
export function inTheWay(
  reservations: readonly Reservation[],
  { nowSeconds, minutes }: { readonly nowSeconds: number; readonly minutes: number | undefined },
): readonly Reservation[] {
  return reservations.filter(
    ({ startSeconds, endSeconds }) =>
      endSeconds > nowSeconds && (minutes === undefined || startSeconds < nowSeconds + minutes * 60),
  );
}
