import { minutesIn } from "./amounts.ts";
import { type JobRecord, type NodeRecord, readLines } from "./slurm-records.ts";

/** What Slurm says of a partition, as far as demand goes. */
export interface Partition {
  /** `OverSubscribe=EXCLUSIVE`, printed as `Exclusive=NODE` from 26.05 on; with `ExclusiveTopo` they share no switch: its jobs share no node. */
  readonly exclusive: boolean;
  /** Whether it starts jobs at all. */
  readonly isUp: boolean;
  /** Whether it starts jobs of a user, account and QOS: `RootOnly`, `AllowAccounts` and their like. Groups are not known. */
  readonly takes: (job: Pick<JobRecord, "user_name" | "account" | "qos">) => boolean;
  /** Whether a job on so many nodes is within `MinNodes`, `MaxNodes`, `MaxTime` and `MaxMemPerNode`. A QOS may lift them: Slurm alone knows. */
  readonly allows: (job: PartitionRequest) => boolean;
  /** `MinNodes`: smaller jobs get so many, or wait for another of their partitions. */
  readonly leastNodes: number;
  /** What its jobs together may take of one node, and of one socket of it; undefined: all. */
  readonly mostCpusPerNode: number | undefined;
  readonly mostCpusPerSocket: number | undefined;
  /** The QOS whose limits hold for its jobs; empty: none. */
  readonly qos: string;
  /** What its jobs take of nodes, where that is not what the cluster's take. */
  readonly counting: Pick<Counting, "isOfMemory" | "by"> | undefined;
  /** `MaxMemPerCPU`, in MiB: jobs with more memory take so many more CPUs. */
  readonly mostMemoryPerCpu: number | undefined;
  /** `DefMemPerCPU`, where it is not the cluster's. */
  readonly memoryPerCpu: number | undefined;
}

interface PartitionRequest {
  readonly nodeCount: number;
  /** Undefined: no limit, which the partition shortens to its own. */
  readonly minutes: number | undefined;
  readonly memoryPerNode: number;
}

/** What Slurm gives to a job of a node: `SelectType` and `SelectTypeParameters`. */
export interface Counting {
  /** Without it jobs use up no memory: it only has to be there. */
  readonly isOfMemory: boolean;
  /** No other job gets the rest of a core or a socket. `node`: `select/linear`. */
  readonly by: "core" | "socket" | "node";
  /** Slurm leaves aside what partitions say themselves, as it does with `select/linear`: `CR_CPU`. */
  readonly isForAll?: boolean | undefined;
  /** `DefMemPerCPU`, in MiB: what a job has that does not say it. */
  readonly memoryPerCpu?: number | undefined;
}

/** `scontrol show config`, which leaves out parameters that are not set. Undefined: it is not all there. */
export function readCounting(config: string): Counting | undefined {
  const [, type] = /^SelectType\s*= (\S+)/m.exec(config) ?? [];
  const [, parameters = ""] = /^SelectTypeParameters\s*= (\S+)/m.exec(config) ?? [];
  if (type === undefined) return undefined;
  const memoryPerCpu = numberOf(/^DefMemPerCPU\s*= (\S+)/m.exec(config)?.[1]);
  const isForAll = parameters.includes("CR_CPU");
  const counting = { ...countingIn(parameters), isForAll, memoryPerCpu };
  return type === "select/linear" ? { ...counting, by: "node" } : counting;
}

/** As docs/slurm.md has it. */
export const usualCounting: Counting = { isOfMemory: true, by: "core" };

/** Jobs share no core with `CR_CPU` either, on nodes whose cores are known. */
function countingIn(parameters: string) {
  return {
    isOfMemory: parameters.includes("MEMORY"),
    by: parameters.includes("CR_SOCKET") ? "socket" : "core",
  } as const;
}

export type Partitions = ReadonlyMap<string, Partition>;

/** `scontrol show partitions --all --oneliner`; undefined when it is not all there. */
export function readPartitions(text: string): Partitions | undefined {
  const lines = readLines(text);
  if (lines === undefined) return undefined;
  return new Map(
    lines.flatMap((line) => {
      const {
        PartitionName: name,
        OverSubscribe: shared,
        State: state,
        QoS: qos,
        SelectTypeParameters: own,
      } = line;
      if (name === undefined) return [];
      return [
        [
          name,
          {
            exclusive:
              shared === "EXCLUSIVE" ||
              line.Exclusive === "NODE" ||
              line.Exclusive === "TOPO" ||
              line.ExclusiveTopo === "YES",
            // One that drains takes no new jobs, and runs those that it has.
            isUp: state === undefined || state === "UP" || state === "DRAIN",
            takes: ({ user_name, account, qos }) =>
              (line.RootOnly !== "YES" || user_name === "root") &&
              isTaken(account, line.AllowAccounts, line.DenyAccounts) &&
              isTaken(qos, line.AllowQos, line.DenyQos),
            allows: ({ nodeCount, minutes = 0, memoryPerNode }) =>
              nodeCount <= (numberOf(line.MaxNodes) ?? nodeCount) &&
              minutes <= (minutesIn(line.MaxTime) ?? minutes) &&
              memoryPerNode <= (numberOf(line.MaxMemPerNode) ?? memoryPerNode),
            leastNodes: numberOf(line.MinNodes) ?? 1,
            mostCpusPerNode: numberOf(line.MaxCPUsPerNode),
            mostCpusPerSocket: numberOf(line.MaxCPUsPerSocket),
            qos: qos === undefined || qos === "N/A" ? "" : qos,
            counting: own === undefined || own === "NONE" ? undefined : countingIn(own),
            mostMemoryPerCpu: numberOf(line.MaxMemPerCPU) || undefined,
            memoryPerCpu: numberOf(line.DefMemPerCPU),
          },
        ] as const,
      ];
    }),
  );
}

/** A list of those who may, or one of those who may not. */
function isTaken(name: string, allowed = "ALL", denied = ""): boolean {
  const isIn = (list: string) => list.toLowerCase().split(",").includes(name.toLowerCase());
  return name === "" || (allowed === "ALL" ? !isIn(denied) : isIn(allowed));
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
