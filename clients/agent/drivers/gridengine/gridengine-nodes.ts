import { memberOf, shortHostname } from "../../../../shared/engine/index.ts";
import type { Command, Context, SchedulerNode } from "../driver.ts";
import { hasNoDecision } from "../late-news.ts";
import { reasonText } from "../scheduler-words.ts";
import { amountOf } from "./amounts.ts";
import { disable, enable, setValues } from "./commands.ts";
import type { Definitions } from "./definitions.ts";
import type { GridengineSettings, NodeArraySettings } from "./gridengine-settings.ts";
import type { GridengineMemory } from "./memory.ts";
import { usualName } from "./places.ts";
import type { QueueInstance, RunningRecord } from "./queue-records.ts";
import { slotsName, takenBy } from "./running.ts";

/** A host with its queue instances. */
export interface Host {
  readonly hostname: string;
  readonly short: string;
  readonly instances: readonly QueueInstance[];
  readonly jobs: readonly RunningRecord[];
}

export function hostsOf(
  instances: readonly QueueInstance[],
  running: readonly RunningRecord[],
): readonly Host[] {
  const jobs = Map.groupBy(running, ({ host }) => host);
  return [...Map.groupBy(instances, ({ host }) => host)].map(([hostname, own]) => ({
    hostname,
    short: shortHostname(hostname),
    instances: own,
    jobs: jobs.get(hostname) ?? [],
  }));
}

/** Words for the letters of a state that take no new job. `a` and `A`, too much load, end with the jobs that run there. */
const closing: Readonly<Record<string, string>> = {
  d: "disabled",
  D: "disabled by its calendar",
  E: "in error",
  u: "unreachable",
  o: "orphaned",
  c: "configuration ambiguous",
  s: "suspended",
  S: "suspended by another queue",
  C: "suspended by its calendar",
};
const open = new Set(["a", "A"]);

/** Letters that are not known. */
export function unknownStates({ state }: QueueInstance): readonly string[] {
  return [...state].filter((letter) => closing[letter] === undefined && !open.has(letter));
}

function isDisabled({ state }: QueueInstance): boolean {
  return state.includes("d");
}

/** Takes no new job; so does what is in a state that is not known. */
function isClosed(instance: QueueInstance): boolean {
  return [...instance.state].some((letter) => !open.has(letter));
}

/** As long as it is in this state, unless its daemon only does not answer: that may be for the length of a boot. */
function isShut({ state }: QueueInstance): boolean {
  return [...state].some((letter) => letter !== "u" && !open.has(letter));
}

/** Its load is over a threshold. One that does not answer is in alarm, too: that may be for the length of a boot. */
function isInAlarm({ state }: QueueInstance): boolean {
  return /[aA]/.test(state) && !state.includes("u");
}

/** Until a person clears it (`qmod -c`): the host failed a job. */
function isInError({ state }: QueueInstance): boolean {
  return state.includes("E");
}

/**
 * No queue of it takes jobs, because somebody disabled it or it failed a job; queues that it was taken out of take none anyway. A
 * calendar or another queue opens it again by itself.
 */
export function isOut({ instances }: Host): boolean {
  const isGivenUp = (each: QueueInstance) => isDisabled(each) || isInError(each);
  return instances.some(isGivenUp) && instances.every((each) => isGivenUp(each) || each.state.includes("o"));
}

/** So many hosts that failed jobs, and no other: it is not the host. */
const mostInError = 2;

/** Why new nodes would take no job of a queue, by its name: what a calendar says holds on a host without slots, too. */
export function closedQueuesOf(instances: readonly QueueInstance[]): ReadonlyMap<string, string> {
  const closed = new Map<string, string>();
  for (const [queue, own] of Map.groupBy(instances, (each) => each.queue)) {
    const hosts = own.filter(({ slots }) => slots > 0);
    if (own.every(({ state }) => /[DC]/.test(state))) closed.set(queue, "is closed by its calendar");
    else if (hosts.length >= mostInError && hosts.every(isInError))
      closed.set(queue, "is in error on all its hosts");
  }
  return closed;
}

/** A host without slots is in a queue so that jobs may ask for the queue while no other host is there. */
export function hasSlots({ instances }: Host): boolean {
  return instances.some(({ slots }) => slots > 0);
}

export function isBusy({ instances }: Host): boolean {
  return instances.some(({ used, hasJobs }) => used > 0 || hasJobs);
}

export function isSilent({ instances }: Host): boolean {
  return instances.some(({ state }) => state.includes("u"));
}

/**
 * `isOurs`: an event asked for the drain. `isForgotten`: the agent does not know the event any more. `isLost`: the host has been silent
 * for longer than a daemon takes to start.
 */
export function toNode(
  host: Host,
  resources: SchedulerNode["resources"],
  {
    isOurs,
    isForgotten,
    isLost,
  }: { readonly isOurs: boolean; readonly isForgotten: boolean; readonly isLost: boolean },
): SchedulerNode {
  const forgotten = isOurs && isForgotten && isOut(host) ? { isOutByLostEvent: true as const } : {};
  return { hostname: host.hostname, resources, ...stateOf(host, isOurs, isLost), ...forgotten };
}

function stateOf(
  host: Host,
  isOurs: boolean,
  isLost: boolean,
): Omit<SchedulerNode, "hostname" | "resources"> {
  if (isOut(host) || isLost) {
    const state = isBusy(host) ? "draining" : "drained";
    return isOurs ? { state } : { state, isOutByOthers: true, ...reasonOf(host) };
  }
  // Its daemon does not answer: it may be booting, or dead. That is not for this driver to decide.
  if (!host.instances.every(isClosed) || !host.instances.some(isShut)) return { state: "up" };
  return { state: "draining", ...(isOurs ? {} : { isOutByOthers: true as const, ...reasonOf(host) }) };
}

function reasonOf({ instances }: Host): { readonly stateReason?: string } {
  const words = instances.flatMap(({ queue, state, messages }) => {
    const said = [...state].flatMap((letter) => closing[letter] ?? []);
    return said.length === 0 ? [] : [[`queue ${queue} is ${said.join(", ")}`, ...messages].join(": ")];
  });
  const text = reasonText(words.join("; "));
  return text === "" ? {} : { stateReason: text };
}

/**
 * All that jobs can ask of it: slots, and consumables with what its jobs have of them. `toCome`: values that Grid Engine takes
 * once the host's daemon has come; nothing is bought in place of a host that only waits for that. They count, too, where qstat prints a
 * smaller limit of the queue in place of what is left of the host.
 */
export function resourcesOf(
  host: Host,
  definitions: Definitions | undefined,
  counted: ReadonlySet<string>,
  queues: readonly string[],
  toCome: NodeArraySettings["complex_values"],
): Readonly<Record<string, number>> {
  const used: Record<string, number> = {};
  for (const job of host.jobs)
    for (const [name, amount] of Object.entries(takenBy(job, definitions)))
      used[name] = (used[name] ?? 0) + amount;
  const resources = host.instances.flatMap((each) => each.resources);
  const amountIn = (value: unknown) => {
    const amount = value === undefined ? undefined : amountOf(String(value));
    return amount === undefined || !Number.isFinite(amount) ? undefined : amount;
  };
  const totalOf = (name: string) => {
    const left = amountIn(resources.find((each) => each.name === name && /^[hq]c$/.test(each.type))?.value);
    return left === undefined
      ? (amountIn(memberOf(toCome, name)) ?? 0)
      : Math.max(0, left + (used[name] ?? 0));
  };
  const slotsUsed = host.jobs.reduce((sum, { slots }) => sum + slots, 0);
  const isOpen = host.instances.some((each) => !isShut(each));
  // Where other queues of the host are open, one that is shut has no more than its jobs use. Nor has one in alarm, while they run.
  const slotsOf = (each: QueueInstance) =>
    (isOpen && isShut(each)) || (isInAlarm(each) && host.jobs.length > 0)
      ? host.jobs.reduce((sum, { queue, slots }) => sum + (queue === each.queue ? slots : 0), 0)
      : each.slots;
  const ofQueues = host.instances.reduce((sum, each) => sum + slotsOf(each), 0);
  const ofHost = resources.find(({ name, type }) => name === "slots" && type === "hc");
  const mostOfHost = ofHost === undefined ? undefined : amountOf(ofHost.value);
  // What is left of the host's own slots is no more than what is left of the queue's: then the queue's bind.
  const bindsHost = mostOfHost !== undefined && host.instances.length > 1;
  return {
    slots: bindsHost ? Math.min(ofQueues, mostOfHost + slotsUsed) : ofQueues,
    ...Object.fromEntries(
      queues.map((queue) => {
        const own = host.instances.find((each) => each.queue === queue);
        return [slotsName(queue), own === undefined ? 0 : slotsOf(own)];
      }),
    ),
    ...Object.fromEntries([...counted].map((name) => [name, totalOf(name)])),
  };
}

/** Values of a host that new ones of its array are taken to have, too. */
const kept = /^(num_proc|arch|mem_total|virtual_total|swap_total|m_core|m_socket|m_thread|m_topology)$/;

export function seenOn(
  host: Host,
  resources: Readonly<Record<string, number>>,
  definitions: Definitions,
): Readonly<Record<string, string>> {
  const values = host.instances
    .flatMap((each) => each.resources)
    .flatMap(({ name, type, value }) => {
      if (type === "hf" || (type === "hl" && kept.test(name))) return [[name, value] as const];
      if (type !== "hc" || name === "slots") return [];
      if (definitions.complexes.get(name)?.relation === "EXCL") return [[name, "true"] as const];
      return [[name, String(resources[name] ?? 0)] as const];
    });
  const { hostname } = host;
  // Names of the form that is taken for granted are not remembered.
  const isUsual = hostname.replace(usualName, "") === "";
  return { ...Object.fromEntries(values), ...(isUsual ? {} : { hostname }) };
}

/** The node array of a host: as CycleCloud called its node, or the only one that it can be. */
export function arrayOf(
  host: Host,
  settings: GridengineSettings,
  memory: GridengineMemory,
  definitions: Definitions | undefined,
): string | undefined {
  const arrays = Object.keys(settings.node_arrays);
  const named = memberOf(memory.arrays, host.short);
  if (named !== undefined && arrays.includes(named)) return named;
  const groups = [...(definitions?.groupsNaming(host.hostname.toLowerCase()) ?? [])];
  const fitting = arrays.filter((array) =>
    settings.node_arrays[array]?.host_groups.some((group) => groups.includes(group)),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Drains that Grid Engine lost, drains that are over, and hosts whose values could not be set before their daemon came. */
export function correction(
  host: Host,
  array: string | undefined,
  context: Context,
  memory: GridengineMemory,
  settings: GridengineSettings,
): readonly Command[] {
  const { draining } = context;
  if (!/^[a-z0-9][a-z0-9.-]{0,254}$/i.test(host.hostname)) return [];
  if (draining.has(host.short) && !isOut(host)) return disable([host.hostname], settings);
  const isOver =
    memory.ours.includes(host.short) && !draining.has(host.short) && !hasNoDecision(host.short, context);
  const undrain = isOver && host.instances.some(isDisabled) ? enable([host.hostname], settings) : [];
  const own = array === undefined ? undefined : settings.node_arrays[array];
  const names = new Set(host.instances.flatMap(({ resources }) => resources.map(({ name }) => name)));
  const lacks = Object.keys(own?.complex_values ?? {}).some((name) => !names.has(name));
  const values =
    lacks && own !== undefined && !isSilent(host)
      ? setValues(host.hostname, own.complex_values, settings)
      : [];
  return [...undrain, ...values];
}
