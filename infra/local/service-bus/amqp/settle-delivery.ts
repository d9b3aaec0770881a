import type { Delivery } from "rhea";
import frames from "rhea/lib/frames.js";
import message from "rhea/lib/message.js";
import type { Typed } from "rhea/lib/types.js";
import type { Outcome, PropertyEdits } from "../broker/message.ts";

/** An error as AMQP carries it; the SDK makes its error codes of the condition. */
export interface AmqpError {
  readonly condition: string;
  readonly description: string;
}

/** What rhea's typings hide of a delivery. */
interface DeliveryInternals {
  readonly id: number;
  readonly link: {
    is_receiver(): boolean;
    readonly session: { output(frame: object): void };
    readonly connection: { _register(): void };
  };
  settled: boolean;
  remote_settled: boolean;
  /** Fields of the outcome, with their types. */
  readonly remote_state?: { readonly value: readonly (Typed | undefined)[] };
}

/** Settles a delivery, in either direction, with "accepted". */
export function accept(delivery: Delivery): void {
  answer(delivery, message.accepted().described());
}

/** Settles a delivery, in either direction, with "rejected" and a reason. */
export function refuse(delivery: Delivery, error: AmqpError): void {
  answer(delivery, message.rejected({ error }).described());
}

/**
 * Every disposition leaves as a frame of its own. rhea 3.0.5 joins neighbours that are settled in one turn without
 * comparing the second one's outcome: [accepted, rejected] would leave as "both accepted".
 *
 * In second settle mode the client never says that it has settled, and rhea keeps a delivery until it does: the
 * 2,049th of a session would overflow its buffer. Our answer is the last word, so the delivery is done with it.
 */
function answer(delivery: Delivery, state: Typed): void {
  const internals = delivery as unknown as DeliveryInternals;
  const { id, link } = internals;
  const role = link.is_receiver();
  link.session.output(frames.disposition({ role, first: id, last: id, state, settled: true }));
  internals.settled = true;
  internals.remote_settled = true;
  link.connection._register();
}

/**
 * What the client asked for by a disposition on its receiver, in the SDK's dialect: abandon and defer are both
 * "modified", dead-letter is "rejected" with its properties in the error's info. Nothing for a deferral.
 */
export function outcomeOf(
  kind: "accepted" | "released" | "modified" | "rejected",
  delivery: Delivery,
): Outcome | undefined {
  const fields = (delivery as unknown as DeliveryInternals).remote_state?.value ?? [];
  switch (kind) {
    case "accepted":
      return { kind: "complete" };
    case "released":
      return { kind: "release" };
    case "modified": {
      const [, undeliverableHere, edits] = fields;
      return undeliverableHere?.value === true ? undefined : { kind: "abandon", edits: typedMap(edits) };
    }
    case "rejected": {
      const error = fields[0]?.value;
      return { kind: "dead-letter", edits: typedMap(Array.isArray(error) ? error[2] : undefined) };
    }
  }
}

/** Keys as text, values still with their types, so that they arrive as they were sent. */
function typedMap(map: Typed | undefined): PropertyEdits {
  const items: readonly Typed[] = Array.isArray(map?.value) ? map.value : [];
  const keys = items.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(keys.map((key, index) => [String(key.value), items[index * 2 + 1]]));
}
