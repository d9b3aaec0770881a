import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answers, Reading } from "../../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import {
  boughtFor,
  boughtFrom,
  type JobKind,
  kindsBySelection,
  partitionsOf,
  selections,
} from "./slurm-job-kinds.ts";

/** What a controller printed of each kind, written by `slurm-kinds-live.test.ts`, which also saw how many nodes it used. */
function recorded(select: string): Extract<Reading, { known: true }> {
  const folder = join(import.meta.dirname, "fixtures/slurm-kinds", select);
  const answers: Answers = Object.fromEntries(
    readdirSync(folder).map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return [file.replace(".txt", ""), { text, exitCode: 0 }];
    }),
  );
  const configured = slurm.configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const nowSeconds = Math.max(
    ...[...(answers.squeue?.text ?? "").matchAll(/"submit_time":(\d+)/g)].map(([, at]) => Number(at)),
  );
  const context = { nowSeconds, draining: new Map(), memory: {} };
  const reading = configured.driver.interpret(answers, context);
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

describe.each(selections)("what is bought for jobs that wait (%s) is what Slurm used", (select) => {
  const kinds = kindsBySelection[select];
  const reading = recorded(select);
  const bought = boughtFor(kinds, reading);
  const rows = kinds.map((kind, index) => [title(kind), kind.nodes, bought[index]?.length] as const);

  test.each(rows)("%s: %i", (_, used, count) => {
    expect(count).toBe(used);
  });
});

test("a job gets nodes of two arrays where quota leaves each fewer than it takes", () => {
  const index = kindsBySelection.cons_tres.findIndex(({ options }) => options === "-C a|b -N 2");
  const kind = kindsBySelection.cons_tres[index] as JobKind;
  const arrays = partitionsOf(kind, index).flatMap((partition) => partition.arrays);
  expect(boughtFrom(arrays, recorded("cons_tres"), kind.nodes - 1)).toHaveLength(kind.nodes);
});

test("what is not planned for is in the notes of the job", () => {
  const { jobs } = recorded("cons_tres");
  const notes = new Set(
    jobs.flatMap((job) => job.notes ?? []).map((note) => note.replace(/k\d+[ab]?/g, "k")),
  );
  expect([...notes].sort()).toEqual([
    "--contiguous is not planned for: any nodes are taken",
    "--exclusive=user or mcs is not planned for: new nodes are counted as shared with anybody",
    "excludes k-1, k-2, k-3: gets no new node while the next one would have such a name",
    "excludes k-4, k-5, k-6: gets no new node while the next one would have such a name",
    "planned for node array kx only: of k it would take another number of nodes",
    "planned for partition k only: k would take another number of nodes",
    "waits for k-2, k-3 (--nodelist), which cannot be ordered by name",
    "waits for k-3 (--nodelist), which cannot be ordered by name",
  ]);
});

function title({ on, options, why }: JobKind): string {
  return `${on.join(" or ")} ${options}${why === undefined ? "" : ` (${why})`}`;
}
