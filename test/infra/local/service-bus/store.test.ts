import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JournalRecord } from "../../../../infra/local/service-bus/broker/journal.ts";
import { fileStore, memoryStore, readJournal } from "../../../../infra/local/service-bus/store.ts";
import { ownFolder } from "../../../support/own-folder.ts";

const folder = ownFolder(afterEach);
let path: string;

beforeEach(() => {
  path = folder("bus.jsonl");
});

const drop = (sequence: number): JournalRecord => ({ op: "drop", queue: "q", sequence });

const put: JournalRecord = {
  op: "put",
  queue: "q",
  message: {
    messageId: "ü\n",
    sequence: 1,
    enqueueSequence: 1,
    enqueuedAt: 5,
    deliveryCount: 0,
    payload: Buffer.from([0, 255, 10, 13]),
  },
};

test("store: every kind of record comes back as it was written", async () => {
  const records: readonly JournalRecord[] = [
    put,
    drop(1),
    { op: "seen", queue: "q", messageId: "m", at: 7 },
    { op: "sequence", queue: "q", sequence: 9 },
  ];
  const store = fileStore({ path, snapshot: () => [] });
  for (const record of records) store.append(record);
  store.close();
  expect(readJournal(path)).toEqual(records);
});

test("store: nobody is answered before what came first is in the file", async () => {
  const store = fileStore({ path, snapshot: () => [] });
  const kept = new Promise<readonly JournalRecord[]>((resolve) => {
    store.append(drop(1));
    store.whenKept(() => resolve(readJournal(path)));
    store.append(drop(2));
  });
  expect(readJournal(path)).toEqual([]);
  expect(await kept).toEqual([drop(1), drop(2)]);
  store.close();
});

test("store: there is nothing to read before the first run", () => {
  expect(readJournal(path)).toEqual([]);
});

test("store: the folder of the file is made", () => {
  const deep = folder("data", "bus.jsonl");
  fileStore({ path: deep, snapshot: () => [drop(1)] }).close();
  expect(readJournal(deep)).toEqual([drop(1)]);
});

test("store: a last line that was torn by a kill is left out", () => {
  const store = fileStore({ path, snapshot: () => [] });
  store.append(drop(1));
  store.close();
  appendFileSync(path, '{"op":"drop","que');
  expect(readJournal(path)).toEqual([drop(1)]);
});

test.each([
  { name: "broken", line: "{" },
  { name: "foreign", line: "[1]" },
])("store: a $name line anywhere else is an error that names it", ({ line }) => {
  writeFileSync(path, `{"op":"drop","queue":"q","sequence":1}\n${line}\n`);
  expect(() => readJournal(path)).toThrow(`Cannot read line 2 of "${path}"`);
});

test("store: a start replaces the file by the snapshot", () => {
  writeFileSync(path, "old\n");
  fileStore({ path, snapshot: () => [drop(3)] }).close();
  expect(readJournal(path)).toEqual([drop(3)]);
});

test("store: the file is compacted while running, and grows on from the snapshot", async () => {
  let latest = 0;
  const store = fileStore({ path, snapshot: () => [drop(latest)], compactFromBytes: 1000 });
  for (let turn = 1; turn <= 100; turn++) {
    latest = turn;
    store.append(drop(turn));
    await new Promise<void>((resolve) => store.whenKept(resolve));
    expect(statSync(path).size).toBeLessThan(1100);
  }
  store.close();
  expect(readJournal(path).at(-1)).toEqual(drop(100));
  expect(readFileSync(path, "utf8")).not.toContain('"sequence":1}');
});

test("store: a state that outgrows the limit is not compacted again at every turn", async () => {
  let snapshots = 0;
  const snapshot = () => {
    snapshots++;
    return Array.from({ length: 50 }, (_, index) => drop(index));
  };
  const store = fileStore({ path, snapshot, compactFromBytes: 100 });
  for (let turn = 1; turn <= 200; turn++) {
    store.append(drop(turn));
    await new Promise<void>((resolve) => store.whenKept(resolve));
  }
  store.close();
  expect(snapshots).toBeLessThan(7);
});

test("store: without a file answers are given at once", () => {
  const answers: string[] = [];
  const store = memoryStore();
  store.append(drop(1));
  store.whenKept(() => answers.push("kept"));
  expect(answers).toEqual(["kept"]);
});
