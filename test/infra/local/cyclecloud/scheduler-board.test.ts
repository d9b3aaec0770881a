import { beforeEach, describe, expect, test } from "vitest";
import {
  createSchedulerBoard,
  type SchedulerBoard,
} from "../../../../infra/local/cyclecloud/scheduler-board.ts";
import { type SchedulerReport, submitSchema } from "../../../../infra/local/scheduler/orders.ts";

let board: SchedulerBoard;
beforeEach(() => {
  board = createSchedulerBoard(["lab", "other"]);
});

const progress = { total: 0, waiting: 0, running: 0, done: 0, later: 0 };
const report = (takenOrder: number, jobs: SchedulerReport["jobs"] = []): SchedulerReport => ({
  source: "demo",
  takenOrder,
  progress,
  jobs,
});
const job = (name: string, fields = {}) => ({ name, waiting: 0, running: 0, done: 0, lost: 0, ...fields });
const submit = (...names: string[]) =>
  board.submit(submitSchema.parse({ cluster: "lab", jobs: names.map((name) => ({ name, runSeconds: 60 })) }));

test("a scheduler gets each order until it says that it took it, and none of another cluster", () => {
  submit("a");
  submit("b");
  expect(board.exchange("other", report(0)).orders).toEqual([]);
  expect(board.exchange("lab", report(0)).orders.map(({ number }) => number)).toEqual([1, 2]);
  expect(board.exchange("lab", report(1)).orders.map(({ number }) => number)).toEqual([2]);
  expect(board.exchange("lab", report(2)).orders).toEqual([]);
});

test("silence holds until it is taken back", () => {
  board.silence({ cluster: "lab", on: true });
  expect([board.exchange("lab", report(0)).isSilent, board.exchange("other", report(0)).isSilent]).toEqual([
    true,
    false,
  ]);
  board.silence({ cluster: "lab", on: false });
  expect(board.exchange("lab", report(0)).isSilent).toBe(false);
});

test("what no scheduler has said is not known", () => {
  expect(board.state("lab")).toEqual({ isSilent: false, report: null, agoSeconds: null, openOrders: 0 });
  board.exchange("lab", report(0));
  expect(board.state("lab").agoSeconds).toBeGreaterThanOrEqual(0);
});

describe("names", () => {
  test("a job that waits or runs cannot be submitted again; one that is done or is being canceled can", () => {
    board.exchange(
      "lab",
      report(0, [job("a", { waiting: 1 }), job("b", { running: 1 }), job("c", { done: 1 })]),
    );
    expect(() => submit("a")).toThrow('"a"');
    expect(() => submit("b")).toThrow('"b"');
    submit("c");
    board.cancel({ cluster: "lab", names: ["a*"] });
    submit("a");
    expect(board.state("lab").openOrders).toBe(3);
  });
});

test("reset: all post again, and jobs of orders are canceled, also those that nobody has taken", () => {
  board.silence({ cluster: "lab", on: true });
  board.exchange("lab", report(0, [job("a", { running: 1 }), job("b", { done: 1 })]));
  submit("c");
  board.silence({ cluster: "other", on: true });
  board.reset(["lab"]);
  const { isSilent, orders } = board.exchange("lab", report(0));
  expect(isSilent).toBe(false);
  expect(orders.at(-1)).toMatchObject({ kind: "cancel", names: ["a", "c"] });
  expect(board.exchange("other", report(0))).toEqual({ isSilent: true, orders: [] });
});
