import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { readLocalEnvironment } from "../../../clients/cli/local-environment.ts";
import { ownFolder } from "../../support/own-folder.ts";

const part = z.object({ cluster: z.string() });
/** Above what any system gives. */
const nobody = 2 ** 30;

const folder = ownFolder();
const file = () => folder("environment.json");

test.each([
  ["a process that runs", { cluster: "hpc", pid: process.pid }],
  ["nobody in particular", { cluster: "hpc" }],
])("an environment that %s wrote is read", async (_, local) => {
  await writeFile(file(), JSON.stringify(local));
  expect(await readLocalEnvironment(file(), part)).toEqual({ cluster: "hpc" });
});

test.each([
  ["was killed", { cluster: "hpc", pid: nobody }, /process 1073741824, which wrote ".*", has ended/],
  ["is something else", { name: "hpc" }, /is not what "npm start" writes/],
])("of one that %s, it is said that nothing runs and how to start it", async (_, local, why) => {
  await writeFile(file(), JSON.stringify(local));
  await expect(readLocalEnvironment(file(), part)).rejects.toMatchObject({
    message: expect.stringMatching(why),
    next: expect.stringContaining("npm start"),
  });
});
