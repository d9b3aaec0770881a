/**
 * One case of `engine.ts`, in a process of its own: that its first plan is a cold one, and its memory is its own. Reads a
 * {@link Order} from its argument and prints a {@link Measurement}, both as JSON.
 */
import { loadWorkload } from "../../infra/local/scheduler/workload.ts";
import { type Plan, type PlanInput, plan } from "../../shared/engine/index.ts";
import type { DemandJob } from "../../shared/messages/job-demand.ts";
import type { WholePlan } from "../../shared/ports/index.ts";
import { zipPlan } from "../../shared/stores/azure/plan-store.ts";
import { violationsOf } from "../shared/engine/plan-validity.ts";
import { benchCases } from "./cases.ts";
import { type Measurement, type Order, orderSchema } from "./measurement.ts";
import { readAsReference } from "./reference-reader.ts";
import { readWorld, storedWorld } from "./stored-world.ts";
import { toDemandJob } from "./trace.ts";

/** Rounds of a case: the fastest of nine, of fewer where they take long. Others on the machine only ever make one slower. */
const mostRounds = 9;
const fewestRounds = 3;
const enoughMilliseconds = 3_000;

console.log(JSON.stringify(await measure(orderSchema.parse(JSON.parse(process.argv[2] ?? "")))));

async function measure(order: Order): Promise<Measurement> {
  const world = storedWorld(order.nodes, await jobsOf(order));
  const input = placed(readWorld(world), order.placement);
  const [coldMs, first] = timed(() => plan(input));
  refuseInvalid(order, input, first);
  const json = JSON.stringify(input);
  const rounds = warmRounds(json, world);
  const [writeMs, bytes] = await timedWriting(input, first);
  const { planMs, readMs, serviceReadMs } = rounds;
  return {
    ...order,
    planMs,
    readMs,
    ratio: planMs / readMs,
    serviceReadMs,
    coldMs,
    writeMs,
    placed: first.jobs.filter((job) => job.granted >= job.asked).length,
    archiveKb: Math.round(bytes / 1024),
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

function placed(input: PlanInput, placement: Order["placement"]): PlanInput {
  if (placement === undefined) return input;
  return { ...input, settings: { ...input.settings, placement: { default: placement, byNodeArray: {} } } };
}

async function jobsOf({ name, jobs, trace }: Order): Promise<readonly DemandJob[]> {
  if (trace !== undefined) return (await loadWorkload(trace, jobs)).map(toDemandJob);
  const found = benchCases.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`Cannot measure "${name}": no such case`);
  return found.jobs(jobs);
}

function refuseInvalid({ name }: Order, input: PlanInput, result: Plan): void {
  const violations = violationsOf(input, result);
  if (violations.length > 0)
    throw new Error(`Invalid plan in "${name}": ${violations.slice(0, 3).join("; ")}`);
}

/** The fastest of rounds in which all take turns: what slows the machine down slows down all of them. */
function warmRounds(json: string, world: ReturnType<typeof storedWorld>) {
  const parsed = JSON.parse(json) as PlanInput;
  const rounds: { readonly plan: number; readonly read: number; readonly serviceRead: number }[] = [];
  const begun = performance.now();
  while (
    rounds.length < fewestRounds ||
    (rounds.length < mostRounds && performance.now() - begun < enoughMilliseconds)
  ) {
    const [read] = timed(() => readAsReference(json));
    const [planning] = timed(() => plan(parsed));
    const [serviceRead] = timed(() => readWorld(world));
    rounds.push({ plan: planning, read, serviceRead });
  }
  const fastest = (times: readonly number[]): number => Math.min(...times);
  return {
    planMs: fastest(rounds.map((round) => round.plan)),
    readMs: fastest(rounds.map((round) => round.read)),
    serviceReadMs: fastest(rounds.map((round) => round.serviceRead)),
  };
}

/** Packs and compresses it as the archive does; the second time, as in a process that has done so before. */
async function timedWriting(input: PlanInput, result: Plan): Promise<readonly [ms: number, bytes: number]> {
  const counts = { jobs: input.jobs.length, placedJobs: 0, create: 0, start: 0, retire: 0 };
  const made = { cluster: "bench", planId: "bench", atSeconds: input.nowSeconds, reason: "bench" };
  const whole: WholePlan = {
    archive: "whole",
    input,
    plan: result,
    actions: [],
    summary: { ...made, ...counts, planSeconds: 0, readOnly: false },
  };
  let writeMs = 0;
  let bytes = 0;
  for (const _ of ["cold", "warm"]) {
    const begun = performance.now();
    bytes = (await zipPlan(whole, Number.POSITIVE_INFINITY))?.length ?? 0;
    writeMs = performance.now() - begun;
  }
  return [writeMs, bytes];
}

function timed<T>(work: () => T): readonly [ms: number, result: T] {
  const begun = performance.now();
  const result = work();
  return [performance.now() - begun, result];
}
