import { expect, test } from "vitest";
import { z } from "zod";
import { type ReadRecord, readRecord, readRecords } from "../../../../clients/agent/drivers/records.ts";

const line = (value: unknown): ReadRecord<number> => {
  const text = (value as { readonly cpus: string }).cpus.trim();
  return /^\d+$/.test(text)
    ? { ok: true, record: Number(text) }
    : { ok: false, reason: `cpus: "${text}", expected a number` };
};

test("a list is read with a function alone: what it refuses, or what it throws at, is set aside with its hosts", () => {
  const values = [{ cpus: "4" }, { cpus: "four", host: "ip-1" }, { cpus: null }];
  const nameOf = (_: unknown, index: number) => `job ${index}`;
  const hostsOf = (value: unknown) => {
    const { host } = value as { readonly host?: string };
    return host === undefined ? [] : [host];
  };
  expect(readRecords(values, line, { nameOf, hostsOf })).toEqual({
    records: [4],
    setAside: [
      { record: "job 1", reason: 'cpus: "four", expected a number', executingHostnames: ["ip-1"] },
      { record: "job 2", reason: expect.stringMatching(/null/) },
    ],
  });
});

test("a schema of zod reads the same way", () => {
  const schema = z.object({ cpus: z.coerce.number() }).transform(({ cpus }) => cpus);
  expect(readRecord(schema, { cpus: "4" })).toEqual({ ok: true, record: 4 });
  expect(readRecord(schema, { cpus: "four" })).toEqual({
    ok: false,
    reason: expect.stringMatching(/^cpus: /),
  });
});
