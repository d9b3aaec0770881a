import { expect } from "vitest";
import type { DemandQueue, UnreadDemand } from "../../../shared/ports/index.ts";

/** A demand queue of its own for each case, from the side of senders, of its reader, and of whoever asks what is unread. */
export interface UnreadBench {
  readonly queue: DemandQueue;
  readonly unread: UnreadDemand;
  /** A host takes the oldest message that is visible: it stays hidden, also if the host dies. */
  take(): Promise<void>;
  /** The host is done with it. */
  done(): Promise<void>;
  /** The host moves it to the poison queue. */
  giveUp(): Promise<void>;
}

const textOf = (cluster: string) => JSON.stringify({ version: 1, kind: "snapshot", cluster, jobs: ["☃"] });

/** What is promised of demand that nobody has read. */
export const unreadCases: Readonly<Record<string, (bench: UnreadBench) => Promise<void>>> = {
  "a queue that nobody has ever posted to holds nothing": async ({ unread }) => {
    expect(await unread.count()).toBe(0);
    expect(await unread.showsAnyOf("hpc")).toBe(false);
  },
  "a message counts until its reader is done with it, also while it is hidden": async ({
    queue,
    unread,
    take,
    done,
  }) => {
    await queue.post(textOf("hpc"));
    expect(await unread.count()).toBe(1);
    await take();
    expect(await unread.count()).toBe(1);
    await done();
    expect(await unread.count()).toBe(0);
  },
  "a message on the poison queue counts": async ({ queue, unread, take, giveUp }) => {
    await queue.post(textOf("hpc"));
    await take();
    await giveUp();
    expect(await unread.count()).toBe(1);
  },
  "messages of all clusters count, and what cannot be read": async ({ queue, unread }) => {
    for (const text of [textOf("hpc"), textOf("other"), "}{"]) await queue.post(text);
    expect(await unread.count()).toBe(3);
  },
  "many messages are counted, not only those that are shown at once": async ({ queue, unread }) => {
    for (let sent = 0; sent < 40; sent += 1) await queue.post(textOf("hpc"));
    expect(await unread.count()).toBe(40);
  },
  "a visible message shows its cluster; a hidden one, one of another cluster and an unreadable one do not":
    async ({ queue, unread, take }) => {
      await queue.post(textOf("hpc"));
      expect(await unread.showsAnyOf("hpc")).toBe(true);
      await take();
      for (const text of [textOf("other"), textOf("hpc-2"), "}{"]) await queue.post(text);
      expect(await unread.showsAnyOf("hpc")).toBe(false);
      expect(await unread.showsAnyOf("other")).toBe(true);
    },
  "looking takes nothing away from the reader": async ({ queue, unread, take, done }) => {
    await queue.post(textOf("hpc"));
    for (let look = 0; look < 7; look += 1) await unread.showsAnyOf("hpc");
    await take();
    await done();
    expect(await unread.count()).toBe(0);
  },
};
