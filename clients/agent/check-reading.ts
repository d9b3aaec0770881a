import { chunksOf } from "../../shared/collections/batches.ts";
import { mostNodeShapes, parseDemand, wholly } from "../../shared/messages/index.ts";
import type { Job, NodeShape, Reading, SchedulerNode, SetAside } from "./drivers/driver.ts";
import { withUniqueNames } from "./drivers/job-names.ts";
import { cutToFit, jobsThatKeep, type Limits, largestMessage } from "./largest-message.ts";

type KnownReading = Extract<Reading, { known: true }>;

/** A reading as it can be posted. */
export interface CheckedReading {
  readonly jobs: readonly Job[];
  readonly nodes: readonly SchedulerNode[];
  readonly nodeShapes: readonly NodeShape[];
  /** Records that the driver or the check could not use, or only in part, with the reason. */
  readonly setAside: readonly SetAside[];
  /** Waiting jobs and nodes for which a message has no room. */
  readonly leftOut: number;
}

/** So many are checked at once; only where something is wrong, one by one. */
const perCheck = 1_000;

/**
 * The one place where what a driver read is made fit for a message. Every job and node is checked by the service's own
 * schema. What does not check out is set aside with the reasons and costs the rest nothing; where it runs, a job without
 * any other wish keeps the nodes.
 */
export function checkReading(
  reading: Pick<KnownReading, "jobs" | "nodes" | "setAside" | "shapes">,
  limits: Limits = largestMessage,
): CheckedReading {
  const jobs = checkEach(reading.jobs, { list: "jobs", simpler: simplerJobs, nameOf: jobRecord });
  const nodes = checkEach(reading.nodes.map(withState), {
    list: "nodes",
    simpler: simplerNodes,
    nameOf: nodeRecord,
  });
  const { shapes: reported = [] } = reading;
  const shapes = checkEach(reported.slice(0, mostNodeShapes), {
    list: "nodeShapes",
    simpler: () => [],
    nameOf: shapeRecord,
  });
  const setAside: readonly SetAside[] = [
    ...reading.setAside,
    ...jobs.setAside,
    ...nodes.setAside,
    ...reading.nodes.filter(hasNoState).map((node) => ({ record: nodeRecord(node), reason: noState })),
    ...shapes.setAside,
    ...(reported.length <= mostNodeShapes
      ? []
      : [
          {
            record: `${reported.length - mostNodeShapes} shapes`,
            reason: `left out: expected at most ${mostNodeShapes}`,
          },
        ]),
  ];
  const keeping = setAside.flatMap(({ record, executingHostnames = [] }) =>
    jobsThatKeep(`${record} (set aside)`, executingHostnames),
  );
  const notes = reading.jobs.flatMap((job) =>
    (job.notes ?? []).map((reason) => ({ record: jobRecord(job), reason })),
  );
  const cut = cutToFit({ jobs: withUniqueNames([...jobs.usable, ...keeping]), nodes: nodes.usable }, limits);
  return {
    ...cut.demand,
    nodeShapes: shapes.usable,
    setAside: [...setAside, ...notes, ...cut.setAside],
    leftOut: cut.leftOut,
  };
}

const noState = "state: missing, expected up, draining or drained; taken for up, so that it is never drained";

/** A driver that is not TypeScript may leave it out: the service would take that for a scheduler that cannot drain. */
function hasNoState({ state }: Partial<SchedulerNode>): boolean {
  return state === undefined;
}

function withState(node: SchedulerNode): SchedulerNode {
  return hasNoState(node) ? { ...node, state: "up" } : node;
}

/** What has checked out: a driver may give the very same jobs again, and jobs with the very same constraints. */
const checkedBefore = new WeakSet<object>();

function withoutChecked<T extends object>(item: T): object {
  return "constraints" in item && checkedBefore.has(item.constraints as object)
    ? { ...item, constraints: {} }
    : item;
}

interface Checking<T> {
  readonly list: "jobs" | "nodes" | "nodeShapes";
  /** The same with less to it, to be tried when it does not check out as it is. */
  readonly simpler: (item: T) => readonly T[];
  readonly nameOf: (item: T) => string;
}

function checkEach<T extends Job | SchedulerNode | NodeShape>(
  items: readonly T[],
  { list, simpler, nameOf }: Checking<T>,
) {
  const usable: T[] = [];
  const setAside: SetAside[] = [];
  for (const chunk of chunksOf(items, perCheck)) {
    const news = chunk.filter((item) => !checkedBefore.has(item)).map(withoutChecked);
    if (problemsOf(list, news).length === 0) {
      usable.push(...chunk);
      for (const item of chunk) {
        checkedBefore.add(item);
        if ("constraints" in item) checkedBefore.add(item.constraints);
      }
      continue;
    }
    for (const item of chunk) {
      const problems = problemsOf(list, [item]);
      const best =
        problems.length === 0 ? item : simpler(item).find((each) => problemsOf(list, [each]).length === 0);
      if (best !== undefined) usable.push(best);
      if (problems.length === 0) continue;
      const record = nameOf(item);
      const reason = problems.map((problem) => problem.replace(`${list}[0].`, "")).join("; ");
      const hosts = best === undefined && "executingHostnames" in item ? item.executingHostnames : undefined;
      setAside.push({ record, reason, ...(hosts === undefined ? {} : { executingHostnames: hosts }) });
    }
  }
  return { usable, setAside };
}

/** Without what only orders jobs or informs people. */
function simplerJobs(job: Job): readonly Job[] {
  const { submittedAt: _, priority: __, notes: ___, ...rest } = job;
  return [rest];
}

/** A host that is out stays out, whatever else is said of it. */
function simplerNodes(node: SchedulerNode): readonly SchedulerNode[] {
  const { stateReason: _, stateBy: __, stateSince: ___, ...rest } = node;
  return [rest, { ...rest, resources: {} }];
}

function jobRecord({ name }: Job): string {
  return `job "${name}"`;
}

function nodeRecord({ hostname }: SchedulerNode): string {
  return `node "${hostname}"`;
}

function shapeRecord({ nodeArray, vmSize }: NodeShape): string {
  return `shape of "${nodeArray}"${vmSize === undefined ? "" : ` of size "${vmSize}"`}`;
}

const envelope = {
  version: 1,
  kind: "snapshot",
  cluster: "any",
  source: "any",
  sequence: 0,
  sentAt: new Date(0).toISOString(),
};

function problemsOf(list: "jobs" | "nodes" | "nodeShapes", items: readonly object[]): readonly string[] {
  const parsed = wholly(parseDemand({ ...envelope, [list]: items }));
  return parsed.ok ? [] : parsed.problems;
}
