import { describe, expect, test, vi } from "vitest";
import { Pace, Room, Turns } from "../../functions/support/throttle.ts";

describe("Pace", () => {
  test("a name has to wait for the rest of its time, others do not", () => {
    const pace = new Pace({ everySeconds: 10 });
    expect(pace.waitSeconds("a", 100)).toBe(0);
    expect(pace.waitSeconds("a", 104)).toBe(6);
    expect(pace.waitSeconds("b", 104)).toBe(0);
    expect(pace.waitSeconds("a", 110)).toBe(0);
    expect(pace.waitSeconds("a", 111)).toBe(9);
  });

  test("asking too early makes the wait no longer", () => {
    const pace = new Pace({ everySeconds: 10 });
    for (const now of [100, 105, 109]) pace.waitSeconds("a", now);
    expect(pace.waitSeconds("a", 110)).toBe(0);
  });

  test("a clock that was set back shuts nobody out", () => {
    const pace = new Pace({ everySeconds: 10 });
    pace.waitSeconds("a", 1_000_000);
    expect(pace.waitSeconds("a", 100)).toBe(0);
  });

  test("the first is forgotten when there are too many", () => {
    const pace = new Pace({ everySeconds: 10, mostNames: 2 });
    for (const name of ["a", "b", "c"]) pace.waitSeconds(name, 100);
    expect(pace.waitSeconds("b", 101)).toBe(9);
    expect(pace.waitSeconds("a", 101)).toBe(0);
  });
});

describe("Turns", () => {
  test("work of one name is done one after the other, in the order of asking", async () => {
    const turns = new Turns({ mostWaiting: 10 });
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      return name;
    };
    const done = await Promise.all([turns.take("x", work("a")), turns.take("x", work("b"))]);
    expect(done).toEqual(["a", "b"]);
    expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });

  test("work of other names does not wait", async () => {
    const turns = new Turns({ mostWaiting: 10 });
    let release = (): void => {};
    const held = turns.take("x", () => new Promise<void>((resolve) => (release = resolve)));
    expect(await turns.take("y", async () => "done")).toBe("done");
    release();
    await held;
  });

  test("what is thrown is thrown to its caller, and holds up nobody", async () => {
    const turns = new Turns({ mostWaiting: 10 });
    const failing = turns.take("x", () => Promise.reject(new Error("broken")));
    const next = turns.take("x", async () => "done");
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("done");
  });

  test("nobody is taken beyond the most that may wait, until one is done", async () => {
    const turns = new Turns({ mostWaiting: 2 });
    const all = [1, 2, 3].map((index) => turns.take("x", async () => index));
    expect(all[2]).toBeUndefined();
    expect(await Promise.all(all.slice(0, 2))).toEqual([1, 2]);
    expect(await turns.take("x", async () => 4)).toBe(4);
  });
});

describe("Room", () => {
  test("what does not fit waits for room, in the order of asking", async () => {
    const room = new Room(10);
    const seen: string[] = [];
    const gates = new Map<string, () => void>();
    const take = (name: string, size: number) => {
      const work = () =>
        new Promise<void>((done) => {
          seen.push(name);
          gates.set(name, done);
        });
      return room.take(size, work, { onWait: () => seen.push(`${name} waits`) });
    };
    const leave = async (name: string) => {
      gates.get(name)?.();
      await new Promise(setImmediate);
    };
    const all = [take("a", 6), take("b", 4), take("c", 5), take("d", 1)];
    await new Promise(setImmediate);
    expect(seen.splice(0)).toEqual(["a", "b", "c waits", "d waits"]);
    await leave("b");
    expect(seen.splice(0)).toEqual([]);
    await leave("a");
    expect(seen.splice(0)).toEqual(["c", "d"]);
    await leave("c");
    await leave("d");
    await Promise.all(all);
  });

  test("what is larger than all of it goes in alone", async () => {
    const room = new Room(10);
    const seen: string[] = [];
    const small = room.take(1, async () => void seen.push("small"));
    const large = room.take(99, async () => void seen.push("large"));
    const next = room.take(1, async () => void seen.push("next"));
    await Promise.all([small, large, next]);
    expect(seen).toEqual(["small", "large", "next"]);
  });

  test("who waits for too long leaves without work, and lets those in who stood behind it", async () => {
    vi.useFakeTimers();
    try {
      const room = new Room(10);
      const inside = Promise.withResolvers<string>();
      const first = room.take(6, () => inside.promise);
      const large = room.take(9, async () => "large", { mostMilliseconds: 1_000 });
      const small = room.take(2, async () => "small", { mostMilliseconds: 2_000 });
      await vi.advanceTimersByTimeAsync(999);
      inside.resolve("first");
      expect(await Promise.all([first, large, small])).toEqual(["first", "large", "small"]);

      const again = Promise.withResolvers<string>();
      const holder = room.take(6, () => again.promise);
      const late = room.take(9, async () => "late", { mostMilliseconds: 1_000 });
      const behind = room.take(2, async () => "behind");
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await Promise.all([late, behind])).toEqual([undefined, "behind"]);
      again.resolve("holder");
      expect(await Promise.all([holder, room.take(10, async () => "all of it")])).toEqual([
        "holder",
        "all of it",
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("what fails makes room as well", async () => {
    const room = new Room(1);
    const failing = room.take(1, () => Promise.reject(new Error("failed")));
    const next = room.take(1, async () => "next");
    await expect(failing).rejects.toThrow("failed");
    expect(await next).toBe("next");
  });
});
