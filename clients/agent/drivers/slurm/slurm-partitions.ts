import { type NodeRecord, readLines } from "./slurm-records.ts";

/** What Slurm says of a partition, as far as demand goes. */
export interface Partition {
  /** `OverSubscribe=EXCLUSIVE`: its jobs share no node. */
  readonly exclusive: boolean;
  /** Whether it starts jobs at all. */
  readonly isUp: boolean;
  /** Of one job. */
  readonly mostNodes: number;
  /** What its jobs together may take of one node, and of one socket of it; undefined: all. */
  readonly mostCpusPerNode: number | undefined;
  readonly mostCpusPerSocket: number | undefined;
  /** The QOS whose limits hold for its jobs; empty: none. */
  readonly qos: string;
}

export type Partitions = ReadonlyMap<string, Partition>;

/** `scontrol show partitions --all --oneliner`; undefined when it is not all there. */
export function readPartitions(text: string): Partitions | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  return new Map(
    lines.flatMap((line) => {
      const { PartitionName: name, OverSubscribe: shared, State: state, QoS: qos } = line;
      if (name === undefined) return [];
      return [
        [
          name,
          {
            exclusive: shared === "EXCLUSIVE",
            isUp: state === undefined || state === "UP",
            mostNodes: numberOf(line.MaxNodes) ?? Number.POSITIVE_INFINITY,
            mostCpusPerNode: numberOf(line.MaxCPUsPerNode),
            mostCpusPerSocket: numberOf(line.MaxCPUsPerSocket),
            qos: qos === undefined || qos === "N/A" ? "" : qos,
          },
        ] as const,
      ];
    }),
  );
}

function numberOf(text: string | undefined): number | undefined {
  return /^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined;
}

/** What jobs of a partition together may take of a node; undefined: all of it. */
export function cpusAllowed(
  partition: Partition | undefined,
  { sockets }: Pick<NodeRecord, "sockets">,
): number | undefined {
  const { mostCpusPerNode, mostCpusPerSocket } = partition ?? {};
  const ofSockets = mostCpusPerSocket === undefined ? undefined : mostCpusPerSocket * (sockets ?? 1);
  if (mostCpusPerNode === undefined) return ofSockets;
  return Math.min(mostCpusPerNode, ofSockets ?? mostCpusPerNode);
}
