import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Connection, Delivery, Sender, Session } from "rhea";
import { describe, expect, test } from "vitest";
import { takeRawPayloads } from "../../../../../infra/local/service-bus/amqp/attach.ts";
import {
  acknowledgeReads,
  answerDrains,
  usableCredit,
} from "../../../../../infra/local/service-bus/amqp/flow.ts";
import { accept, refuse } from "../../../../../infra/local/service-bus/amqp/settle-delivery.ts";

/*
 * What we expect of rhea's insides, so that an update that changes them is noticed here and not in a trace of
 * frames. The contract suite proves the same against the real thing.
 */

/** A session's deliveries, and the frames that settling them wrote. */
function deliveries(ids: readonly number[]) {
  const frames: { first: number; last: number; settled: boolean; state: { descriptor: unknown } }[] = [];
  const link = {
    is_receiver: () => true,
    session: { output: (frame: (typeof frames)[number]) => frames.push(frame) },
    connection: { _register: () => {} },
  };
  const all = ids.map((id) => ({ id, link, settled: false, remote_settled: false }));
  return { frames, all, of: (index: number) => all[index] as unknown as Delivery };
}

describe("settling", () => {
  test("settle: neighbours with different outcomes leave as frames of their own, with their own outcomes", () => {
    const { frames, of } = deliveries([4, 5, 6]);
    accept(of(0));
    refuse(of(1), { condition: "a:b", description: "c" });
    accept(of(2));
    const outcomes = frames.map(({ first, last, settled, state }) => {
      return [first, last, settled, String(state.descriptor)];
    });
    expect(outcomes).toEqual([
      [4, 4, true, `${0x24}`],
      [5, 5, true, `${0x25}`],
      [6, 6, true, `${0x24}`],
    ]);
  });

  test("settle: an answered delivery counts as settled on both sides, so that rhea forgets it", () => {
    const { all, of } = deliveries([0]);
    accept(of(0));
    expect(all[0]).toMatchObject({ settled: true, remote_settled: true });
  });
});

test.each([
  { name: "a plain message", format: 0, becomes: 1 },
  { name: "a message without a format", format: undefined, becomes: 1 },
  { name: "a batch", format: 0x80013700, becomes: 0x80013700 },
])("payload: $name is handed over without being decoded", ({ format, becomes }) => {
  const seen: unknown[] = [];
  const session = {
    on_transfer: (frame: { performative: { message_format: unknown } }) =>
      seen.push(frame.performative.message_format),
  };
  takeRawPayloads(session as unknown as Session);
  session.on_transfer({ performative: { message_format: format } });
  expect(seen).toEqual([becomes]);
});

describe("acknowledging reads", () => {
  /** A read of rhea's, during or after which it writes some bytes. */
  async function read(options: { readonly answer: number; readonly open?: boolean }) {
    const socket = Object.assign(new EventEmitter(), { bytesWritten: 100, destroyed: false });
    let emptyFrames = 0;
    const connection = { is_open: () => options.open ?? true, _write_frame: () => emptyFrames++ };
    acknowledgeReads(connection as unknown as Connection, socket as unknown as Socket);
    socket.on("data", () =>
      process.nextTick(() => {
        socket.bytesWritten += options.answer;
      }),
    );
    socket.emit("data");
    await new Promise((resolve) => setImmediate(resolve));
    return emptyFrames;
  }

  test("flow: a read that caused no write is answered with an empty frame", async () => {
    expect(await read({ answer: 0 })).toBe(1);
  });

  test("flow: a read that was answered needs no frame, and a closed connection gets none", async () => {
    expect(await read({ answer: 20 })).toBe(0);
    expect(await read({ answer: 0, open: false })).toBe(0);
  });
});

describe("credit", () => {
  const sender = (credit: number, pending: number, room = 1000) => {
    const outgoing = {
      next_delivery_id: 10 + pending,
      next_pending_delivery: 10,
      available: () => room,
    };
    return { credit, session: { outgoing } } as unknown as Sender;
  };

  test.each([
    { name: "all of it when nothing waits", link: sender(5, 0), expected: 5 },
    { name: "less by what waits to be written", link: sender(5, 3), expected: 2 },
    { name: "never more than there is room for", link: sender(500, 0, 7), expected: 7 },
  ])("flow: usable credit is $name", ({ link, expected }) => {
    expect(usableCredit(link)).toBe(expected);
  });

  test.each([0, 3])("flow: a drain is answered with %i credits left, once", (credit) => {
    const link = Object.assign(new EventEmitter(), {
      credit,
      delivery_count: 10,
      _draining: true,
      _get_drain: () => false,
      answers: 0,
      set_drained: () => link.answers++,
    });
    answerDrains(link as unknown as Sender);
    link.emit("sender_draining");
    expect(link._get_drain()).toBe(true);
    expect(link).toMatchObject({ answers: 1, credit: 0, delivery_count: 10 + credit });
  });
});
