import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { readLocalEnvironment } from "../../../clients/cli/local-environment.ts";

const part = z.object({ cluster: z.string() });
/** Above what any system gives. */
const nobody = 2 ** 30;

let file: string;
beforeAll(async () => {
  file = join(await mkdtemp(join(tmpdir(), "local-environment-")), "environment.json");
});
afterAll(() => rm(join(file, ".."), { recursive: true }));

test.each([
  ["a process that runs", { cluster: "hpc", pid: process.pid }],
  ["nobody in particular", { cluster: "hpc" }],
])("an environment that %s wrote is read", async (_, local) => {
  await writeFile(file, JSON.stringify(local));
  expect(await readLocalEnvironment(file, part)).toEqual({ cluster: "hpc" });
});

test.each([
  ["was killed", { cluster: "hpc", pid: nobody }, /process 1073741824, which wrote ".*", has ended/],
  ["is something else", { name: "hpc" }, /is not what "npm start" writes/],
])("of one that %s, it is said that nothing runs and how to start it", async (_, local, why) => {
  await writeFile(file, JSON.stringify(local));
  await expect(readLocalEnvironment(file, part)).rejects.toMatchObject({
    message: expect.stringMatching(why),
    next: expect.stringContaining("npm start"),
  });
});
