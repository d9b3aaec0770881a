import { exactDuration } from "../../../shared/text/durations.ts";
import type { Backlog, BacklogLimits } from "../drivers/driver.ts";

type ReadBroker = (url: string, queues: readonly string[], limits: BacklogLimits) => Promise<Backlog>;

/** Loaded when asked for: most agents have one kind of broker, and some have none. */
const redis: ReadBroker = async (...args) => (await import("./read-redis.ts")).readRedis(...args);
const rabbitMq: ReadBroker = async (...args) => (await import("./read-rabbitmq.ts")).readRabbitMq(...args);

const brokers = {
  "redis:": redis,
  "rediss:": redis,
  "amqp:": rabbitMq,
  "amqps:": rabbitMq,
  /** Celery's own word for AMQP with its client library. */
  "pyamqp:": (url, queues, limits) => rabbitMq(url.replace(/^py/, ""), queues, limits),
} as const satisfies Readonly<Record<string, ReadBroker>>;

/** Why a broker's address cannot be used; undefined when it can. Does not repeat it: it holds a password. */
export function brokerProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return "not a URL";
  const { protocol } = new URL(url);
  return protocol in brokers
    ? undefined
    : `"${protocol}", expected one of ${Object.keys(brokers).join(", ")}`;
}

/** Throws an Error without the broker's address when it cannot be read, or does not answer in time. */
export async function readBacklog(
  url: string,
  queues: readonly string[],
  limits: BacklogLimits,
): Promise<Backlog> {
  const problem = brokerProblem(url);
  if (problem !== undefined) throw new Error(`Cannot use the broker's address: ${problem}`);
  const read = brokers[new URL(url).protocol as keyof typeof brokers];
  const late = AbortSignal.timeout(limits.timeoutSeconds * 1000);
  const reading = read(url, queues, limits);
  // When the time-out came first, an error of the reading is dropped: unhandled, it would end the process.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, aborted(late, limits.timeoutSeconds)]);
  } catch (error) {
    throw new Error(`Cannot read the broker: ${reasonOf(error)}`);
  }
}

function aborted(signal: AbortSignal, seconds: number): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error(`no answer within ${exactDuration(seconds)}`)), {
      once: true,
    });
  });
}

/** The clients' texts may quote the address with its password; names and codes do not. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "an unknown error";
  if (error.message.startsWith("no answer within")) return error.message;
  if ("code" in error) return `${error.name}, ${String(error.code)}`;
  // Redis begins its refusals with a code, such as NOAUTH; RabbitMQ has one in parentheses, such as ACCESS-REFUSED.
  const code = /^[A-Z]{4,}\b/.exec(error.message)?.[0] ?? /\(([A-Z]+-[A-Z]+)\)/.exec(error.message)?.[1];
  return code ?? error.name;
}
