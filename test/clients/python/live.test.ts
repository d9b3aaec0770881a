import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { python, root, run, withoutPython } from "./python.ts";

const noPython = withoutPython();
let stack: LocalStack;
let env: Readonly<Record<string, string>>;

/** What a step of live.py prints. */
async function step(...args: readonly string[]) {
  const { code, out, errors } = await run(python, [join(import.meta.dirname, "live.py"), ...args], { env });
  expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
  return JSON.parse(out);
}

describe.skipIf(noPython !== "")(
  `Demand of Python on the local stack${noPython}`,
  { timeout: 240_000 },
  () => {
    beforeAll(async () => {
      stack = await startStack({ speed: 300, config: { idle_timeout: 3_600, demand_ttl: 600 } });
      const none = join(stack.folder, "no-settings.json");
      env = {
        PYTHONPATH: `${root}/clients/python`,
        CCSCALE_URL: stack.environment.functionsUrl,
        CCSCALE_SETTINGS: none,
      };
    });

    afterAll(() => stack?.stop());

    test("a snapshot brings nodes, and what was set aside is a warning", async () => {
      const posted = await step("wait_for_nodes");
      expect(posted).toMatchObject({
        aside: 1,
        warnings: [expect.stringMatching(/^job 'odd' was set aside: .*ncpus/)],
      });
      const htc = async () => (await stack.nodes()).filter(({ Template }) => Template === "htc");
      expect(await eventually(htc, ({ length }) => length === 2)).toHaveLength(2);
      expect(await step("explain", "two")).toBe("two");
      const { sequence } = await step("one_less", `${posted.sequence}`);
      expect(sequence).toBe(posted.sequence + 1);
      const seen = await eventually(
        () => step("look"),
        (look) => look.sequence.python === sequence,
      );
      expect(seen).toEqual({ sequence: { python: sequence }, jobs: 1 });
    });

    test("targets are understood, and unknown arrays are warnings", async () => {
      const { asked, warnings } = await step("targets");
      expect(asked).toEqual([8, 1]);
      expect(warnings).toEqual([expect.stringContaining("none")]);
    });

    test("jobs that are read have the user, account and queue that were posted", async () => {
      await step("whose");
      const read = await eventually(
        () => step("jobs"),
        (jobs) => "hers" in jobs,
      );
      expect(read).toEqual({
        hers: ["ada", "geo", "long", "relax"],
        nobodys: [null, null, null, null],
      });
    });

    test("events show what was decided, newest first", async () => {
      expect(await step("pause_and_resume")).toEqual([
        ["resume", "ann"],
        ["pause", "ann"],
      ]);
    });

    test("a configuration is changed by who has seen it, and its version says who and why", async () => {
      expect(await step("change_config")).toEqual({
        outcome: "done",
        stale: 412,
        by: "ann",
        reason: "tests",
      });
    });

    test("refusals have types, and name the field", async () => {
      expect(await step("wrong")).toEqual([
        ["NotFound", "unknown-cluster", "cluster"],
        ["Refused", "bad-request", "source"],
      ]);
    });

    test("the program of docs/python.md runs as it stands", async () => {
      const page = await readFile(join(root, "docs/python.md"), "utf8");
      const [, program = ""] = /```python\n(.*?)```/s.exec(page) ?? [];
      const here = program
        .replace("https://my-autoscaler.azurewebsites.net", stack.environment.functionsUrl)
        .replace('Demand("hpc"', 'Demand("small-cpu"');
      const { code, out, errors } = await run(python, ["-c", here], { env: { ...env, KEY: "any" } });
      expect({ code, out, errors }).toEqual({ code: 0, out: "", errors: "" });
      const { demand } = await eventually(stack.readStatus, (status) =>
        status.demand.some(({ source }) => source === "pbs"),
      );
      expect(demand.find(({ source }) => source === "pbs")).toMatchObject({ jobs: 3 });
    });

    test("examples/python/send_demand.py posts what a list says, and nothing when the list cannot be read", async () => {
      const send = (input: string) =>
        run(python, ["examples/python/send_demand.py", "small-cpu", "listed"], { env, input });
      expect(await send("7 4 Q\n8 2 R ip-0A000001\n")).toMatchObject({
        code: 0,
        out: expect.stringContaining("2 jobs"),
      });
      const { demand } = await eventually(stack.readStatus, (status) =>
        status.demand.some(({ source }) => source === "listed"),
      );
      expect(demand.find(({ source }) => source === "listed")).toMatchObject({ jobs: 2 });
      expect(await send("7 four Q\n")).toMatchObject({
        code: 1,
        out: "",
        errors: expect.stringContaining("'four'"),
      });
      const elsewhere = await run(python, ["examples/python/send_demand.py", "nowhere", "listed"], { env });
      expect(elsewhere).toMatchObject({
        code: 1,
        errors: expect.stringMatching(/^Not posted: No cluster "nowhere"/),
      });
    });
  },
);
