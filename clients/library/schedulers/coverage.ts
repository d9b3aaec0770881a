import { shortHostname } from "../../../shared/engine/index.ts";
import { runs } from "./expected.ts";
import { type Recorded, readingOf } from "./recorded.ts";

/** What the recorded situations do not show, so that nothing can be said of it. */
export function gaps(situations: readonly Recorded[]): readonly string[] {
  const read = situations.map((recorded) => ({ ...recorded, reading: readingOf(recorded) }));
  const jobs = read.flatMap(({ reading }) => reading.jobs);
  const nodes = read.flatMap(({ reading }) => reading.nodes);
  const isSomewhere = read.some(({ reading }) => {
    const busy = new Set(reading.jobs.flatMap((job) => job.executingHostnames ?? []).map(shortHostname));
    return reading.nodes.some(({ hostname }) => busy.has(shortHostname(hostname)));
  });
  const isDrainingBusy = read.some(({ reading, context }) =>
    reading.nodes.some(
      ({ hostname, state }) => state === "draining" && context.draining.has(shortHostname(hostname)),
    ),
  );
  const states = (["waiting", "running", "drained"] as const).map((key) => ({
    isShown: situations.some(({ expects }) => expects?.[key] !== undefined),
    gap: `no situation has expects.${key}, so that what is missing there goes unseen`,
  }));
  const wanted = [
    {
      isShown: jobs.some(runs),
      gap: "nothing runs in any situation, so that nothing shows whether running jobs keep their hosts",
    },
    {
      isShown: isSomewhere,
      gap: "no job runs on a host that is among the nodes, so that nothing shows whether both have one name",
    },
    { isShown: jobs.some((job) => !runs(job)), gap: "nothing waits in any situation" },
    { isShown: nodes.some(({ state }) => state === "up"), gap: "no host is up in any situation" },
    {
      isShown: isDrainingBusy,
      gap: "no host that was told to drain (situation.draining) has the state draining in any situation",
    },
    { isShown: nodes.some(({ state }) => state === "drained"), gap: "no host is drained in any situation" },
    ...states,
  ];
  return wanted.filter(({ isShown }) => !isShown).map(({ gap }) => gap);
}
