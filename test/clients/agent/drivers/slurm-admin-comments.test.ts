import { expect, test } from "vitest";
import type { Memory } from "../../../../clients/agent/drivers/driver.ts";
import { readSlurm, slurmNode, waitingJob } from "./slurm-reading.ts";

/** A controller whose jobs have comments, and passes beside it. `isRefused`: the agent may not change jobs. */
class World {
  readonly jobs = new Map<number, Record<string, unknown>>();
  readonly calls: string[] = [];
  isRefused = false;
  #memory: Memory = {};

  put(id: number, fields: object = {}): void {
    this.jobs.set(id, { ...waitingJob({ job_id: id, admin_comment: "", ...fields }) });
  }

  pass(): void {
    const nodes = [slurmNode(1)];
    const reading = readSlurm({ jobs: [...this.jobs.values()], nodes, memory: this.#memory });
    if (!reading.known) throw new Error(reading.reason);
    this.#memory = reading.memory;
    for (const { args, exitCodes } of reading.corrections) {
      const [, ids = "", text = ""] = /^JobId=(\S+)\nAdminComment=(.*)$/.exec(args.slice(1).join("\n")) ?? [];
      this.calls.push(`${ids}: ${text}`);
      expect(exitCodes).toEqual([1]);
      for (const id of this.isRefused ? [] : ids.split(","))
        Object.assign(this.jobs.get(Number(id)) ?? {}, { admin_comment: text });
    }
  }

  commentOf(id: number): unknown {
    return this.jobs.get(id)?.admin_comment;
  }
}

const because =
  'cyclecloud: no node is bought for this job: reservation "maint": its nodes are not ordered, since "reservation_lead_seconds" is not set';

test("jobs that are left out say why, with one command for all of one reason, until they are demand", () => {
  const world = new World();
  for (const id of [7, 8, 9]) world.put(id, { resv_name: id === 9 ? "" : "maint" });
  world.pass();
  world.pass();
  expect([world.calls, world.commentOf(7), world.commentOf(9)]).toEqual([[`7,8: ${because}`], because, ""]);
  Object.assign(world.jobs.get(7) ?? {}, { resv_name: "" });
  world.put(8, { admin_comment: because, job_state: ["RUNNING"], nodes: "htc-1" });
  world.pass();
  expect([world.calls.slice(1), world.commentOf(7), world.commentOf(8)]).toEqual([["7,8: "], "", ""]);
});

test("a comment of somebody else stays", () => {
  const world = new World();
  world.put(7, { resv_name: "maint", admin_comment: "ask ann" });
  world.put(8, { admin_comment: "cyclecloud is fine" });
  world.pass();
  expect(world.calls).toEqual([]);
});

test("the comment of a task or part stays, which a command with the number of its array or job would overwrite", () => {
  const world = new World();
  const started = { job_state: ["RUNNING"], nodes: "htc-1", admin_comment: "ask ann" };
  world.put(7, { resv_name: "maint", array_job_id: 7, array_task_string: "2-9" });
  world.put(8, { ...started, array_job_id: 7, array_task_id: 1 });
  world.put(20, { resv_name: "maint", het_job_id: 20 });
  world.put(21, { resv_name: "maint", het_job_id: 20, het_job_offset: 1, admin_comment: "ask ann" });
  world.pass();
  expect(world.calls).toEqual([]);
});

test("who may not change jobs tries each once, a hundred at a time", () => {
  const world = new World();
  world.isRefused = true;
  for (let id = 1; id <= 150; id++) world.put(id, { resv_name: "maint" });
  for (const _ of [1, 2, 3]) world.pass();
  const tried = world.calls.map((call) => call.split(":")[0]?.split(",").length);
  expect(tried).toEqual([100, 50]);
});
