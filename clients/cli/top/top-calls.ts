import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { ActionAnswer } from "../../../shared/api/index.ts";
import { explanationOn } from "../output/explanation.ts";
import { pageOn } from "../output/report.ts";
import { askAll } from "../service/ask-all.ts";
import type { Service } from "../service/service.ts";
import type { Terminal } from "../terminal.ts";
import type { TopCalls } from "./run-top.ts";
import type { Drainable } from "./top-state.ts";

/** Most rows read by each refresh. */
const mostNodes = 10_000;
const mostJobs = 10_000;
const sampleSpanSeconds = 600;

/** The user and the reason that every request carries. */
export interface Asker {
  readonly by: string;
  readonly reason: string;
}

export function topCalls(terminal: Terminal, service: Service, asker: Asker): TopCalls {
  const drain = ({ nodeId }: Drainable, dryRun: boolean) =>
    service.ask("actions", { body: { kind: "drain", nodes: { nodeIds: [nodeId] }, ...asker, dryRun } });
  return {
    async read() {
      const status = await service.ask("status");
      // In whole spans of the service's clock: an address that stays the same for a while is answered with "not changed".
      const from = Math.floor(status.atSeconds / sampleSpanSeconds - 1) * sampleSpanSeconds;
      const [jobs, nodes, samples] = await Promise.all([
        askAll(service, "jobs", {
          call: { query: { state: "waiting" } },
          pick: (answer) => answer.jobs,
          most: mostJobs,
        }),
        askAll(service, "nodes", {
          call: { query: { resources: "ncpus" } },
          pick: (answer) => answer.nodes,
          most: mostNodes,
        }),
        service.ask("samples", { query: { from } }),
      ]);
      return {
        status,
        jobs: jobs.items,
        waitingJobs: jobs.first.counts.waiting ?? jobs.items.length,
        nodes: nodes.items,
        isCut: nodes.isCut,
        sample: samples.samples.at(-1),
      };
    },
    async explain(job, source, width) {
      const explanation = await service.ask("explain", { params: { job }, query: { source } });
      const page = plainPage(terminal, width);
      explanationOn(pageOn(page.terminal), explanation);
      return page.lines();
    },
    async previewDrain(node) {
      const answer = await drain(node, true);
      return { would: answer.outcome === "would", lines: wordsOf(answer) };
    },
    drain: async (node) => wordsOf(await drain(node, false)).join(" "),
  };
}

/** What was, or would be, done; and why not. */
function wordsOf({ summary, problems, skipped }: ActionAnswer): readonly string[] {
  return [summary, ...problems, ...skipped.map(({ node, why, next }) => `${node}: ${why} (${next})`)];
}

/** A page of that width without colour, in memory. */
function plainPage(terminal: Terminal, width: number) {
  const chunks: string[] = [];
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  const stdout = Object.assign(sink, { isTTY: true, columns: width, getColorDepth: () => 1 });
  return {
    terminal: { ...terminal, stdout },
    lines: () => stripVTControlCharacters(chunks.join("")).trimEnd().split("\n"),
  };
}
