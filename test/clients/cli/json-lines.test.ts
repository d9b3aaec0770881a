import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { run } from "../../../clients/cli/program.ts";
import { ccscale, jsonLines } from "./in-process.ts";
import { line, scenario } from "./scenarios.ts";

test("json lines: a bad line gives an error in its place, and the rest goes on", async () => {
  const jobs = [{ name: "job", constraints: [{ ncpus: -1 }], iterations: -2 }];
  const { code, stdout, stderr } = await ccscale(
    ["plan", "--json-lines"],
    [
      "{nonsense\n\n",
      "[1]\n",
      line({ name: "empty" }),
      line(scenario({ name: "bad-jobs", jobs })),
      line(scenario({ name: "bad-config", config: { idle_timeout: "soon" } })),
      line(scenario({ name: "good" })),
    ],
  );
  expect(jsonLines(stdout)).toEqual([
    { name: null, error: expect.stringContaining("Cannot read the line as JSON") },
    { name: null, error: "Cannot read the scenario: [1], expected an object" },
    { name: "empty", error: expect.stringContaining("clusterStatus: ") },
    { name: "bad-jobs", error: expect.stringContaining("jobs[0].iterations: -2") },
    { name: "bad-config", error: expect.stringContaining('idle_timeout: "soon", expected a number') },
    expect.objectContaining({ name: "good", failedNodes: ["htc-2"] }),
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain('error: 5 of 6 lines could not be answered\nSee "error"');
});

test("json lines: chunks may end anywhere, and the last line needs no line feed", async () => {
  const text = line(scenario({ name: "first\u2028é" })) + JSON.stringify(scenario({ name: "last" }));
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
    bytes.subarray(i * 7, i * 7 + 7),
  );
  const stdout = new Collecting();
  const stdin = Readable.from(chunks);
  expect(await run(["plan", "--json-lines"], { stdin, stdout, stderr: new Collecting() })).toBe(0);
  expect(jsonLines(stdout.text)).toMatchObject([{ name: "first\u2028é" }, { name: "last" }]);
});

test("json lines: a slow reader holds back the input", async () => {
  let read = 0;
  function* endless(): Generator<string> {
    for (;;) {
      read++;
      yield line({ name: `${read}` });
    }
  }
  const stdin = Readable.from(endless());
  const stdout = new Stuck();
  const running = run(["plan", "--json-lines"], { stdin, stdout, stderr: new Collecting() });
  await once(stdout, "stuck");
  // Turns of the event loop in which an unheeding writer would go on.
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(read).toBeLessThan(500);
  stdout.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  expect(await running).toBe(0);
  expect(stdin.destroyed).toBe(true);
});

class Collecting extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

/** Takes one chunk and never comes back for more. */
class Stuck extends Writable {
  override _write(): void {
    this.emit("stuck");
  }
}
