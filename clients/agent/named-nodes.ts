import { createHash } from "node:crypto";
import { z } from "zod";
import { messageOf } from "../../shared/errors/errors.ts";
import { jsonOr } from "../../shared/json/json.ts";
import { printableCut } from "../../shared/text/text.ts";
import type { Command, KeptAlive, NamedNodes } from "./drivers/driver.ts";

/** A node as the service has it. */
export interface ServiceNode {
  /** CycleCloud's, of this machine alone; null: CycleCloud has none yet. */
  readonly nodeId: string | null;
  readonly name: string;
  readonly hostname: string | null;
  /** Asked for, and not reported by CycleCloud yet. */
  readonly isPending: boolean;
  /** CycleCloud's. */
  readonly state: string | null;
  readonly targetState: string | null;
  /** What CycleCloud says of one that has failed. */
  readonly failure: string | null;
  readonly keptAlive?: KeptAlive | undefined;
}

export interface NamesToCreate {
  readonly names: readonly string[];
  readonly nodeArray: string;
  readonly placementGroup?: string;
  readonly reason: string;
}

/** What the service does with nodes by their names. Each call throws when it does not answer. */
export interface NamedNodesService {
  /** Nodes of these names, and perhaps others. */
  nodes(names: readonly string[]): Promise<readonly ServiceNode[]>;
  /** All of them or none. The same key again asks for nothing new. `taken`: a node has one of the names. */
  create(
    nodes: NamesToCreate,
    key: string,
  ): Promise<
    | { readonly outcome: "requested"; readonly actionIdOf: ReadonlyMap<string, string> }
    | { readonly outcome: "taken" }
    | { readonly outcome: "refused"; readonly why: string }
  >;
  /** `asked`: those that go now, `stays`: those that do not, and why. The others are on their way. */
  remove(names: readonly string[]): Promise<{
    readonly asked: readonly string[];
    readonly stays: readonly { readonly name: string; readonly why: string }[];
  }>;
  /** From now on because the scheduler never switches them off, or no longer. */
  keepAlive(names: readonly string[], on: boolean): Promise<void>;
  /** Whether it goes on, and what CycleCloud said. */
  operation(actionId: string): Promise<{ readonly isOpen: boolean; readonly messages: readonly string[] }>;
}

const phasesSchema = z.record(
  z.string(),
  z.discriminatedUnion("phase", [
    /**
     * Wanted since then; `actionId`: it was asked for; `isNew`: its machine was not up when it was first looked for; `isUnsure`: it was, and
     * an agent that lost its file may have asked for it.
     */
    z.object({
      phase: z.literal("coming"),
      sinceSeconds: z.number(),
      actionId: z.string().optional(),
      isNew: z.boolean().optional(),
      isUnsure: z.boolean().optional(),
    }),
    /** Its machine is to go. */
    z.object({ phase: z.literal("leaving") }),
    /** It has none any more, while the scheduler still switches it off. */
    z.object({ phase: z.literal("gone") }),
  ]),
);

/** By name. */
type Phases = Map<string, z.infer<typeof phasesSchema>[string]>;

export interface NamedNodesPorts {
  readonly service: NamedNodesService;
  readonly run: (command: Command) => Promise<unknown>;
  readonly load: () => Promise<string | undefined>;
  readonly save: (text: string) => Promise<void>;
}

/** What became of nodes that the scheduler names, in one pass. */
export interface NamedReport {
  readonly ordered: readonly string[];
  readonly deleted: readonly string[];
  /** Told to the scheduler that they do not come. */
  readonly givenBack: readonly { readonly names: readonly string[]; readonly why: string }[];
  readonly commands: number;
  readonly problems: readonly string[];
  /** Something was asked for whose answer is still to come. */
  readonly isOpen: boolean;
}

/** As the service takes them in one request. */
const mostNames = 1000;
const longestSentence = 250;
/** A machine that is still there so long after it was to go is to go once more. */
const removeAgainSeconds = 60;
/** What could not be had, and stays wanted, is asked for again so long after. */
const askAgainSeconds = 300;

/** A machine that is Ready joins within a minute or two. */
const usualJoinSeconds = 600;

/** So many nodes that cannot join, each tried by itself, and it is not because of the node. */
export const mostAlone = 3;

type Group = NamedNodes["wanted"][number];
type NodeAtHost = Parameters<NamedNodes["join"]>[0][number];

/** One pass: what the scheduler wants, where its names are, which nodes are there, and what was done. */
interface Round {
  readonly named: NamedNodes;
  readonly phases: Phases;
  readonly there: ReadonlyMap<string, ServiceNode>;
  readonly nowSeconds: number;
  readonly report: RoundReport;
}

/** Creates the nodes that the scheduler has switched on, by name, and deletes those that it has switched off. */
export class NamedNodeKeeper {
  readonly #ports: NamedNodesPorts;
  #phases: Phases | undefined;
  /** No file, or none that can be used, said what was asked for before. */
  #isLost = false;
  #saved = "";
  /** When names may be asked to go again. */
  readonly #removeAgain = new Map<string, number>();
  /** When names that stay wanted may be asked for again. */
  readonly #askAgain = new Map<string, number>();

  constructor(ports: NamedNodesPorts) {
    this.#ports = ports;
  }

  /** Never throws: what did not work is tried again in the next pass. */
  async tend(named: NamedNodes, nowSeconds: number): Promise<NamedReport> {
    const report = new RoundReport(this.#ports.run);
    try {
      const before = await this.#load();
      const phases = phasesAfter(before, named, nowSeconds, this.#isLost);
      this.#isLost = false;
      this.#phases = phases;
      await this.#save(report);
      const concerned = [...phases].filter(([, { phase }]) => phase !== "gone").map(([name]) => name);
      const names = [...concerned, ...named.withoutAddress, ...named.lost.keys()];
      if (names.length > 0)
        await this.#act({ named, phases, there: await this.#nodes(names), nowSeconds, report });
      await this.#save(report);
    } catch (error) {
      report.problems.push(messageOf(error));
    }
    return report;
  }

  async #act(round: Round): Promise<void> {
    const { named, phases, there, report } = round;
    for (const name of named.withoutAddress) {
      const node = there.get(name);
      if (node !== undefined) await joinOrGiveBack(name, node, named, report);
    }
    await report.join(named);
    const lost = [...named.lost].filter(([name, nodeId]) => isGone(there.get(name), nodeId));
    const lostNames = lost.map(([name]) => name);
    if (lost.length > 0) await report.giveBack(named, lostNames, "its machine is gone");
    const wanted = new Set(named.wanted.flatMap((group) => group.names));
    const unwanted = [...phases.keys()].filter((name) => !wanted.has(name));
    await this.#remove(unwanted, round);
    findEarlierMachines(round);
    await this.#giveBackOld([...wanted], round);
    await this.#save(report);
    await this.#create(round);
  }

  async #create(round: Round): Promise<void> {
    const { named, phases, nowSeconds, report } = round;
    const there = await this.#giveBackLost(round);
    const free: Group[] = [];
    for (const group of named.wanted) {
      const names: string[] = [];
      for (const name of group.names) {
        const node = there.get(name);
        const entry = phases.get(name);
        if (entry?.phase === "leaving" || nowSeconds < (this.#askAgain.get(name) ?? 0)) continue;
        if (node === undefined) {
          if (entry?.phase === "coming" && entry.actionId === undefined) names.push(name);
          else report.isOpen = true;
        } else if (group.staysWanted !== true) await joinOrGiveBack(name, node, named, report);
      }
      if (names.length > 0) free.push({ ...group, names });
    }
    await report.join(named);
    for (const alike of Map.groupBy(
      free,
      ({ nodeArray, colocated }) => `${nodeArray}\n${colocated}`,
    ).values()) {
      const [{ nodeArray, colocated } = { nodeArray: "", colocated: false }] = alike;
      const place = colocated ? { placementGroup: `${nodeArray}_pg0` } : {};
      await this.#order(alike, { nodeArray, ...place }, round);
    }
  }

  /** As many whole groups as can be had, in few calls: where all of them are refused, the first half is tried. */
  async #order(
    groups: readonly Group[],
    place: Pick<NamesToCreate, "nodeArray" | "placementGroup">,
    round: Round,
  ): Promise<void> {
    const { phases, report } = round;
    let left: readonly Group[] = report.withoutBack(groups).flatMap(splitByRequest);
    let size = left.length;
    while (left.length > 0) {
      const batch = left.slice(0, groupsInRequest(left, size));
      const names = batch.flatMap((group) => group.names);
      const more = batch.length > 1 ? `, and ${batch.length - 1} more` : "";
      const order = { ...place, names, reason: `${batch[0]?.reason ?? ""}${more}` };
      const answer = await this.#ports.service.create(order, keyOf(order, phases));
      if (answer.outcome === "requested") {
        for (const [name, actionId] of answer.actionIdOf) {
          const entry = phases.get(name);
          if (entry?.phase === "coming") phases.set(name, { ...entry, actionId });
        }
        await this.#save(report);
        report.ordered.push(...names);
        report.isOpen = true;
      } else if (batch.length > 1) {
        size = Math.ceil(batch.length / 2);
        continue;
      } else if (answer.outcome === "refused") {
        // There is no room for others that are as large either.
        const refused = left.filter((group) => group.names.length >= names.length);
        await this.#giveBack(
          refused.flatMap((group) => group.names),
          answer.why,
          round,
        );
        left = report.withoutBack(left);
        size = left.length;
        continue;
      }
      left = left.slice(batch.length);
      size = left.length;
    }
  }

  /** Names that were asked for, and of which nothing is on the way any more. */
  async #giveBackLost(round: Round): Promise<ReadonlyMap<string, ServiceNode>> {
    const { phases, there } = round;
    const missing = new Map<string, string[]>();
    for (const [name, entry] of phases) {
      if (entry.phase !== "coming" || entry.actionId === undefined || there.has(name)) continue;
      missing.set(entry.actionId, [...(missing.get(entry.actionId) ?? []), name]);
    }
    const closed: { readonly names: readonly string[]; readonly messages: readonly string[] }[] = [];
    for (const [actionId, names] of missing) {
      const { isOpen, messages } = await this.#ports.service.operation(actionId);
      if (!isOpen) closed.push({ names, messages });
    }
    if (closed.length === 0) return there;
    // A node may have come into the list since it was read.
    const again = await this.#nodes([...phases.keys()]);
    for (const { names, messages } of closed) {
      const lost = names.filter((name) => !again.has(name));
      const why = messages.length === 0 ? "its machine went away while it started" : messages.join("; ");
      if (lost.length > 0) await this.#giveBack(lost, why, round);
    }
    return again;
  }

  /** Those that stay wanted are wanted anew, some time later. */
  async #giveBack(
    names: readonly string[],
    why: string,
    { phases, named, nowSeconds, report }: Round,
  ): Promise<void> {
    await report.giveBack(named, names, why);
    const staying = new Set(
      named.wanted.filter((group) => group.staysWanted === true).flatMap((group) => group.names),
    );
    for (const name of names) {
      if (!staying.has(name)) continue;
      phases.set(name, { phase: "coming", sinceSeconds: nowSeconds });
      this.#askAgain.set(name, nowSeconds + askAgainSeconds);
    }
  }

  /**
   * Wanted again while the machine before it is still there, which nobody could delete meanwhile: Slurm waits for one that has
   * booted since, until ResumeTimeout.
   */
  async #giveBackOld(
    names: readonly string[],
    { phases, named, there, nowSeconds, report }: Round,
  ): Promise<void> {
    const left = names.filter((name) => phases.get(name)?.phase === "leaving");
    const old = left.filter((name) => isThere(there.get(name)));
    for (const name of left) {
      if (old.includes(name)) continue;
      phases.set(name, { phase: "coming", sinceSeconds: nowSeconds, isNew: true });
      this.#removeAgain.delete(name);
    }
    const due = old.filter((name) => this.#isDue(name, nowSeconds));
    if (due.length > 0) await report.giveBack(named, due, "its machine of before is still there");
  }

  #isDue(name: string, nowSeconds: number): boolean {
    return nowSeconds >= (this.#removeAgain.get(name) ?? 0);
  }

  async #remove(names: readonly string[], { phases, there, nowSeconds, report }: Round): Promise<void> {
    const due: string[] = [];
    for (const name of names) {
      if (phases.get(name)?.phase !== "leaving") continue;
      const node = there.get(name);
      if (node === undefined) {
        phases.set(name, { phase: "gone" });
        this.#removeAgain.delete(name);
      } else if (isThere(node) && this.#isDue(name, nowSeconds)) due.push(name);
    }
    if (due.length === 0) return;
    const { asked, stays } = await this.#ports.service.remove(due);
    for (const name of due) this.#removeAgain.set(name, nowSeconds + removeAgainSeconds);
    report.deleted.push(...asked);
    for (const { name, why } of stays)
      report.problems.push(`${name} is switched off, and its machine stays: ${why}`);
  }

  async #nodes(names: readonly string[]): Promise<ReadonlyMap<string, ServiceNode>> {
    return new Map((await this.#ports.service.nodes(names)).map((node) => [node.name, node]));
  }

  async #load(): Promise<Phases> {
    if (this.#phases !== undefined) return this.#phases;
    const { data } = phasesSchema.safeParse(jsonOr((await this.#ports.load()) ?? ""));
    // What is on order shows in the service's list; its idle time-out deletes what nobody wants.
    this.#isLost = data === undefined;
    return new Map(Object.entries(data ?? {}));
  }

  /** Before what was asked for can be asked for again, by another process. */
  async #save(report: RoundReport): Promise<void> {
    const text = JSON.stringify(Object.fromEntries(this.#phases ?? []));
    if (text === this.#saved) return;
    try {
      await this.#ports.save(text);
      this.#saved = text;
    } catch (error) {
      // Jobs do not wait for a disk that is full.
      report.problems.push(messageOf(error));
    }
  }
}

class RoundReport implements NamedReport {
  readonly ordered: string[] = [];
  readonly deleted: string[] = [];
  readonly givenBack: { readonly names: readonly string[]; readonly why: string }[] = [];
  readonly problems: string[] = [];
  commands = 0;
  isOpen = false;
  /** Their machines have an address, which the scheduler may have, too. */
  addressed: NodeAtHost[] = [];
  readonly #back = new Set<string>();
  readonly #run: NamedNodesPorts["run"];

  constructor(run: NamedNodesPorts["run"]) {
    this.#run = run;
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      this.commands += 1;
      await this.#run(command);
    }
  }

  /** All at once; where that fails, each by itself, so that one keeps no other from its jobs. */
  async join(named: NamedNodes): Promise<void> {
    const nodes = this.addressed;
    this.addressed = [];
    try {
      await this.run(named.join(nodes));
    } catch (error) {
      let failed = 0;
      for (const node of nodes.length === 1 ? [] : nodes) {
        await this.run(named.join([node])).catch(() => {
          failed += 1;
        });
        if (failed > mostAlone) break;
      }
      if (nodes.length === 1 || failed > 0) this.problems.push(messageOf(error));
    }
  }

  async giveBack(named: NamedNodes, names: readonly string[], words: string): Promise<void> {
    const why = printableCut(words, longestSentence);
    const back = named.giveBack(names, why);
    await this.run(back.commands);
    for (const name of [...names, ...back.names]) this.#back.add(name);
    this.givenBack.push({ names: back.names, why });
  }

  /** A name may go back with another one of its job. */
  withoutBack(groups: readonly Group[]): readonly Group[] {
    return groups.flatMap((group) => {
      const names = group.names.filter((name) => !this.#back.has(name));
      return names.length === 0 ? [] : [{ ...group, names }];
    });
  }
}

/** Where each name is after a reading. */
function phasesAfter(
  before: Phases,
  { wanted, going, off }: NamedNodes,
  nowSeconds: number,
  isUnsure: boolean,
): Phases {
  const after: Phases = new Map();
  for (const name of wanted.flatMap((group) => group.names)) {
    const entry = before.get(name);
    const isFollowed = entry?.phase === "coming" || entry?.phase === "leaving";
    const coming = { phase: "coming" as const, sinceSeconds: nowSeconds, ...(isUnsure ? { isUnsure } : {}) };
    after.set(name, isFollowed ? entry : coming);
  }
  for (const name of going)
    if (!after.has(name)) after.set(name, { phase: before.get(name)?.phase === "gone" ? "gone" : "leaving" });
  for (const name of off) {
    const phase = before.get(name)?.phase;
    if (!after.has(name) && (phase === "coming" || phase === "leaving"))
      after.set(name, { phase: "leaving" });
  }
  return after;
}

/** Its machine is up or on its way up, and nobody has told it to go. */
function isThere(node: ServiceNode | undefined): boolean {
  return node !== undefined && node.targetState === "Started" && !node.isPending;
}

/**
 * The first look at each name tells: a machine that is up then was ordered by nobody here; Slurm had switched the name off, and on
 * again, while nobody looked. What is up later came since. Without a file only time tells: Slurm lets a machine in that has booted since.
 */
function findEarlierMachines({ named, phases, there, nowSeconds }: Round): void {
  for (const name of named.wanted.flatMap((group) => (group.staysWanted === true ? [] : group.names))) {
    const entry = phases.get(name);
    if (entry?.phase !== "coming" || entry.actionId !== undefined || entry.isNew === true) continue;
    const node = there.get(name);
    const isUp = isThere(node) && node?.state === "Ready";
    if (isUp && entry.isUnsure === true && nowSeconds < entry.sinceSeconds + usualJoinSeconds) continue;
    phases.set(name, isUp ? { phase: "leaving" } : { ...entry, isNew: true });
  }
}

/** Events may come late: by then another machine may have the name. */
function isGone(node: ServiceNode | undefined, nodeId: string | undefined): boolean {
  return !isThere(node) || node?.nodeId === nodeId;
}

/** One that is there already gets its address, or goes back. */
async function joinOrGiveBack(
  name: string,
  node: ServiceNode,
  named: NamedNodes,
  report: RoundReport,
): Promise<void> {
  const { state, targetState, hostname, failure, isPending } = node;
  if (isPending) report.isOpen = true;
  else if (targetState === "Started" && state === "Failed")
    await report.giveBack(
      named,
      [name],
      `CycleCloud could not start it${failure === null ? "" : `: ${failure}`}`,
    );
  // Before it is Ready: its scheduler's daemon starts before that, and jobs follow.
  else if (targetState === "Started" && hostname !== null) report.addressed.push({ name, hostname });
  else if (targetState === "Deallocated")
    await report.giveBack(named, [name], "it is deallocated; `ccscale start` starts it");
}

/** A group of more names than a request takes comes in several. */
function splitByRequest(group: Group): readonly Group[] {
  const parts = Math.ceil(group.names.length / mostNames);
  return Array.from({ length: parts }, (_, index) => ({
    ...group,
    names: group.names.slice(index * mostNames, (index + 1) * mostNames),
  }));
}

/** How many of the first groups one request takes. */
function groupsInRequest(groups: readonly Group[], most: number): number {
  let count = 0;
  let names = 0;
  for (const group of groups.slice(0, most)) {
    names += group.names.length;
    if (names > mostNames) break;
    count += 1;
  }
  return Math.max(1, count);
}

/** The same names for the same wish: a request that was answered in vain is not made twice. */
function keyOf(order: NamesToCreate, phases: Phases): string {
  const since = order.names.map((name) => {
    const entry = phases.get(name);
    return entry?.phase === "coming" ? entry.sinceSeconds : 0;
  });
  return createHash("sha256")
    .update(JSON.stringify([order, since]))
    .digest("hex");
}
