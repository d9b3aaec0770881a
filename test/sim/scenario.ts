import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import type { DefinitionInput } from "../../shared/simulated-cyclecloud/definition.ts";
import type { KeptAlive } from "./app.ts";
import type { Chance } from "./chance.ts";
import type { Cloud } from "./cloud.ts";
import type { Fleet } from "./fleet.ts";
import type { SlurmScript, SlurmSource } from "./slurm/slurm-source.ts";
import type { Source } from "./source.ts";

/** What a scenario may lay its hands on while it runs. */
export interface Stage {
  readonly cloud: Cloud;
  readonly fleet: Fleet;
  readonly chance: Chance;
  readonly nowSeconds: number;
  /** Messages on the demand queue and its poison queue that are not done with. */
  readonly demandQueue: { readonly waiting: number };
  source(cluster: string): Source;
  /** The same of a cluster with Slurm. */
  slurm(cluster: string): SlurmSource;
  /** Puts a message on the demand queue. */
  put(body: unknown): void;
  /** The same of one that is to be refused whole. */
  putMangled(body: unknown): void;
  /** A promise was broken. */
  violate(what: string): void;
  /** A node asks whether it may stop. Whoever asked is told, and does nothing about it. */
  ask(this: void, cluster: string, instance: string): void;
  /** The timer's function runs once more, whatever else runs. */
  snapshot(this: void): void;
  /** An operator decides. The call may go wrong like any other, so that operators repeat what must be. */
  decide(this: void, cluster: string, decision: "pause" | "resume"): void;
  /** An operator protects nodes here, not in CycleCloud, or ends that. May go wrong as well. */
  keepAlive(this: void, cluster: string, kept: KeptAlive): void;
  /** A window begins of a schedule that asks for its nodes in time by itself; whether they are up. */
  windowBegan(this: void, isMet: boolean): void;
  /** Replaces these keys of the cluster's `autoscale.json`. */
  configure(cluster: string, keys: Readonly<Record<string, unknown>>): void;
}

/** What happens to an agent again and again, and disturbs nothing that it promises. */
export const agentKilled = "the agent is killed";

/** Something that happens to the world, apart from the faults. `atSeconds` counts from the start. */
export interface Happening {
  readonly atSeconds: number;
  readonly what: string;
  readonly happens: (stage: Stage) => void;
}

export interface ClusterScript {
  readonly definition: DefinitionInput;
  readonly jobs: readonly WorkloadJob[];
  /** Keys of `autoscale.json`, besides the connection and the time-outs that every simulation sets. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Failed nodes that may be there for long at a time. Absent: not watched, because plans may stand still. */
  readonly mostFailedNodes?: number;
  /** Nodes of its array that may be deallocated at a time, and may be left so at the end. Absent: none. */
  readonly mostDeallocated?: number;
  /** Its scheduler does not start some jobs for a while, on nodes that have room. Absent: no plan may find that it does so. */
  readonly refusesJobs?: boolean;
  /** How long its CycleCloud takes for every answer; longer than a client waits: it is dead. */
  readonly answerSeconds?: number;
  /** Its scheduler is Slurm, with the real agent beside it. */
  readonly slurm?: SlurmScript;
  /** Names of jobs that no node can ever run: they must wait for ever, with a reason. */
  readonly hopeless?: readonly string[];
}

export interface Script {
  readonly clusters: readonly ClusterScript[];
  /** When it begins. Absent: on a day like any other. */
  readonly startSeconds?: number;
  readonly happenings: readonly Happening[];
  /** Faults and happenings are over then. */
  readonly troubleSeconds: number;
  /** How much more often faults happen at these places, in place of what `faults.ts` says. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Whether the schedulers can drain nodes; absent: drawn. */
  readonly drains?: boolean;
  /** Nobody but these clusters draws on their quotas: whatever a quota refuses could have been known. */
  readonly ownsQuotas?: true;
  /** CycleCloud tells of its nodes through Event Grid. */
  readonly events?: true;
}

/** One kind of trouble, drawn anew for every seed. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly draw: (chance: Chance) => Script;
}
