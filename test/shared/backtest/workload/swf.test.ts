import { expect, test } from "vitest";
import { parseSwf } from "../../../../shared/backtest/workload/swf.ts";

const columns = (fields: Partial<Record<number, number>>) =>
  Array.from({ length: 18 }, (_, index) => fields[index] ?? -1).join(" ");

test("parseSwf: a job of plain SWF is its processors on one node, memory in KiB per processor", () => {
  const [job] = parseSwf(columns({ 0: 17, 1: 5_000, 3: 60, 4: 8, 9: 524_288 }));
  expect(job).toEqual({
    name: "swf-17",
    submitSeconds: 0,
    runSeconds: 60,
    nodes: 1,
    ncpus: 8,
    memoryGiB: 4,
    exclusive: false,
  });
});

test("parseSwf: the limit, user, account, program and queue, where the trace has them", () => {
  const numbers = { 0: 1, 1: 0, 3: 60, 4: 1, 8: 3_600, 11: 7, 12: 0, 13: 3, 14: 2 };
  expect(parseSwf(columns(numbers))[0]).toMatchObject({
    requestedSeconds: 3_600,
    user: "user-7",
    account: "account-0",
    jobName: "application-3",
    queue: "queue-2",
  });
});

test("parseSwf: a PBS specification tells nodes, cores per node and exclusiveness, memory in bytes per node", () => {
  const line = `${columns({ 0: 1, 1: 0, 3: 60, 4: 64, 9: 8 * 2 ** 30 })} {1,2} q_1d 8:ppn=8:x86_64:cl_a#excl`;
  expect(parseSwf(line)[0]).toMatchObject({
    nodes: 8,
    ncpus: 8,
    memoryGiB: 8,
    exclusive: true,
  });
});

test.each([
  ["a host by name", "zewura15.cerit-sc.cz:ppn=12", 1, 12],
  ["no cores per node", "2:infiniband", 2, 4],
  ["a bare number", "1", 1, 8],
])("parseSwf: a PBS specification with %s", (_case, spec, nodes, ncpus) => {
  const line = `${columns({ 0: 1, 1: 0, 3: 60, 4: 8, 9: 2 ** 30 })} {1} q_1d ${spec}`;
  expect(parseSwf(line)[0]).toMatchObject({ nodes, ncpus, memoryGiB: 1 });
});

test("parseSwf: times count from the first submission, in order", () => {
  const text = [columns({ 0: 1, 1: 700, 3: 5, 4: 1 }), columns({ 0: 2, 1: 500, 3: 5, 4: 1 })].join("\n");
  expect(parseSwf(text).map(({ name, submitSeconds }) => [name, submitSeconds])).toEqual([
    ["swf-2", 0],
    ["swf-1", 200],
  ]);
});
