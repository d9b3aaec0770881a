import { type Exercise, type Finding, finding, runs } from "./exercise.ts";

const spot = "htc-spot";
const job = "ex4-train";
const runSeconds = 7_200;

/** Long jobs lose their spot nodes again and again. Only short ones belong there. */
export const spotEvictions: Exercise = {
  title: "Jobs lose their nodes",
  story:
    '"ex4-train" takes two hours, and lost its nodes in the middle of it. Its tasks write no checkpoints: all the work is gone. Its owner asks that this does not happen again.',
  needs: ["htc", spot],
  jobs: [
    {
      name: job,
      runSeconds,
      constraints: { ncpus: 4, "node.nodearray": ["htc", spot] },
      iterations: 6,
    },
  ],
  obstacle: async (service) => {
    const rule = ruleOf((await service.ask("config")).config);
    if (rule === "none")
      return { what: "no spot array is paired", next: 'Take it back: "ccscale config rollback 1".' };
    if (rule !== undefined)
      return {
        what: `spot.max_runtime is ${rule}`,
        next: 'Take it back: "ccscale config unset spot.max_runtime".',
      };
    const { spot: seen } = await service.ask("status");
    if (seen === null || seen.backedOff.length === 0) return undefined;
    return {
      what: "the service remembers evictions and buys no spot nodes for now",
      next: "Start the environment again, or wait: ccscale status says how long.",
    };
  },
  breakIt: (panel) => panel.tell("evictions", { cluster: panel.cluster, nodearray: spot, perHour: 60 }),
  hints: [
    'Why did its nodes go? "ccscale events --since 1h --kind node-lost", and the line spot of "ccscale status". "ccscale lab queue" shows how often its tasks were LOST.',
    'Which jobs may use spot nodes is a matter of the configuration: "ccscale config get spot", and docs/spot.md. How long does the job run? "ccscale jobs -o job,state,runtimeSeconds"; seconds here are real ones, and simulated time runs faster.',
    'Keep jobs that run longer than a minute (of real time) off spot nodes: "ccscale config set spot.max_runtime 60".',
  ],
  check: async ({ cluster, service }) => {
    const { config } = await service.ask("config");
    const rule = ruleOf(config);
    const { jobs } = await service.ask("jobs");
    const runtimeSeconds = jobs.find((each) => each.job.startsWith(job))?.runtimeSeconds ?? undefined;
    const isKept = rule === "none" || (typeof rule === "number" && rule < (runtimeSeconds ?? rule + 1));
    const ruled: Finding = {
      isMet: isKept,
      text:
        rule === "none"
          ? "No spot array is paired with a regular one."
          : rule === undefined
            ? "Any job may go to spot nodes: spot.max_runtime is not set."
            : `Jobs longer than ${rule} s stay off spot nodes${isKept ? "" : `, and ${job} runs ${runtimeSeconds} s`}.`,
    };
    const { nodes } = await service.ask("nodes", { query: { nodeArray: spot, resources: "-" } });
    const there = nodes.filter((node) => node.jobs.some((each) => each.job.startsWith(job)));
    const on = `Tasks of ${job} are on spot nodes: ${there.map(({ name }) => name).join(", ")}.`;
    const off = finding(there.length === 0, `No task of ${job} is on a spot node.`, on);
    return [ruled, off, runs(cluster, job)];
  },
};

/** The longest run time on spot nodes in seconds; "none": nothing goes there first; undefined: any. */
function ruleOf(config: unknown): number | "none" | undefined {
  const has = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null;
  const rules = has(config) ? config.spot : undefined;
  if (!has(rules) || !Array.isArray(rules.pairs) || rules.pairs.length === 0) return "none";
  return typeof rules.max_runtime === "number" ? rules.max_runtime : undefined;
}
