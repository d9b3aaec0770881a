import type { JobDetails } from "../../../shared/messages/index.ts";

/**
 * The port between the agent (`ccscale agent`) and a scheduler. A driver is data in, data out: it says what to run, and
 * turns what was printed into jobs and nodes, and node events into commands. It never runs, waits, logs or reads a clock.
 */

/** One program with its arguments. There is no shell: an argument is one argument, whatever characters it holds. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Exit codes that are no failure, beside 0. */
  readonly exitCodes?: readonly number[];
}

/** A command of the agent's own accord, and for the log why and for which nodes (as a hostlist). */
export interface Correction extends Command {
  readonly why?: string;
  readonly nodes?: string;
  /** Run before it. It would do harm without them: when one fails, it waits for the next reading. */
  readonly guards?: readonly Command[];
}

/** Something to read from the scheduler; its text comes back in `Answers` under this name. */
export type Read =
  | ({ readonly kind: "command"; readonly name: string; readonly sink?: Sink } & Command)
  /** Queues of a message broker, read through the broker's client library; the text is a `Backlog` as JSON. */
  | { readonly kind: "backlog"; readonly name: string; readonly queues: readonly string[] };

/**
 * Takes what a command prints part by part, in UTF-8, so that hundreds of megabytes are never in memory at once. The answer's text is
 * empty then. Who runs the command may pass over it: then nothing begins, and the text is all that was printed.
 */
export interface Sink {
  /** Of a new answer: one before it may have ended anywhere. */
  begin(): void;
  /** The part is not there any more afterwards. */
  take(part: Uint8Array): void;
}

/** What a read printed. Reads that failed or took too long give no answer: then `interpret` is not called at all. */
export interface Answer {
  readonly text: string;
  /** 0, or one of the command's own `exitCodes`. */
  readonly exitCode: number;
}

export type Answers = Readonly<Record<string, Answer>>;

/**
 * A job for a demand message. The agent checks it before it is sent. Its details, such as its run time, may be left out;
 * `readJobDetails` leaves out what a message does not take.
 */
export interface Job extends JobDetails {
  /** No other job of the reading has it. People find the job by it, so it is the scheduler's id or begins with it. */
  readonly name: string;
  /** What each slot needs, as scalelib's constraints: an object, or a list all of which hold. See `docs/constraints.md`. */
  readonly constraints: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  /** How many slots, each with these constraints, placed where there is room and not all at once; 1 when absent. */
  readonly iterations?: number;
  /** How many different nodes, all at once or none, each with these constraints. Absent or 0: slots instead. */
  readonly nodeCount?: number;
  /** Whether all its nodes are in one placement group; it waits otherwise. */
  readonly colocated?: boolean;
  /** Jobs of the reading with the same one are parts of one job: they all get what they ask for, or none gets anything. */
  readonly gang?: string;
  /** Whether it lies on no node of another job of its `gang` that says so too; its nodes may then be of several arrays and sizes. */
  readonly gangApart?: boolean;
  /**
   * Whether its nodes may be of several arrays, sizes and placement groups where none could ever hold all of it. Colocated jobs of a gang for
   * which this is true or false are in one placement group until they are divided. It has a `gang` then.
   */
  readonly mayDivide?: boolean;
  /** How many of the `iterations` start at once: they get places in lots of so many, all of a lot or none. Absent: each by itself. */
  readonly gangSize?: number;
  /** Whether each slot has a node to itself. */
  readonly exclusive?: boolean;
  /**
   * `pack`: as many slots to a node as fit. `scatter`: one slot to a node, all of them or nothing. With a `nodeCount` always
   * `scatter`; absent without one: `pack`.
   */
  readonly packingStrategy?: "pack" | "scatter";
  /** The hosts of a running job. */
  readonly executingHostnames?: readonly string[];
  /** Larger first. */
  readonly priority?: number;
  /** ISO 8601 with an offset. */
  readonly submittedAt?: string;
  /** For people: what of its request is not carried over, a sentence each. The agent logs it once, not in every pass. */
  readonly notes?: readonly string[];
}

/**
 * A host that the scheduler knows. `draining` takes no new work and still has some; `drained` takes none and has none:
 * only a host that is surely empty may be called so, because its node is deleted then.
 */
export interface SchedulerNode {
  readonly hostname: string;
  /** All that jobs can ask of it, as the scheduler counts it: what the shape of such nodes has, with 0 for what it lacks. */
  readonly resources: Readonly<Record<string, number | string | boolean | null>>;
  readonly state: "up" | "draining" | "drained";
  /** Out by somebody else's doing: the state obeys no event, even one that the agent got for the host before. */
  readonly isOutByOthers?: true;
  /** Out by an event that the agent does not remember, because it lost its files: the service is asked whether it still counts. */
  readonly isOutByLostEvent?: true;
  /** For people: why it is out, by whom and since when (ISO 8601 with an offset), in the scheduler's words. */
  readonly stateReason?: string;
  readonly stateBy?: string;
  readonly stateSince?: string;
}

/**
 * What nodes of an array will offer once they have joined, as the scheduler counts it. The planner buys by this: a
 * scheduler that counts less than the VM has (memory kept for the system, cores instead of threads) would get too few nodes
 * otherwise, and keep jobs waiting beside them. Nodes that have joined are among `nodes`, with the same resources each.
 */
export interface NodeShape {
  /** CycleCloud's name of it. */
  readonly nodeArray: string;
  /** Absent: every size of the array that has no shape of its own. */
  readonly vmSize?: string;
  /**
   * All that jobs can ask of such a node: `ncpus`, `memmb`, `ngpus`, and whatever else the scheduler counts there. What it
   * has on other nodes and is left out here is not there.
   */
  readonly resources: Readonly<Record<string, number | string | boolean | null>>;
}

/** One record that could not be used, while the rest could. */
export interface SetAside {
  readonly record: string;
  readonly reason: string;
  /**
   * Hosts on which the record says that it runs. The agent posts a job of no other wish there, so that their nodes stay:
   * a record that cannot be read still runs.
   */
  readonly executingHostnames?: readonly string[];
}

/** The state that a driver gets back in its next pass; kept as JSON across restarts of the agent. */
export type Memory = Readonly<Record<string, unknown>>;

/** What the agent knows beside the answers. */
export interface Context {
  /** Unix time. */
  readonly nowSeconds: number;
  /**
   * Hosts that were told to drain and not to come back, and since when (Unix time); by `shortHostname`. For schedulers that
   * do not keep that themselves.
   */
  readonly draining: ReadonlyMap<string, number>;
  /** Hosts that were told to come back since; by `shortHostname`. Of a host in neither, nothing is known. Absent: none. */
  readonly undrained?: ReadonlySet<string>;
  /** What the last `interpret` or `commandsFor` returned; `{}` at first, or after the state was lost. */
  readonly memory: Memory;
}

/** All of the scheduler's jobs and nodes at one moment, or that they are unknown: a failure never becomes "none". */
export type Reading =
  | {
      readonly known: true;
      readonly jobs: readonly Job[];
      readonly nodes: readonly SchedulerNode[];
      /** Of every array for which the scheduler knows it. Absent or left out: what the VM has. */
      readonly shapes?: readonly NodeShape[];
      readonly setAside: readonly SetAside[];
      /** Hosts of which only the last known state is in the reading, because they did not answer. */
      readonly silent: readonly string[];
      /**
       * What brings the scheduler back to what was asked of it, such as a host that was told to drain and takes work again
       * after a restart. Run after the reading; when one fails, the next reading asks for it again.
       */
      readonly corrections: readonly Correction[];
      /** Absent: the planner chooses all nodes. */
      readonly named?: NamedNodes;
      readonly memory: Memory;
    }
  | { readonly known: false; readonly reason: string };

/**
 * Nodes that the scheduler itself chooses, by CycleCloud's names. The agent has exactly these created, and deletes them when
 * the scheduler has switched them off; both may be asked for in any number of readings.
 */
export interface NamedNodes {
  /** Switched on, and not there yet. Each group is created as a whole, or not at all and given back. */
  readonly wanted: readonly {
    readonly names: readonly string[];
    readonly nodeArray: string;
    /** In one placement group with the others of the array. */
    readonly colocated: boolean;
    /** For the record: for whom. */
    readonly reason: string;
    /** The scheduler cannot do without: what cannot be had is asked for again later. */
    readonly staysWanted?: boolean;
  }[];
  /** In use, while the scheduler does not know where they are. */
  readonly withoutAddress: readonly string[];
  /** In use, while an event reports that their machine is gone: its id in CycleCloud, undefined from older services. */
  readonly lost: ReadonlyMap<string, string | undefined>;
  /** Being switched off: their machines go. */
  readonly going: readonly string[];
  /** Switched off, most of them long ago. */
  readonly off: readonly string[];
  /** Absent: what the scheduler never switches off by itself is not known. */
  readonly exempt?: ExemptNodes | undefined;
  /** Gives nodes the addresses of their machines, in few commands; nothing where they have those. */
  readonly join: (
    nodes: readonly { readonly name: string; readonly hostname: string }[],
  ) => readonly Command[];
  /**
   * Tells the scheduler that these do not come, so that their jobs go elsewhere. `names`: with those that were to come for these
   * jobs, too, and for no other.
   */
  readonly giveBack: (
    names: readonly string[],
    why: string,
  ) => { readonly names: readonly string[]; readonly commands: readonly Command[] };
}

/** Nodes that the scheduler never switches off by itself, and how that changes. */
export interface ExemptNodes {
  /** Each by its name: not those of a set of which the scheduler keeps some on. */
  readonly names: readonly string[];
  /** The nodes that are on, among all that the scheduler chooses. */
  readonly on: readonly string[];
  /** Those that are to stay on for now, whether anybody keeps them alive or not: a reservation needs them. Absent: none. */
  readonly reserved?: readonly string[];
  /** A sentence about those that are to stay on, and cannot be made to. */
  readonly notice?: string;
  /** `refused`: a sentence about what somebody has to do instead. No command: files of the scheduler do it. */
  readonly change: (
    added: readonly string[],
    removed: readonly string[],
  ) => readonly Command[] | { readonly refused: string };
}

/** A node of an event. What may be absent is known of nodes that joined, unless the service is of an older release. */
export interface EventNode {
  readonly name: string;
  readonly hostname: string;
  /** Of `node-deleted`: the host name alone is gone, and the node goes on under another, with which it joins. */
  readonly isRenamed?: boolean;
  readonly nodeId?: string;
  readonly nodeArray?: string;
  readonly vmSize?: string;
  /** Null: it is in none. */
  readonly placementGroup?: string | null;
}

/** Something that happened, or is to happen, to nodes. */
export interface NodeEvent {
  readonly kind: "node-joined" | "drain" | "undrain" | "node-deleted" | "boot-timeout";
  /** When the service saw or decided it, in Unix time: the event may come much later. Absent: that is not known. */
  readonly atSeconds?: number;
  /** `name` is CycleCloud's. Nodes without a hostname never came so far that a scheduler could know them. */
  readonly nodes: readonly EventNode[];
}

/** Commands to run one after the other. When one fails, the event is tried again later, from the first one; nodes that join are tried one by one, too. */
export interface Steps {
  readonly commands: readonly Command[];
  readonly memory: Memory;
}

/** `scheduler`: because the scheduler never switches it off, by the agent. `others`: a person, or CycleCloud's own record. */
export type KeptAlive = "scheduler" | "others";

/** What the service knows of a cluster: its sources of new nodes, and the nodes that are there. */
export interface ClusterParts {
  readonly buckets: readonly {
    readonly nodeArray: string;
    readonly vmSize: string;
    readonly location: string;
    readonly spot: boolean;
    readonly enabled: boolean;
    readonly valid: boolean;
    readonly vm: {
      readonly vcpuCount: number;
      readonly pcpuCount: number;
      readonly gpuCount: number;
      readonly memoryBytes: number;
    };
    readonly limits: readonly {
      readonly limit: string;
      readonly max: number | null;
      readonly perNode: number;
    }[];
    readonly usdPerHour: number | null;
    readonly resources: Readonly<Record<string, unknown>>;
  }[];
  readonly nodes: readonly {
    readonly name: string;
    readonly nodeArray: string;
    readonly vmSize: string;
    readonly placementGroup: string | null;
    /** Nobody but an operator deletes it: by whose wish. */
    readonly keptAlive?: KeptAlive | undefined;
  }[];
  /** Records of CycleCloud that the service could not understand, a sentence each: what they are about is missing above. */
  readonly unread: readonly string[];
}

export interface SchedulerFile {
  readonly name: string;
  readonly text: string;
}

/** Files of the scheduler that follow from the cluster's node arrays. */
export interface SchedulerFiles {
  readonly folder: string;
  /** Every file that there may be: one that is not drawn up any more is emptied. */
  readonly names: readonly string[];
  /** Somebody else's in the same folder, which are read, and never written. */
  readonly besides?: readonly string[];
  /** The first line of each: a file without it belongs to somebody else, and the agent leaves it alone. */
  readonly heading: string;
  /** From one change that can wait to the next. */
  readonly gatherSeconds: number;
  /** `present`: what the folder has now, as far as it is ours or one of `besides`. `refused`: the files stay as they are, and why. */
  readonly drawUp: (
    cluster: ClusterParts,
    present: readonly SchedulerFile[],
  ) => DrawnUpFiles | { readonly refused: string };
  /** What has to be read of the scheduler before a file is written. */
  readonly reads: readonly Extract<Read, { kind: "command" }>[];
  /** Why these files must not be written now; undefined: they may be. */
  readonly whyNotNow: (files: readonly SchedulerFile[], answers: Answers) => string | undefined;
  /** Fails, and says why, where the scheduler's programs cannot read the files of this folder, which has the new ones. */
  readonly tryOut?: (folder: string) => Command;
  /**
   * What follows when these files were written. Undefined: an administrator does the rest. `refused`: a sentence about what
   * an administrator has to do first.
   */
  readonly apply?: (
    files: readonly SchedulerFile[],
    answers: Answers,
  ) => { readonly command: Command } | { readonly refused: string };
}

export interface DrawnUpFiles {
  readonly files: readonly SchedulerFile[];
  /** For people: what of the cluster is not in the files, or only in part; a sentence each. */
  readonly notes: readonly string[];
  /** What changed only follows nodes that come and go, or prices: it may wait until there is more. */
  readonly canWait: boolean;
}

/** A driver with its settings inside. */
export interface Driver {
  /** Its readings have `named`: the agent needs the service's address. */
  readonly namesNodes?: boolean;
  /** Where the settings ask for files that the agent keeps in step with the cluster. Absent: they ask for none. */
  readonly files?: SchedulerFiles;
  /**
   * What to read in one pass, step after step; the reads of one step run side by side. Reading "waiting" in a step before
   * "running" misses no job that starts in between.
   */
  reads(context: Context): readonly (readonly Read[])[];
  interpret(answers: Answers, context: Context): Reading;
  /** Must be safe to repeat: an event may come twice, and a command may have worked although it seemed to fail. */
  commandsFor(event: NodeEvent, context: Context): Steps;
}

/** A driver by name, before it is configured with its section of the agent's configuration. */
export interface DriverKind {
  readonly name: string;
  /** Every problem at once, each with the path of its field. */
  configure(
    section: unknown,
  ):
    | { readonly ok: true; readonly driver: Driver }
    | { readonly ok: false; readonly problems: readonly string[] };
}

/** How much of a broker's queues is read, and how long that may take. */
export interface BacklogLimits {
  /** Messages of which the headers are read, per queue; more are counted only. */
  readonly mostMessages: number;
  readonly timeoutSeconds: number;
}

/** A broker's queues at one moment, as the text of a `backlog` read. */
export interface Backlog {
  readonly queues: readonly {
    readonly name: string;
    /** All messages that wait, of every priority. */
    readonly length: number;
    /** Headers of the first of them, as far as the broker shows messages without taking them. */
    readonly messages: readonly WaitingMessage[];
  }[];
  /** Messages that a worker took and has not acknowledged; `undefined` when the broker does not show them. */
  readonly unacknowledged?: readonly WaitingMessage[] | undefined;
  /** How many of those say neither what nor whose they are. */
  readonly unreadable?: number | undefined;
}

/** A message without its body: bodies never leave the broker. */
export interface WaitingMessage {
  readonly queue: string;
  readonly headers: Readonly<Record<string, unknown>>;
}
