import { writeFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { brokerProblem, readBacklog } from "../../../clients/agent/broker/read-backlog.ts";
import { parseAgentConfig } from "../../../clients/agent/config.ts";
import { driverNames } from "../../../clients/agent/drivers/index.ts";
import { StateFolder } from "../../../clients/agent/state.ts";
import { ownFolder } from "../../support/own-folder.ts";

const enough = { cluster: "hpc", source: "celery", driver: "celery", celery: { app: "work" } };

describe("settings", () => {
  test("the smallest ones are enough", () => {
    expect(parseAgentConfig(enough)).toMatchObject({ ok: true, config: { intervalSeconds: 15 } });
  });

  test.each([
    [{ source: "My Source" }, /^source: "My Source", expected lower-case/],
    [{ driver: "lsf" }, /^driver: "lsf"/],
    [{ interval_seconds: 0 }, /^interval_seconds: 0/],
    [{ interval_seconds: 200 }, /^ttl_seconds: 300, expected at least twice interval_seconds$/],
    [{ celery: { app: "work", warm_buffer: "two" } }, /^celery\.warm_buffer: "two"/],
    [{ celery: undefined }, /^celery\.app: /],
    [{ intervall: 5 }, /^intervall: not a setting/],
    [{ broker_setting: "redis://:secret@host" }, /^broker_setting: /],
    [
      { cluster: undefined },
      /^cluster: missing, expected CycleCloud's name of the cluster; give it with --cluster, or as "cluster" in the file$/,
    ],
    [{ source: undefined }, /^source: missing, .*--source/],
    [
      { driver: undefined },
      new RegExp(
        `^driver: missing, expected one of ${driverNames.join(", ")}, or a file with a driver; give it with --driver`,
      ),
    ],
    [{ celery: {} }, /^celery\.app: missing, expected what "celery -A" takes/],
    [{ cluster: 5 }, /^cluster: 5, invalid input: expected string/],
  ])("%j is refused with the name of the field", (more, problem) => {
    const parsed = parseAgentConfig({ ...enough, ...more });
    expect(parsed.ok ? "accepted" : parsed.problems.join("; ")).toMatch(problem);
  });
});

describe("a broker's address", () => {
  test.each(["redis://h:6379/0", "rediss://h", "amqp://u:p@h/v", "amqps://h", "pyamqp://h//"])(
    "%s can be used",
    (url) => expect(brokerProblem(url)).toBeUndefined(),
  );

  test.each(["sqs://:secret@h", "secret", ""])("%j cannot, and is not repeated", (url) => {
    expect(brokerProblem(url)).toBeDefined();
    expect(brokerProblem(url)).not.toContain("secret");
  });

  test.each(["redis://:secret@127.0.0.1:1/0", "amqp://user:secret@127.0.0.1:1/"])(
    "%s that does not answer is not repeated either",
    async (url) => {
      const limits = { mostMessages: 10, timeoutSeconds: 5 };
      const error = await readBacklog(url, ["celery"], limits).catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/^Error: Cannot read the broker: .*ECONNREFUSED$/);
    },
  );
});

describe("the state", () => {
  test("that is damaged is told, and begins anew", async () => {
    const path = ownFolder(onTestFinished);
    const folder = new StateFolder(path(), { cluster: "a/b", source: "celery" });
    expect(await folder.load()).toMatchObject({ isDamaged: false });
    const decisions = { "ip-1": { kind: "drain", nodeId: "n1", atSeconds: 1, sinceSeconds: 2 } } as const;
    await folder.save({ version: 1, decisions, memory: { x: 1 } });
    expect(await folder.load()).toEqual({
      isDamaged: false,
      state: { version: 1, decisions, memory: { x: 1 } },
    });
    await writeFile(path("a%2Fb.celery.state.json"), '{"version": 1, "deci');
    expect(await folder.load()).toEqual({
      isDamaged: true,
      state: { version: 1, decisions: {}, memory: {} },
    });
  });
});
