import logUpdate from "log-update";
import { type DemoResult, runDemo } from "../demo/demo.ts";
import { type Summary, summaryTable } from "../demo/summary.ts";
import { render, renderLine, type Scene } from "../demo/view.ts";
import type { Environment } from "../environment/environment.ts";
import type { WorkloadJob } from "../scheduler/workload.ts";
import type { Definition } from "./preflight.ts";
import type { Run } from "./runs.ts";

const lineEverySeconds = 3;

export interface DemonstrateFlags {
  /** Real seconds; without it, with `--demo`, as many as the workload may need. */
  readonly timeout?: number;
  readonly demo?: boolean;
}

/** The running environment, and what is to be shown in it. */
export interface Stage {
  readonly environment: Environment;
  /** The first is the one that is shown in full. */
  readonly runs: readonly Run[];
  readonly jobs: readonly WorkloadJob[];
  readonly speed: number;
  readonly definition: Definition;
  readonly signal: AbortSignal;
}

/** Runs the workload, shows it, and goes on serving until it is stopped; with `--demo` it ends with the workload. */
export async function demonstrate(flags: DemonstrateFlags, stage: Stage): Promise<void> {
  const show = presenter();
  const scenes = new Map<string, Scene>();
  const results = await Promise.all(
    stage.runs.map(async ({ cluster, placement }, index) => {
      const result = await runDemo({
        ...stage,
        environment: { ...stage.environment, cluster },
        ...(index === 0 ? {} : { source: `demo-scheduler-${placement}` }),
        timeoutSeconds: flags.timeout ?? (flags.demo === true ? patience(stage) : Number.POSITIVE_INFINITY),
        mayLoseNodes: stage.definition.hasSpot,
        goesOn: flags.demo !== true,
        onFrame: (scene) => {
          scenes.set(cluster, scene);
          const [first, ...beside] = stage.runs.flatMap((run) => scenes.get(run.cluster) ?? []);
          if (first !== undefined) show.frame(first, beside);
        },
      });
      return { name: placement, ...result };
    }),
  );
  try {
    show.done();
    await report(flags, stage, results);
  } finally {
    await Promise.all(results.map(({ stop }) => stop()));
  }
}

/** Shows how the runs ended; unless it is a demo, waits until it is stopped. */
async function report(
  flags: DemonstrateFlags,
  stage: Stage,
  results: readonly (DemoResult & { readonly name: string })[],
): Promise<void> {
  if (stage.signal.aborted) console.log(stopWords(results));
  console.log(summaryTable(results));
  console.log("Node-hours and US dollars are those of the simulated world, as ccscale cost counts them.");
  if (stage.signal.aborted) return;
  const faults = results.flatMap(({ name, faults: own }) => own.map((fault) => `${name}: ${fault}`));
  for (const fault of faults) console.error(`Failed: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  if (flags.demo === true) return;
  console.log(`Still serving at ${stage.environment.functionsUrl}, Ctrl-C to stop`);
  console.log("Look at it from another terminal: npm run -s ccscale -- status --local");
  console.log("Break it, and find out what is wrong: npm run -s ccscale -- lab");
  await aborted(stage.signal);
}

/** What Ctrl-C left undone. */
export function stopWords(results: readonly { readonly summary: Summary }[]): string {
  const open = results.filter(({ summary }) => summary.done < summary.tasks);
  return open.length > 0
    ? "Stopped before the workload was done; what follows is what was until then"
    : "Stopped when all tasks were done, while their nodes were still there";
}

/** Real seconds that a workload may take: half as long again as it would on endless nodes, and time to come and go. */
function patience({ jobs, speed }: Stage): number {
  return Math.max(85, 60 + (1.5 * endOf(jobs)) / speed);
}

/** Simulated seconds from the start to the end of the last job, if none had to wait. */
export function endOf(jobs: readonly WorkloadJob[]): number {
  return jobs.reduce((latest, job) => Math.max(latest, job.submitSeconds + job.runSeconds), 0);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}

/** A live screen on a terminal, a line now and then elsewhere. */
function presenter(): { frame: (scene: Scene, beside: readonly Scene[]) => void; done: () => void } {
  if (process.stdout.isTTY) {
    return { frame: (scene, beside) => logUpdate(render(scene, beside)), done: () => logUpdate.done() };
  }
  let lastSeconds = Number.NEGATIVE_INFINITY;
  return {
    frame: (scene, beside) => {
      if (scene.elapsedSeconds - lastSeconds < lineEverySeconds) return;
      lastSeconds = scene.elapsedSeconds;
      console.log(renderLine(scene, beside));
    },
    done: () => {},
  };
}
