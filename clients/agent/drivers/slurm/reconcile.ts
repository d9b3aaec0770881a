import { shortHostname } from "../../../../shared/engine/index.ts";
import type { Context, Correction } from "../driver.ts";
import { isDynamic } from "./dynamic-nodes.ts";
import { compactHostlist } from "./hostlist.ts";
import {
  deleteRecords,
  drain,
  inParts,
  keepingJobs,
  nodeName,
  resume,
  setAddresses,
  takeDown,
  undrain,
  withoutAddress,
} from "./node-commands.ts";
import { isPowerSaving } from "./power-saving.ts";
import {
  type Gone,
  hasJoined,
  isAway,
  isBusy,
  isDownByOthers,
  isElsewhere,
  isLostDrain,
  type Joining,
  nowhere,
  ours,
  reasonsOfSlurm,
  reasonWithUser,
} from "./slurm-nodes.ts";
import type { JobRecord, NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** What CycleCloud asked for and what we remember, beside what Slurm says. */
interface Truths {
  readonly decided: Pick<Context, "draining" | "undrained">;
  /** Hosts that are there and were not in service in the pass before. */
  readonly joining: Joining;
  /** Those among them that still are not. */
  readonly stillJoining: Joining;
  readonly gone: Gone;
  /** Nodes of power saving that are off, and needed by a reservation. */
  readonly toPowerUp: ReadonlySet<string>;
}

/** One node as all three have it. */
interface Cell {
  readonly node: NodeRecord;
  /** Slurm has it without a machine. */
  readonly isAway: boolean;
  /** Slurm's power saving has it, and not the planner. */
  readonly isSaving: boolean;
  /** It registered itself, and slurm.conf has no line for it. */
  readonly isDynamic: boolean;
  /** The machine that Slurm has for it is gone. */
  readonly isGone: boolean;
  /** The planner's, of which no machine is known to anybody. */
  readonly isMissing: boolean;
  /** Its machine is there, and nobody has taken it down. */
  readonly isHost: boolean;
  readonly isDown: boolean;
  readonly hasJob: boolean;
  /** We said why it is out, or nobody did. */
  readonly isOurs: boolean;
  /** Somebody else keeps it out, or Slurm does. */
  readonly isOut: boolean;
  /** CycleCloud wants it drained. */
  readonly drains: boolean;
  /** The host that joined as this node, until it is in service, and one pass more. */
  readonly host: ReturnType<Joining["get"]>;
  readonly isJoining: boolean;
  readonly isToPowerUp: boolean;
}

interface Row {
  /** For people. */
  readonly why: string;
  readonly holds: (cell: Cell) => boolean;
  readonly correct: (cells: readonly Cell[], settings: SlurmSettings) => ReturnType<typeof drain>;
}

/** Its daemon has registered. */
const isDownHost = ({ isHost, isDown, node }: Cell) => isHost && isDown && !node.flags.has("POWERED_DOWN");

/** Slurm forgets our reason when the daemon registers; scontrol takes nobody's DOWN without one. */
const isForgotten = ({ reason, flags }: NodeRecord) =>
  reason === "" && !flags.has("DRAIN") && !flags.has("FAIL");

/**
 * Not before its daemon has registered: Slurm would start jobs on a node whose daemon it has not seen, and would not count what
 * the node keeps for the system (`CoreSpecCount`).
 */
const waitsToServe = (cell: Cell) =>
  isDownHost(cell) &&
  (cell.host === undefined
    ? (cell.isOurs || isForgotten(cell.node)) && !cell.node.flags.has("NOT_RESPONDING")
    : cell.isOurs || reasonsOfSlurm.includes(cell.node.reason));

/** A drain would take that job from it (`update_node` of slurmctld). The host name may be that of a node before it. */
const bootsForJob = ({ hasJob, node: { flags } }: Cell) =>
  hasJob && (flags.has("POWERING_UP") || flags.has("POWERED_DOWN"));

const isDownInSaving = ({ isSaving, isDown, node }: Cell) =>
  isSaving && isDown && !node.flags.has("POWERING_DOWN");

/** Behind a person's reason of a reboot: Slurm has powered it down since, and its next machine starts anyway. */
const rebootTimeout = ": reboot timed out";

const failedToCome = (cell: Cell) =>
  isDownInSaving(cell) &&
  cell.node.flags.has("POWERED_DOWN") &&
  (reasonsOfSlurm.includes(cell.node.reason) || cell.node.reason.endsWith(rebootTimeout));

const isOffWithAddress = ({ isSaving, isAway, isJoining, node }: Cell) =>
  isSaving && isAway && !isJoining && node.flags.has("POWERED_DOWN") && node.address !== nowhere;

/** Its next machine is there already, and has not joined: with its record gone, its daemon would be unknown. */
const hasRegisteredAnew = ({ node: { slurmd_start_time: started, reason_changed_at: takenDown } }: Cell) =>
  (started ?? 0) > (takenDown ?? 0);

/**
 * What is done where CycleCloud, Slurm and our records differ about a node: the first row that holds. None of them takes a host that
 * is there from its jobs, or changes what a person set.
 */
const rows: readonly Row[] = [
  {
    // What a person said of this machine is no word on the next one of its name: that takes jobs again.
    why: "its machine is gone",
    holds: ({ isGone }) => isGone,
    correct: (cells, settings) => [
      ...takeDown(namesOf(cells), settings),
      ...deleteRecords(namesOf(cells.filter(({ isDynamic }) => isDynamic)), settings),
    ],
  },
  {
    // A reconfiguration gives nodes whose daemon has not registered the address of slurm.conf back; a command may have failed.
    why: "its machine is there, under another address than Slurm has",
    holds: ({ node, host, isJoining, isSaving, isAway, hasJob }) =>
      isJoining &&
      (!isSaving || node.flags.has("POWERING_UP")) &&
      host !== undefined &&
      nodeName.test(host.hostname) &&
      (isAway ? node.address !== host.hostname : !hasJob && isElsewhere(node, host.hostname)),
    correct: (cells, settings) =>
      setAddresses(
        cells.flatMap(({ node: { name }, host }) =>
          host === undefined ? [] : [{ node: name, hostname: host.hostname }],
        ),
        settings,
      ),
  },
  {
    why: "it has no machine, and stays out as it is",
    holds: ({ isMissing, isOut, isDown, hasJob, node }) =>
      isMissing && isOut && (isDown || !hasJob) && node.address !== nowhere,
    correct: (cells, settings) => withoutAddress(namesOf(cells), [], settings),
  },
  {
    why: "it has no machine, and a job that waits for it",
    holds: ({ isMissing, isOut, isDown, hasJob }) => isMissing && isOut && !isDown && hasJob,
    correct: (cells, settings) =>
      forEachReason(
        cells,
        ({ node }) => reasonWithUser(node),
        (names, reason) => takeDown(names, settings, reason),
      ),
  },
  {
    why: "it has no machine and no job, and came without a line in slurm.conf",
    holds: (cell) =>
      cell.isMissing && !cell.isOut && cell.isDynamic && !cell.hasJob && !hasRegisteredAnew(cell),
    correct: (cells, settings) => deleteRecords(namesOf(cells), settings),
  },
  {
    why: "it has no machine",
    holds: ({ isMissing, isOut, isDown, node }) =>
      isMissing && !isOut && !(isDown && node.address === nowhere),
    correct: (cells, settings) => takeDown(namesOf(cells), settings),
  },
  {
    why: "a person took it down before its daemon registered, and Slurm forgot that reason",
    holds: (cell) => isDownHost(cell) && cell.node.reason === "" && cell.host?.heldReason !== undefined,
    correct: (cells, settings) =>
      forEachReason(
        cells,
        ({ host }) => host?.heldReason ?? "",
        (names, reason) => inParts(names, () => [`Reason=${reason}`], settings),
      ),
  },
  {
    // One that is down is drained when it comes: resuming it would end the drain.
    why: "CycleCloud drains it",
    holds: (cell) =>
      cell.drains &&
      (waitsToServe(cell) ||
        (cell.isHost && !cell.isDown && !cell.node.flags.has("DRAIN") && !bootsForJob(cell))),
    correct: (cells, settings) => [
      ...resume(namesOf(cells.filter(waitsToServe)), settings),
      ...drain(namesOf(cells), settings),
    ],
  },
  {
    why: "CycleCloud does not drain it any more",
    holds: ({ isHost, drains, isOurs, node }) => isHost && !drains && isOurs && node.flags.has("DRAIN"),
    correct: (cells, settings) => undrain(namesOf(cells), settings),
  },
  {
    why: "its daemon has registered",
    holds: waitsToServe,
    correct: (cells, settings) => resume(namesOf(cells), settings),
  },
  {
    // Slurm keeps a drain while the node is off, and never powers it up again: a health check would take one name after the other.
    why: "its machine goes, and what was said of it is no word on the next one of its name",
    holds: ({ isSaving, isOurs, drains, node: { flags } }) =>
      isSaving &&
      !drains &&
      flags.has("DRAIN") &&
      !flags.has("POWER_DRAIN") &&
      (flags.has("POWERING_DOWN") || (flags.has("POWERED_DOWN") && isOurs)),
    correct: (cells, settings) => undrain(namesOf(cells), settings),
  },
  {
    why: "the planner had it, and Slurm's power saving has it now",
    holds: (cell) => cell.isAway && isDownInSaving(cell) && cell.isOurs,
    correct: (cells, settings) => [
      ...withoutAddress(namesOf(cells), ["State=POWER_DOWN_FORCE"], settings),
      ...inParts(namesOf(cells), () => ["State=RESUME"], settings),
    ],
  },
  {
    why: "it is powered down, and Slurm has another address than none",
    holds: (cell) => isOffWithAddress(cell) && !failedToCome(cell),
    correct: (cells, settings) => withoutAddress(namesOf(cells), [], settings),
  },
  {
    why: "it did not come, or come back, before ResumeTimeout was over",
    holds: failedToCome,
    correct: (cells, settings) => [
      ...withoutAddress(namesOf(cells.filter(isOffWithAddress)), [], settings),
      ...inParts(namesOf(cells), () => ["State=RESUME"], settings),
    ],
  },
  {
    why: "a reservation needs it",
    holds: ({ isToPowerUp }) => isToPowerUp,
    correct: (cells, settings) => inParts(namesOf(cells), () => ["State=POWER_UP"], settings),
  },
];

/** What nodes need, with one command for those that need the same. */
export function reconcile(
  nodes: readonly NodeRecord[],
  jobs: readonly JobRecord[],
  truths: Truths,
  settings: SlurmSettings,
): readonly Correction[] {
  const kindOf = (node: NodeRecord) => ({
    isSaving: isPowerSaving(node, settings),
    isDynamic: isDynamic(node, settings),
  });
  const cells = nodes
    .filter(({ name }) => nodeName.test(name))
    .map((node) => cellOf(node, truths, kindOf(node)));
  const byRow = Map.groupBy(cells, (cell) => rows.find(({ holds }) => holds(cell)));
  const because = (why: string, own: readonly Cell[], commands: ReturnType<Row["correct"]>) => {
    const nodes = compactHostlist(namesOf(own));
    return commands.map((command): Correction => ({ ...command, why, nodes }));
  };
  const missing = rows.flatMap((row) => byRow.get(row) ?? []).filter(({ isMissing }) => isMissing);
  const { guards, after } = keepingJobs(jobs, new Set(namesOf(missing)), settings);
  // With its node, Slurm would end a job that must not be requeued. Such nodes are by themselves: what fails for one job holds up no other.
  const guardsOf = ({ isMissing, node }: Cell) => (isMissing ? guards.get(node.name) : undefined);
  const keyOf = (cell: Cell) =>
    guardsOf(cell)
      ?.flatMap(({ args }) => args)
      .join(" ");
  const corrections = rows.flatMap((row) =>
    [...Map.groupBy(byRow.get(row) ?? [], keyOf).values()].flatMap((own) => {
      const [first] = own;
      const shared = first === undefined ? undefined : guardsOf(first);
      const commands = because(row.why, own, row.correct(own, settings));
      return shared === undefined ? commands : commands.map((each) => ({ ...each, guards: shared }));
    }),
  );
  return [...corrections, ...because("jobs that Slurm put there wait again", missing, after)];
}

function cellOf(
  node: NodeRecord,
  { decided, joining, stillJoining, gone, toPowerUp }: Truths,
  { isSaving, isDynamic: dynamic }: Pick<Cell, "isSaving" | "isDynamic">,
): Cell {
  const { name, flags, reason } = node;
  const away = isAway(node);
  const isOurs = reason.startsWith(ours);
  const isDown = flags.has("DOWN");
  const isJoining = stillJoining.has(name);
  return {
    node,
    isSaving,
    isDynamic: dynamic,
    isGone: !isSaving && gone.has(name),
    isAway: away,
    isMissing: away && !isSaving && !isJoining,
    isHost: hasJoined(node) && !isDownByOthers(node),
    isDown,
    hasJob: isBusy(node),
    isOurs,
    isOut: !isOurs && (isDown || flags.has("DRAIN") || flags.has("FAIL")),
    drains: decided.draining.has(shortHostname(node.hostname)) || (!isSaving && isLostDrain(node, decided)),
    host: joining.get(name),
    isJoining,
    isToPowerUp: toPowerUp.has(name),
  };
}

function namesOf(cells: readonly Cell[]): readonly string[] {
  return cells.map(({ node }) => node.name);
}

/** A command has one reason. */
function forEachReason(
  cells: readonly Cell[],
  reasonOf: (cell: Cell) => string,
  commands: (names: readonly string[], reason: string) => ReturnType<typeof drain>,
) {
  return [...Map.groupBy(cells, reasonOf)].flatMap(([reason, some]) => commands(namesOf(some), reason));
}
