import { spawnSync } from "node:child_process";
import { createClient } from "@redis/client";
import getPort from "get-port";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readBacklog } from "../../../clients/agent/broker/read-backlog.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { RedisProcess } from "./celery/redis.ts";

const isMissing = spawnSync("redis-server", ["--version"]).status !== 0;
const limits = { mostMessages: 10, timeoutSeconds: 240 };

const folder = ownFolder();
let redis: RedisProcess;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  if (isMissing) return;
  redis = new RedisProcess(await getPort(), folder());
  await redis.start();
  client = createClient({ url: redis.url });
  await client.connect();
});

afterEach(async () => {
  if (!isMissing) await client.flushAll();
});

afterAll(async () => {
  client?.destroy();
  await redis?.stop();
});

describe.skipIf(isMissing)(
  `a real Redis${isMissing ? ": skipped, redis-server is not installed (apt-get install redis-server)" : ""}`,
  () => {
    test("a queue of junk is as long as it is", async () => {
      for (let index = 0; index < 50; index++) await client.lPush("celery", `}{${index}`);
      await client.hSet("unacked", { tag: "}{" });
      const { queues, unreadable } = await readBacklog(redis.url, ["celery"], limits);
      expect(queues[0]).toMatchObject({ length: 50 });
      expect(queues[0]?.messages).toHaveLength(10);
      expect(unreadable).toBe(1);
    });

    test("no message is read where none is asked for, and all are counted", async () => {
      for (let index = 0; index < 5; index++) await client.lPush("celery", "{}");
      const none = { ...limits, mostMessages: 0 };
      expect(await readBacklog(redis.url, ["celery"], none)).toEqual({
        queues: [{ name: "celery", length: 5, messages: [] }],
        unacknowledged: [],
      });
    });

    test.each(["celery", "unacked"])(
      "a value of another kind under %s is an error, and no empty queue",
      async (key) => {
        await client.set(key, "x");
        await expect(readBacklog(redis.url, ["celery"], limits)).rejects.toThrow(/^Cannot read the broker: /);
      },
    );
  },
);
