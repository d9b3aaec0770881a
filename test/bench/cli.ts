/**
 * How long `ccscale` takes on its own side: a server answers at once what the service's views say of a large cluster, and
 * commands read, check and print it. Medians of five runs, after one that warms up.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable, Writable } from "node:stream";
import { run } from "../../clients/cli/program.ts";
import { clusterStatus, explainJob, listNodes, lookAhead } from "../../shared/views/index.ts";
import { clusterOf, nodeOf } from "../support/cluster.ts";
import { FakeCycleCloud } from "../support/fake-cyclecloud.ts";
import { createWorld } from "../support/world.ts";

const nodeCount = 10_000;
const jobCount = 100_000;
const runs = 5;

/** Answers by path, as JSON; the nodes on one page. */
async function answersOf(): Promise<ReadonlyMap<string, string>> {
  const nodes = Array.from({ length: nodeCount }, (_, index) => nodeOf({ name: `htc-${index + 1}` }));
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodes })));
  await world.snapshot();
  const jobs = Array.from({ length: jobCount }, (_, index) => ({
    name: `job-${index}`,
    constraints: [{ ncpus: 1 }],
    iterations: 1,
    nodeCount: 0,
    colocated: false,
    exclusive: false,
    executingHostnames: [],
    priority: 0,
  }));
  await world.ports.demand.save(
    {
      cluster: "hpc",
      source: "pbs",
      sequence: 1,
      receivedAtSeconds: world.now(),
      expiresAtSeconds: world.now() + 3600,
      ignoredMessages: 0,
      jobs,
      nodes: [],
    },
    undefined,
  );
  const outlook = await lookAhead(world.ports, "hpc");
  if (outlook === undefined) throw new Error("the cluster is not there");
  const base = "/api/clusters/hpc";
  const answers = new Map<string, string>();
  answers.set(`${base}/status`, JSON.stringify(await clusterStatus(world.ports, "hpc")));
  const explained = explainJob(outlook, `job-${jobCount - 1}`);
  if (explained.outcome !== "explained") throw new Error(explained.outcome);
  answers.set(`${base}/jobs/job-${jobCount - 1}/explain`, JSON.stringify(explained.answer));
  const listed = listNodes(outlook, { limit: nodeCount });
  if (!listed.ok) throw new Error(listed.problems.join("; "));
  answers.set(`${base}/nodes`, JSON.stringify(listed.answer));
  return answers;
}

async function timed(argv: readonly string[]): Promise<number> {
  const discard = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const startedAt = performance.now();
  const code = await run(argv, { stdin: Readable.from([]), stdout: discard(), stderr: process.stderr });
  if (code !== 0) throw new Error(`ccscale ${argv.join(" ")} ended with ${code}`);
  return performance.now() - startedAt;
}

const answers = await answersOf();
const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(answers.get(url.pathname));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.env.CCSCALE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.env.CCSCALE_CLUSTER = "hpc";
process.stdout.write(`${nodeCount} nodes, ${jobCount} jobs; medians of ${runs}\n`);
for (const argv of [
  ["status"],
  ["nodes"],
  ["nodes", "--format", "csv"],
  ["nodes", "--format", "json"],
  ["explain", `job-${jobCount - 1}`],
]) {
  await timed(argv);
  const times: number[] = [];
  for (let index = 0; index < runs; index++) times.push(await timed(argv));
  const median = times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
  process.stdout.write(`ccscale ${argv.join(" ")}: ${Math.round(median)} ms\n`);
}
server.closeAllConnections();
server.close();
