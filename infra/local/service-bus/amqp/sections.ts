import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import message from "rhea/lib/message.js";
import types, { type Typed } from "rhea/lib/types.js";
import type { NewMessage, PropertyEdits } from "../broker/message.ts";
import { maxIdCharacters } from "./link-limits.ts";

/*
 * A message on the wire is a row of sections. rhea can decode and encode them, but not without changing types
 * (an int, a long or a double 5.0 comes out as a small uint, a symbol as a string), so the bytes are kept as the
 * client sent them and only the sections that a broker must change are read and written again, with their types.
 */

const code = {
  header: 0x70,
  deliveryAnnotations: 0x71,
  messageAnnotations: 0x72,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
} as const;

/** A batch: an envelope whose data sections are whole messages. Its other sections repeat the first message's. */
export const batchFormat = 0x80013700;

/** Bytes after the type code, by the code's high half; the other halves carry their size with them. */
const fixedWidths: Readonly<Record<number, number>> = { 4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16 };

/** A time to live travels as an uint; anything longer means for ever, which 49 days are here. */
const longestTtlMs = 2 ** 32 - 1;

/** One section: its code, and its bytes with the descriptor. */
interface Section {
  readonly code: number;
  readonly bytes: Buffer;
}

/** What a consumer gets to see beyond the client's own bytes. */
export interface BrokerProperties {
  readonly sequence: number;
  readonly enqueueSequence: number;
  readonly enqueuedAt: number;
  readonly deliveryCount: number;
  readonly ttlMs?: number;
  readonly lockedUntil?: number;
  readonly scheduled?: boolean;
}

/** The messages of one transfer: those of a batch, or the transfer itself. */
export function unbatch(payload: Buffer, format: number): readonly Buffer[] {
  if (format !== batchFormat) return [payload];
  return split(payload).flatMap((section) => {
    const value = section.code === code.data ? readTyped(section).value : undefined;
    return Buffer.isBuffer(value) ? [value] : [];
  });
}

/**
 * Reads what the broker needs from an encoded message. A message without an id gets one: the SDK's lock renewer
 * throws "no message ID" on every settle otherwise, and its senders do not set any.
 */
export function parseMessage(encoded: Buffer): NewMessage {
  const sections = split(encoded);
  const { ttl } = decode(sections, code.header);
  const annotations = annotationsOf(decode(sections, code.messageAnnotations));
  const { message_id: messageId, group_id: sessionId } = decode(sections, code.properties);
  const scheduledAt = annotations["x-opt-scheduled-enqueue-time"];
  const id = messageId === undefined ? randomUUID().replaceAll("-", "") : textOfId(messageId);
  for (const [name, value] of Object.entries({ "message id": id, "session id": sessionId }))
    if (typeof value === "string" && value.length > maxIdCharacters)
      throw new RangeError(`A ${name} of ${value.length} characters, expected at most ${maxIdCharacters}`);
  return {
    messageId: id,
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(typeof ttl === "number" ? { ttlMs: ttl } : {}),
    ...(scheduledAt instanceof Date ? { scheduledAt: scheduledAt.getTime() } : {}),
    payload: messageId === undefined ? withMessageId(sections, id) : encoded,
  };
}

/** The bytes for a consumer: the client's own, with the broker's header and annotations put in. */
export function encodeDelivery(payload: Uint8Array, broker: BrokerProperties): Buffer {
  const sections = split(asBuffer(payload));
  return join(
    new Map([
      [code.header, headerSection(sections, broker)],
      [code.messageAnnotations, annotationsSection(sections, broker)],
    ]),
    sections,
  );
}

/** Adds or replaces application properties. Values that came off the wire keep their types. */
export function editApplicationProperties(payload: Uint8Array, edits: PropertyEdits): Buffer {
  const sections = split(asBuffer(payload));
  const present = find(sections, code.applicationProperties);
  const items = present === undefined ? [] : itemsOf(readTyped(present));
  const added = Object.entries(edits).flatMap(([key, value]) => [types.wrap_string(key), types.wrap(value)]);
  const kept = withoutKeys(items, (key) => key in edits);
  const section = described(code.applicationProperties, types.Map32([...kept, ...added]));
  return join(new Map([[code.applicationProperties, section]]), sections);
}

function withMessageId(sections: readonly Section[], id: string): Buffer {
  const present = find(sections, code.properties);
  const rest = present === undefined ? [] : itemsOf(readTyped(present)).slice(1);
  const section = described(code.properties, types.List32([types.wrap_string(id), ...rest]));
  return join(new Map([[code.properties, section]]), sections);
}

function headerSection(sections: readonly Section[], broker: BrokerProperties): Buffer {
  const { durable, priority } = decode(sections, code.header);
  const ttl = broker.ttlMs === undefined ? undefined : Math.min(broker.ttlMs, longestTtlMs);
  const fields = { durable, priority, ttl, delivery_count: broker.deliveryCount };
  return write(message.header(fields).described());
}

function annotationsSection(sections: readonly Section[], broker: BrokerProperties): Buffer {
  const present = find(sections, code.messageAnnotations);
  const own: Record<string, Typed> = {
    "x-opt-sequence-number": types.wrap_long(broker.sequence),
    "x-opt-enqueue-sequence-number": types.wrap_long(broker.enqueueSequence),
    "x-opt-enqueued-time": types.wrap_timestamp(broker.enqueuedAt),
  };
  if (broker.lockedUntil !== undefined) own["x-opt-locked-until"] = types.wrap_timestamp(broker.lockedUntil);
  if (broker.scheduled) own["x-opt-message-state"] = types.wrap_int(2);
  const items = present === undefined ? [] : itemsOf(readTyped(present));
  const kept = withoutKeys(items, (key) => key in own);
  const added = Object.entries(own).flatMap(([key, value]) => [types.wrap_symbol(key), value]);
  return described(code.messageAnnotations, types.Map32([...kept, ...added]));
}

/** Puts new sections in the place of the old ones, or where the order of codes wants them. */
function join(replaced: ReadonlyMap<number, Buffer>, sections: readonly Section[]): Buffer {
  const kept = sections.filter((section) => !replaced.has(section.code));
  const added = [...replaced].map(([sectionCode, bytes]) => ({ code: sectionCode, bytes }));
  // Body sections repeat and must stay in order: sort is stable, and body and footer have the highest codes.
  const ordered = [...added, ...kept].sort((a, b) => a.code - b.code);
  return Buffer.concat(ordered.map(({ bytes }) => bytes));
}

/** Cuts a message at its sections without decoding their values. Throws a RangeError when it is not a message. */
function split(payload: Buffer): readonly Section[] {
  const sections: Section[] = [];
  for (let start = 0; start < payload.length; ) {
    const end = skipValue(payload, start);
    if (payload[start] !== 0 || end > payload.length) {
      throw new RangeError(`Cannot read message: no section at byte ${start} of ${payload.length}`);
    }
    const bytes = payload.subarray(start, end);
    sections.push({ code: sectionCode(bytes), bytes });
    start = end;
  }
  return sections;
}

/** A section begins with its descriptor, which is an ulong of one or of eight bytes (or, rarely, a symbol). */
function sectionCode(bytes: Buffer): number {
  if (bytes[1] === 0x53) return bytes.readUInt8(2);
  if (bytes[1] === 0x80) return bytes.readUInt32BE(6);
  throw new RangeError(`Cannot read message section: descriptor type ${bytes[1]}, expected an ulong`);
}

/** Where the value that starts at `start` ends. The high half of a type code gives its size. */
function skipValue(buffer: Buffer, start: number): number {
  const typecode = buffer.readUInt8(start);
  if (typecode === 0) return skipValue(buffer, skipValue(buffer, start + 1));
  const after = start + 1;
  const kind = typecode >>> 4;
  const width = fixedWidths[kind];
  if (width !== undefined) return after + width;
  return kind % 2 === 0 ? after + 1 + buffer.readUInt8(after) : after + 4 + buffer.readUInt32BE(after);
}

function find(sections: readonly Section[], wanted: number): Section | undefined {
  return sections.find((section) => section.code === wanted);
}

function decode(sections: readonly Section[], wanted: number): Record<string, unknown> {
  const section = find(sections, wanted);
  return section === undefined ? {} : message.decode(section.bytes);
}

function annotationsOf({
  message_annotations: annotations,
}: Record<string, unknown>): Record<string, unknown> {
  return typeof annotations === "object" && annotations !== null ? { ...annotations } : {};
}

function readTyped(section: Section): Typed {
  return new types.Reader(section.bytes).read();
}

/** The items of a list, or the keys and values of a map in turns. */
function itemsOf({ value }: Typed): readonly Typed[] {
  return Array.isArray(value) ? value : [];
}

function withoutKeys(items: readonly Typed[], unwanted: (key: string) => boolean): readonly Typed[] {
  return items.filter((_, index) => !unwanted(String(items[index - (index % 2)]?.value)));
}

function described(descriptor: number, value: Typed): Buffer {
  return write(types.described(types.wrap_ulong(descriptor), value));
}

function write(value: Typed): Buffer {
  const writer = new types.Writer();
  writer.write(value);
  return writer.toBuffer();
}

/** Message ids may be strings, numbers, uuids or binaries; only equality matters. */
function textOfId(id: unknown): string {
  return Buffer.isBuffer(id) ? id.toString("hex") : String(id);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
