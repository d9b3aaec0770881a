import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "amqplib";
import getPort from "get-port";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBacklog } from "../../../clients/agent/broker/read-backlog.ts";
import { untilItWorks } from "../../support/machines/until-it-works.ts";
import { ownFolder } from "../../support/own-folder.ts";

const server = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const isMissing = !existsSync(server);
const limits = { mostMessages: 10, timeoutSeconds: 240 };

const folder = ownFolder();
let broker: ChildProcess;
let epmd: ChildProcess;
let url: string;

/** A RabbitMQ of our own, with its own port mapper: nothing is left behind when both are ended. */
beforeAll(async () => {
  if (isMissing) return;
  const [port, distribution, mapper] = [await getPort(), await getPort(), await getPort()];
  url = `amqp://guest:guest@127.0.0.1:${port}/`;
  const env = {
    ...process.env,
    HOME: folder(),
    ERL_EPMD_PORT: `${mapper}`,
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: "test@localhost",
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: `${port}`,
    RABBITMQ_DIST_PORT: `${distribution}`,
    RABBITMQ_MNESIA_BASE: folder("data"),
    RABBITMQ_LOG_BASE: folder("log"),
    RABBITMQ_CONFIG_FILE: folder("none"),
    RABBITMQ_ENABLED_PLUGINS_FILE: folder("plugins"),
  };
  epmd = spawn("epmd", [], { env, stdio: "ignore" });
  broker = spawn(server, [], { env, stdio: "ignore", detached: true });
  await untilItWorks(async () => (await connect(url)).close());
});

afterAll(async () => {
  if (broker?.pid !== undefined && broker.exitCode === null) {
    // The script's Erlang is its child: the group gets the signal.
    process.kill(-broker.pid, "SIGTERM");
    await once(broker, "exit");
  }
  if (epmd?.exitCode === null) epmd.kill("SIGKILL");
});

describe.skipIf(isMissing)(
  `a real RabbitMQ${isMissing ? ": skipped, rabbitmq-server is not installed (apt-get install rabbitmq-server)" : ""}`,
  () => {
    test("tells how many messages are ready; a queue that is not there is empty", async () => {
      const connection = await connect(url);
      const channel = await connection.createConfirmChannel();
      await channel.assertQueue("celery", { durable: true });
      for (let index = 0; index < 5; index++) channel.sendToQueue("celery", Buffer.from("{}"));
      await channel.waitForConfirms();
      // One that a worker has taken is not ready.
      await channel.get("celery", { noAck: false });
      expect(await readBacklog(url, ["celery", "missing", "celery"], limits)).toEqual({
        queues: [
          { name: "celery", length: 4, messages: [] },
          { name: "missing", length: 0, messages: [] },
          { name: "celery", length: 4, messages: [] },
        ],
      });
      await connection.close();
    });

    test("refuses a wrong password, and the error does not repeat it", async () => {
      const wrong = url.replace("guest:guest", "guest:secret");
      await expect(readBacklog(wrong, ["celery"], limits)).rejects.toThrow(
        /^Cannot read the broker: ACCESS-REFUSED$/,
      );
    });
  },
);

test.skipIf(!isMissing)("without rabbitmq-server only its recorded output is tested", () => {
  expect(spawnSync(server).error).toBeDefined();
});
