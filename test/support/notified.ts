import type { Destination, Notice, Notifier, Sent } from "../../shared/ports/index.ts";
import { configOf, createWorld, type World } from "./world.ts";

export const teams: Destination = {
  urlSetting: "TEAMS_WEBHOOK",
  format: "teams",
  kinds: ["budget", "boots-failing", "login-refused", "source-silent", "stuck"],
};

/** A receiver in memory: what arrived, and what it answers next. */
export interface Receiver extends Notifier {
  readonly arrived: Notice[];
  answer: Sent;
}

export function createReceiver(): Receiver {
  const receiver: Receiver = {
    arrived: [],
    answer: { ok: true },
    send: async (_destination, notice) => {
      if (receiver.answer.ok) receiver.arrived.push(notice);
      return receiver.answer;
    },
  };
  return receiver;
}

/** A world whose cluster notifies these. */
export function notifyingWorld(destinations: readonly Destination[] = [teams]): World {
  const world = createWorld();
  world.ports.configs.put({ ...configOf({}), notifications: destinations });
  return world;
}

/** What arrived, in short. */
export function shortOf(notices: readonly Notice[]): readonly string[] {
  return notices.map(({ phase, problem, subject }) => [phase, problem, subject].filter(Boolean).join(" "));
}
