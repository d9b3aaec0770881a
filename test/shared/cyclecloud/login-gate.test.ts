import { describe, expect, test } from "vitest";
import { LoginGate } from "../../../shared/cyclecloud/login-gate.ts";
import { LoginRefusedError, UpstreamError } from "../../../shared/errors/errors.ts";

/** A server that answers when a test says so, and a gate before it. */
function createDoor() {
  let nowSeconds = 1000;
  const gate = new LoginGate({ nowSeconds: () => nowSeconds });
  const waiting: { readonly take: () => void; readonly fail: (error: Error) => void }[] = [];
  return {
    advance: (seconds: number) => {
      nowSeconds += seconds;
    },
    /** Calls that reached the server and have no answer yet. */
    waiting,
    call: (login = "ann@one") =>
      gate.pass(
        login,
        () => new Promise<string>((take, fail) => waiting.push({ take: () => take("done"), fail })),
      ),
  };
}

const refusal = () => new LoginRefusedError("Cannot log in: HTTP 401");

/** How each call ended, and how many were sent in all once `answer` was given to every call that was sent by then. */
async function ended(
  door: ReturnType<typeof createDoor>,
  calls: readonly Promise<string>[],
  answer: Error | null,
) {
  const settled = Promise.allSettled(calls);
  let sent = 0;
  for (let turn = 0; turn < 5; turn++) {
    for (const call of door.waiting.splice(0)) {
      sent += 1;
      if (answer === null) call.take();
      else call.fail(answer);
    }
    await new Promise((next) => setImmediate(next));
  }
  return {
    sent,
    ends: (await settled).map((end) => (end.status === "fulfilled" ? end.value : `${end.reason.name}`)),
  };
}

describe("calls with one login", () => {
  test("that begin together wait for the first, and share its refusal without a call", async () => {
    const door = createDoor();
    const calls = [1, 2, 3, 4, 5, 6].map(() => door.call());
    expect(door.waiting).toHaveLength(1);
    const { sent, ends } = await ended(door, calls, refusal());
    expect(sent).toBe(1);
    expect(new Set(ends)).toEqual(new Set(["LoginRefusedError"]));
  });

  test("go together once the first was taken", async () => {
    const door = createDoor();
    const first = door.call();
    const others = [1, 2, 3].map(() => door.call());
    door.waiting.shift()?.take();
    expect(await first).toBe("done");
    await new Promise((next) => setImmediate(next));
    expect(door.waiting).toHaveLength(3);
    expect(await ended(door, others, null)).toEqual({ sent: 3, ends: ["done", "done", "done"] });
  });

  test("go together when the first failed in a way that tells nothing of the login", async () => {
    const door = createDoor();
    const calls = [1, 2, 3].map(() => door.call());
    const down = new UpstreamError("HTTP 503", { retryable: true, status: 503 });
    expect(await ended(door, calls, down)).toEqual({
      sent: 3,
      ends: ["UpstreamError", "UpstreamError", "UpstreamError"],
    });
  });

  test.each([
    { name: "an answer speaks for those that begin a moment later", afterSeconds: 4.9, waiting: 2 },
    { name: "an old one does not: the next begins alone again", afterSeconds: 5, waiting: 1 },
    { name: "nor does one of a clock that was set back", afterSeconds: -60, waiting: 1 },
  ])("$name", async ({ afterSeconds, waiting }) => {
    const door = createDoor();
    await ended(door, [door.call()], null);
    door.advance(afterSeconds);
    const calls = [door.call(), door.call()];
    expect(door.waiting).toHaveLength(waiting);
    await ended(door, calls, null);
  });

  test("are refused for a moment after a refusal, and the next one then asks", async () => {
    const door = createDoor();
    await ended(door, [door.call()], refusal());
    door.advance(4);
    await expect(door.call()).rejects.toThrow("HTTP 401");
    expect(door.waiting).toEqual([]);
    door.advance(1);
    expect(await ended(door, [door.call()], null)).toEqual({ sent: 1, ends: ["done"] });
  });

  test("that were under way before a refusal do not outweigh it when they end well", async () => {
    const door = createDoor();
    await ended(door, [door.call()], null);
    const calls = [door.call(), door.call()];
    const [early, late] = door.waiting.splice(0);
    late?.fail(refusal());
    await expect(calls[1]).rejects.toThrow("HTTP 401");
    early?.take();
    expect(await calls[0]).toBe("done");
    await expect(door.call()).rejects.toThrow("HTTP 401");
  });
});

test("calls with another login are not kept waiting", async () => {
  const door = createDoor();
  const calls = [door.call("ann@one"), door.call("ann@two")];
  expect(door.waiting).toHaveLength(2);
  await ended(door, calls, null);
});
