import { toTargets } from "../../../shared/cycle/index.ts";
import { defaultSettings, plan } from "../../../shared/engine/index.ts";
import { parseTargets } from "../../../shared/messages/job-demand.ts";
import type { RequestSet } from "../../../shared/ports/index.ts";
import { clusterOf } from "../clusters.ts";
import { type Figures, type HostileCase, heapMb, timed } from "./case.ts";

type Definition = Readonly<Record<string, unknown>>;

/** As many request sets and arrays as the service takes of one cluster. */
const kinds: Readonly<Record<string, (index: number) => Definition>> = {
  "counts on one array": (i) => ({ Name: "htc", TargetCount: 5_000 + i, MachineType: sizesFrom(i) }),
  "dynamic arrays": (i) => ({ Name: `d${i}`, Extends: "htc", Dynamic: true, TargetCount: 20 }),
  "attributes on one array": (i) =>
    i % 2 === 0
      ? { Name: "htc", TargetCount: 1, Configuration: { [`a${i}`]: "x".repeat(1_000) } }
      : { Name: `d${i}`, Extends: "htc", Dynamic: true, TargetCount: 1 },
  "groups of one node": (i) => ({
    Name: `g${i}`,
    Extends: "htc",
    Dynamic: true,
    TargetGroupCount: 1_000,
    GroupInstanceCount: 1,
  }),
  "groups that are too large": (i) => ({
    Name: `g${i}`,
    Extends: "htc",
    Dynamic: true,
    TargetGroupCount: 1_000,
    GroupInstanceCount: 101,
  }),
};

export const planTargetsCases: readonly HostileCase[] = Object.entries(kinds).map(([name, make]) => ({
  name: `targets: ${name}`,
  run: () => planOf(make),
}));

function planOf(make: (index: number) => Definition): Figures {
  const nowSeconds = 1_800_000_000;
  const sets = Array.from({ length: 50 }, (_, set): RequestSet => {
    const arrays = Array.from({ length: 100 }, (_, index) => make(100 * set + index));
    const message = { version: 1, kind: "targets", cluster: "bench", source: "hostile", sequence: 1 };
    const sent = { sentAt: "2027-01-15T08:00:00Z", requestSet: `set-${set}` };
    const parsed = parseTargets({ ...message, ...sent, arrays });
    if (!parsed.ok) throw new Error(parsed.problems[0]);
    return { ...parsed.message, expiresAtSeconds: nowSeconds + 300 } as unknown as RequestSet;
  });
  const cluster = { ...clusterOf(2_000), maxCoreCount: 200_000 };
  const targets = toTargets(sets, { cluster, nowSeconds });
  const inputMb = heapMb();
  const [planSeconds, planned] = timed(() =>
    plan({
      nowSeconds,
      cluster,
      targets,
      jobs: [],
      schedulerNodes: [],
      pending: [],
      leavingNodeIds: [],
      history: [],
      lastPassSeconds: null,
      settings: defaultSettings,
    }),
  );
  const planMb = heapMb() - inputMb;
  const [archiveSeconds, archive] = timed(() => JSON.stringify(planned));
  const archiveMb = Math.round(archive.length / 1e6);
  return {
    targets: targets.length,
    nodes: planned.nodes.length,
    planSeconds,
    archiveSeconds,
    planMb,
    archiveMb,
  };
}

function sizesFrom(index: number): readonly string[] {
  return Array.from({ length: 40 }, (_, k) => (k === 39 ? "Standard_D32s_v5" : `none-${index}-${k}`));
}
