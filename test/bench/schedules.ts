/**
 * What schedules cost, in processor time: the windows of a year, one after the other, and the status of a cluster of 20,000 waiting
 * jobs with 200 schedules beside the same without any (medians of turns that alternate). Run it with `npm run bench -- schedules`.
 */
import type { Schedule } from "../../shared/ports/index.ts";
import { windowsAt } from "../../shared/time/recurring.ts";
import { clusterStatus } from "../../shared/views/index.ts";
import { cluster, createWorld, jobFor, type World } from "../support/world.ts";

/** Fewer compare how well the compiler was warmed up. */
const turns = 601;
const yearTurns = 41;
const schedules = Array.from(
  { length: 200 },
  (_, index): Schedule => ({
    name: `s${index}`,
    start: `${index % 60} ${6 + (index % 12)} * * mon-fri`,
    end: { afterSeconds: 3_600 * (1 + (index % 8)) },
    timeZone: "Europe/Berlin",
    except: ["2026-12-25"],
    leadSeconds: null,
    targets: [{ Name: "htc", TargetCount: index % 5 }],
  }),
);

async function processorMs(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function year(): void {
  const schedule = { ...schedules[0] } as Schedule;
  const start = Date.parse("2026-01-01T00:00Z") / 1_000;
  let { next } = windowsAt(schedule, start);
  while (next !== null && next.startSeconds < start + 365 * 86_400)
    ({ next } = windowsAt(schedule, next.startSeconds));
}

interface Served extends Pick<World, "advance"> {
  readonly ports: Parameters<typeof clusterStatus>[0];
}

/** As the store of a deployment, which reads a configuration again when it has changed. */
async function worldWith(own: readonly Schedule[]): Promise<Served> {
  const world = createWorld();
  world.configure({ schedules: own });
  const jobs = Array.from({ length: 20_000 }, (_, index) => ({ ...jobFor(1), name: `job-${index}` }));
  await world.post(jobs, { ttlSeconds: 86_400 });
  await world.round();
  const config = await world.ports.configs.load(cluster);
  const configs = { clusters: async () => [cluster], load: async () => config };
  return { advance: (seconds) => world.advance(seconds), ports: { ...world.ports, configs } };
}

const years: number[] = [];
const [without, with200]: [number[], number[]] = [[], []];
const [plain, scheduled] = [await worldWith([]), await worldWith(schedules)];
for (let turn = 0; turn < turns; turn += 1) {
  if (turn < yearTurns) years.push(await processorMs(year));
  for (const [world, times] of [
    [plain, without],
    [scheduled, with200],
  ] as const) {
    world.advance(60);
    times.push(await processorMs(() => clusterStatus(world.ports, cluster)));
  }
}
const ratio = median(with200) / median(without);
console.log(`first status of a process with 200 schedules: ${(with200[0] ?? Number.NaN).toFixed(0)} ms`);
console.log(`windows of a year: ${median(years).toFixed(1)} ms`);
console.log(
  `status: ${median(without).toFixed(1)} ms without schedules, ${median(with200).toFixed(1)} ms with 200: ${(100 * (ratio - 1)).toFixed(0)} % more`,
);
