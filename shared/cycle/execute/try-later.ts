import { UpstreamError } from "../../errors/errors.ts";
import type { ScaleAction } from "../../messages/index.ts";
import type { Ports } from "../../ports/index.ts";
import { UnreadDemandError } from "./last-look.ts";

const firstDelaySeconds = 5;
const longestDelaySeconds = 120;

/** Whether an error says that the same call may succeed later: no answer, 408, 429, 5xx. */
export function isWorthAnotherTry(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.retryable;
}

/**
 * Sends a delayed copy of an action that cannot be carried out now, so that it neither blocks its session nor uses up
 * the deliveries that the queue allows. The last copy comes when the action has expired, to close it. What waits only for
 * demand to be read, which takes a moment, does not wait longer each time. Returns when it comes.
 */
export async function tryLater(
  ports: Pick<Ports, "clock" | "random" | "scaleActions">,
  action: ScaleAction,
  failure: { readonly attempt: number; readonly error: UpstreamError | UnreadDemandError },
): Promise<number> {
  const { attempt, error } = failure;
  const draw = ports.random.draw();
  const delaySeconds =
    error instanceof UnreadDemandError
      ? firstDelaySeconds * (1 - draw / 2)
      : retryDelaySeconds({ attempt, retryAfterSeconds: error.retryAfterSeconds, draw });
  const atSeconds = Math.min(ports.clock.nowSeconds() + delaySeconds, action.expiresAtSeconds + 1);
  await ports.scaleActions.sendLater(action, { attempt, atSeconds });
  return atSeconds;
}

/**
 * Doubles with every attempt (counted from 1), up to two minutes, and is cut by up to a half, so that clusters that
 * failed together do not come back together. A server's Retry-After is kept, and a little more.
 */
export function retryDelaySeconds(failure: {
  readonly attempt: number;
  readonly retryAfterSeconds: number | undefined;
  readonly draw: number;
}): number {
  const { attempt, retryAfterSeconds = 0, draw } = failure;
  const backOff = Math.min(firstDelaySeconds * 2 ** (attempt - 1), longestDelaySeconds);
  return Math.max(backOff * (1 - draw / 2), retryAfterSeconds + firstDelaySeconds * draw);
}
