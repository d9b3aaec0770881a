import { setTimeout as sleep } from "node:timers/promises";
import { CommandFailure, Refused } from "../exit-code.ts";
import { loginName } from "../login-name.ts";
import { connectService } from "../service/http-client.ts";
import type { Service } from "../service/service.ts";
import type { Exercise, LabJob } from "./exercises/exercise.ts";
import type { Panel } from "./panel.ts";
import type { PanelCluster, PanelNode } from "./panel-state.ts";
import { needsScheduler } from "./server-commands.ts";

interface SetUp {
  readonly panel: Panel;
  readonly exercise: Exercise;
  readonly number: number;
  /** Called with what it waits for. */
  readonly report: (line: string) => void;
}

/** Without any change of nodes or jobs. More than the service waits after boots that failed. */
const patienceMilliseconds = 60_000;
const betweenMilliseconds = 200;
/** Between two requests to delete what is still there: a node that was just made is not in the first. */
const askAgainMilliseconds = 5_000;

/** Sets an exercise up: resets, clears its nodes, breaks, then submits the jobs. Throws CommandFailure where the cluster is not made for it. */
export async function setUp({ panel, exercise, number, report }: SetUp): Promise<void> {
  const { cluster } = await panel.read();
  needsScheduler(cluster);
  const missing = exercise.needs.filter((array) => !cluster.nodeArrays.some(({ name }) => name === array));
  if (missing.length > 0)
    throw new CommandFailure(
      `Exercise ${number} needs node array ${missing.map((name) => `"${name}"`).join(" and ")}, which cluster "${cluster.name}" does not have`,
      'Start the cluster of the lab: "npm start -- --example lab".',
    );
  const service = connectService({ url: panel.functionsUrl }, panel.cluster);
  await refuseObstacle(service, exercise, number);
  await panel.tell("reset", { cluster: panel.cluster });
  await clear(panel, service, { exercise, report });
  // A size that was added stays until its nodes are gone.
  await panel.tell("reset", { cluster: panel.cluster });
  const isTaken = (now: PanelCluster) => now.scheduler.openOrders === 0;
  const submit = async (jobs: readonly LabJob[]): Promise<void> => {
    await panel.tell("submit", { cluster: panel.cluster, jobs });
    report("The scheduler takes the jobs");
    await until(panel, isTaken, () => "the scheduler does not take the jobs");
  };
  if (exercise.before !== undefined) {
    await submit(exercise.before);
    const names = exercise.before.map(({ name }) => name);
    const run = async () => {
      const { jobs } = await service.ask("jobs");
      return names.every((name) => {
        const known = jobs.filter(({ job }) => job.startsWith(name));
        return known.length > 0 && known.every(({ state }) => state === "running");
      });
    };
    report(`Waiting for ${names.join(", ")} to run`);
    await until(panel, run, () => `${names.join(", ")} does not run`);
  }
  await exercise.breakIt(panel, (await panel.read()).cluster);
  const { isSeen } = exercise;
  if (isSeen !== undefined) {
    report("Waiting for a snapshot");
    await until(
      panel,
      () => isSeen(service),
      () => "no snapshot shows what is broken",
    );
  }
  await submit(exercise.jobs);
}

async function refuseObstacle(service: Service, { obstacle }: Exercise, number: number): Promise<void> {
  const inTheWay = await obstacle?.(service);
  if (inTheWay === undefined) return;
  throw new CommandFailure(`Exercise ${number} would show nothing: ${inTheWay.what}`, inTheWay.next);
}

/** Deletes the nodes of its arrays through the service, failed ones too: idle ones would solve it. */
async function clear(
  panel: Panel,
  service: Service,
  { exercise, report }: Pick<SetUp, "exercise" | "report">,
): Promise<void> {
  const left = ({ nodes }: PanelCluster): readonly PanelNode[] =>
    nodes.filter(({ nodeArray }) => exercise.needs.includes(nodeArray));
  let askedAt = Number.NEGATIVE_INFINITY;
  await until(
    panel,
    async (now) => {
      const there = left(now);
      if (there.length === 0) return true;
      report(`Waiting for ${there.length} nodes of earlier work to go`);
      const staying = there.filter(({ status }) => status !== "Terminating");
      if (staying.length > 0 && performance.now() - askedAt > askAgainMilliseconds) {
        askedAt = performance.now();
        await remove(service, exercise.needs);
      }
      return false;
    },
    (now) =>
      `nodes stay: ${left(now)
        .map(({ name, status }) => `${name} (${status})`)
        .join(", ")}`,
  );
}

/** What the service refuses now, such as nodes that no snapshot has shown yet, is asked for again. */
async function remove(service: Service, nodeArrays: readonly string[]): Promise<void> {
  const body = {
    kind: "remove",
    nodes: { nodeArrays },
    force: true,
    by: loginName(),
    reason: "ccscale lab exercise",
    dryRun: false,
  };
  try {
    await service.ask("actions", { body });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

/** Reads the panel until the condition holds, or nothing has changed for long. `why` names what did not happen then. */
async function until(
  panel: Panel,
  isSo: (cluster: PanelCluster) => boolean | Promise<boolean>,
  why: (cluster: PanelCluster) => string,
): Promise<void> {
  let before = "";
  let changedAt = performance.now();
  for (;;) {
    const { cluster } = await panel.read();
    if (await isSo(cluster)) return;
    const now = JSON.stringify([cluster.nodes, cluster.scheduler.openOrders, cluster.scheduler.report]);
    if (now !== before) changedAt = performance.now();
    before = now;
    if (performance.now() - changedAt > patienceMilliseconds)
      throw new CommandFailure(
        `Cannot set the exercise up: ${why(cluster)}`,
        'Look at "ccscale status" and at the terminal of npm start.',
      );
    await sleep(betweenMilliseconds);
  }
}
