import { createWorld, jobFor } from "../../support/world.ts";
import type { Figures, HostileCase } from "./case.ts";

export const sourceCases: readonly HostileCase[] = [
  { name: "sources: 1,500 of one message each", run: sources },
];

/** What one snapshot and one plan take once they have all posted. */
async function sources(): Promise<Figures> {
  const world = createWorld();
  await world.snapshot();
  let accepted = 0;
  for (let index = 0; index < 1_500; index += 1) {
    const { outcome } = await world.post([jobFor(1)], { source: `source-${index}` });
    accepted += Number(outcome === "accepted");
  }
  await world.snapshot();
  const snapshotSeconds = await secondsOf(() => world.snapshot());
  const planSeconds = await secondsOf(() => world.plan());
  return { accepted, snapshotSeconds, planSeconds };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return Number(((user + system) / 1e6).toFixed(3));
}
