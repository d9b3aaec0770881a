import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { builtCcscale } from "../../support/local-stack.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { serve, stopServing } from "./acting-service.ts";
import { archiveOf, busyWorld } from "./archived-world.ts";

const folder = ownFolder();

beforeAll(async () => {
  await archiveOf(await busyWorld(), folder());
});

afterEach(stopServing);

/** As a shell runs it, with something on its standard input: the names are read before anything else happens. */
async function piped(input: readonly string[], argv: readonly string[]) {
  const child = spawn(process.execPath, [builtCcscale, ...argv], { env: process.env });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  // One that refuses ends before it has read everything.
  child.stdin.on("error", () => undefined);
  for (const chunk of input) child.stdin.write(chunk);
  child.stdin.end();
  const [stdout, stderr] = await ended;
  return { code: child.exitCode, stdout, stderr };
}

const offline = () => ["--offline", folder(), "--cluster", "hpc"];

describe("-N - reads names of nodes from standard input", () => {
  test("one a line, with commas, in pieces and with blank lines: the same nodes as by name", async () => {
    const { code, stdout } = await piped(
      ["htc-1\n", "\n  htc-2,", "htc-3\r\n"],
      ["nodes", "-N", "-", "-o", "name", "--format", "csv", ...offline()],
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "name\nhtc-1\nhtc-2\nhtc-3\n" });
  });

  test("wildcards, and names of another option beside them", async () => {
    const argv = ["nodes", "-N", "-", "-N", "htc-4", "-o", "name", "--format", "csv", ...offline()];
    const { code, stdout } = await piped(["htc-[12]\n"], argv);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "name\nhtc-1\nhtc-2\nhtc-4\n" });
  });

  test("what one command lists, another takes", async () => {
    const listed = await piped(
      ["htc-*"],
      ["nodes", "-N", "-", "--state", "Failed", "-o", "name", "--format", "table-headerless", ...offline()],
    );
    const bodies = await serve();
    const { code } = await piped([listed.stdout], ["drain", "-N", "-", "--by", "ann", "--reason", "disks"]);
    expect({ code, bodies }).toEqual({
      code: 0,
      bodies: [
        {
          kind: "drain",
          by: "ann",
          reason: "disks",
          dryRun: false,
          force: false,
          nodes: { names: ["htc-4"] },
        },
      ],
    });
  });

  test("a name that is not there is reported, and the others are shown", async () => {
    const { code, stdout, stderr } = await piped(
      ["htc-1\nnope-1\n"],
      ["nodes", "-N", "-", "-o", "name", "--format", "csv", ...offline()],
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "name\nhtc-1\n" });
    expect(stderr).toContain("nope-1");
  });

  test("nothing on it is refused, and nothing is asked for", async () => {
    const bodies = await serve();
    const { code, stderr } = await piped(["\n \n"], ["drain", "-N", "-", "--reason", "disks"]);
    expect(code).toBe(2);
    expect(stderr).toContain("expected at least one name there");
    expect(bodies).toEqual([]);
  });

  test("a command that asks first needs --yes: its question cannot be answered any more", async () => {
    const bodies = await serve();
    const refused = await piped(["htc-1\ny\n"], ["delete-nodes", "-N", "-", "--by", "ann"]);
    expect(refused).toMatchObject({ code: 1 });
    expect(bodies).toMatchObject([{ dryRun: true }]);
    const done = await piped(["htc-1\n"], ["delete-nodes", "-N", "-", "--by", "ann", "--yes"]);
    expect(done).toMatchObject({ code: 0 });
    expect(bodies.at(-1)).toMatchObject({ kind: "delete", dryRun: false, nodes: { names: ["htc-1"] } });
  });
});
