import { type Book, type BookNode, type JobTotal, jobKey } from "../../accounting/index.ts";
import { InvariantError } from "../../errors/errors.ts";

/** Index of a text, number or null in a table of repeated values. */
type Place = number;

type PackedRun = readonly [
  source: Place,
  name: string,
  user: Place,
  account: Place,
  queue: Place,
  nodeArray: Place,
  vmSize: Place,
  spot: 0 | 1,
  firstSeconds: number,
  lastSeconds: number,
  nodeMs: number,
  nanoUsd: number,
  unpricedNodeMs: number,
  /** Null: not known. */
  submittedSeconds?: number | null,
];

type PackedNode = readonly [
  nodeId: string,
  nodeArray: Place,
  vmSize: Place,
  spot: 0 | 1,
  usdPerHour: number | null,
  use: Place,
  sinceMs: number,
  /** Index of the run (or the key of a job without a known run), then its share. */
  ...jobs: (Place | string)[],
];

/** A book as it is stored: a hundred thousand running jobs have few users, queues and sizes, and need no names of fields. */
export interface PackedBook extends Omit<Book, "nodes" | "running"> {
  readonly texts: readonly (string | null)[];
  readonly nodes: readonly PackedNode[];
  /** Names of these nodes, in their order; null: none is known. */
  readonly nodeNames: readonly (string | null)[];
  readonly running: readonly PackedRun[];
}

export function packBook({ nodes, running, ...rest }: Book): PackedBook {
  const texts: (string | null)[] = [];
  const places = new Map<string | null, Place>();
  const placeOf = (text: string | null): Place => {
    const knownPlace = places.get(text);
    if (knownPlace !== undefined) return knownPlace;
    places.set(text, texts.length);
    return texts.push(text) - 1;
  };
  const runs = new Map<string, Place>();
  const packedRuns = running.map((run, index): PackedRun => {
    runs.set(run.key, index);
    const { source, name, user, account, queue, nodeArray, vmSize, spot } = run;
    // Written out: a hundred thousand of them are packed each minute, and spreading takes three times as long.
    return [
      placeOf(source),
      name,
      placeOf(user),
      placeOf(account),
      placeOf(queue),
      placeOf(nodeArray),
      placeOf(vmSize),
      spot ? 1 : 0,
      run.firstSeconds,
      run.lastSeconds,
      run.nodeMs,
      run.nanoUsd,
      run.unpricedNodeMs,
      run.submittedSeconds ?? null,
    ];
  });
  const packedNodes = nodes.map(
    ({ nodeId, nodeArray, vmSize, spot, usdPerHour, use, sinceMs, jobs }): PackedNode => {
      const packed: [...PackedNode] = [
        nodeId,
        placeOf(nodeArray),
        placeOf(vmSize),
        spot ? 1 : 0,
        usdPerHour,
        placeOf(use),
        sinceMs,
      ];
      for (const { key, share } of jobs) packed.push(runs.get(key) ?? key, share);
      return packed;
    },
  );
  const nodeNames = nodes.map(({ name }) => name ?? null);
  return { ...rest, texts, nodes: packedNodes, nodeNames, running: packedRuns };
}

export function unpackBook({ texts, nodes, nodeNames, running, ...rest }: PackedBook): Book {
  const textAt = (place: Place): string => {
    const text = texts[place];
    if (typeof text !== "string")
      throw new InvariantError(`Stored accounts name text ${place}, and there is none`);
    return text;
  };
  const orNull = (place: Place) => texts[place] ?? null;
  const runs = running.map((packed): JobTotal => {
    const [source, name, user, account, queue, nodeArray, vmSize, spot, firstSeconds, lastSeconds] = packed;
    const [, , , , , , , , , , nodeMs, nanoUsd, unpricedNodeMs, submittedSeconds] = packed;
    return {
      key: jobKey(textAt(source), name),
      source: textAt(source),
      name,
      user: orNull(user),
      account: orNull(account),
      queue: orNull(queue),
      nodeArray: textAt(nodeArray),
      vmSize: textAt(vmSize),
      spot: spot === 1,
      nodeMs,
      nanoUsd,
      unpricedNodeMs,
      runs: 0,
      firstSeconds,
      lastSeconds,
      ...(typeof submittedSeconds === "number" && { submittedSeconds }),
    };
  });
  const unpacked = nodes.map((packed, index): BookNode => {
    const [nodeId, nodeArray, vmSize, spot, usdPerHour, use, sinceMs, ...shares] = packed;
    const jobs: { key: string; share: number }[] = [];
    for (let at = 0; at < shares.length; at += 2) {
      const [job = "", share = 0] = [shares[at], shares[at + 1]];
      jobs.push({ key: typeof job === "string" ? job : (runs[job]?.key ?? ""), share: Number(share) });
    }
    const name = nodeNames[index] ?? undefined;
    return {
      nodeId,
      nodeArray: textAt(nodeArray),
      vmSize: textAt(vmSize),
      spot: spot === 1,
      usdPerHour,
      ...(name !== undefined && { name }),
      use: textAt(use) as BookNode["use"],
      jobs,
      sinceMs,
    };
  });
  return { ...rest, nodes: unpacked, running: runs };
}
