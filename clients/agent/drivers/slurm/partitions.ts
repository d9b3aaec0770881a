import { readLines } from "./slurm-records.ts";

/** What Slurm says of a partition, as far as demand goes. */
export interface Partition {
  /** `OverSubscribe=EXCLUSIVE`: its jobs share no node. */
  readonly exclusive: boolean;
  /** Whether it starts jobs at all. */
  readonly isUp: boolean;
  /** Of one job. */
  readonly mostNodes: number;
}

/** `scontrol show partitions --oneliner`; undefined when it is not all there. */
export function readPartitions(text: string): ReadonlyMap<string, Partition> | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  return new Map(
    lines.flatMap(({ PartitionName: name, OverSubscribe: shared, State: state, MaxNodes: most }) =>
      name === undefined
        ? []
        : [
            [
              name,
              {
                exclusive: shared === "EXCLUSIVE",
                isUp: state === undefined || state === "UP",
                mostNodes: /^\d{1,9}$/.test(most ?? "") ? Number(most) : Number.POSITIVE_INFINITY,
              },
            ] as const,
          ],
    ),
  );
}
