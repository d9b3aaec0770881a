import { Buffer } from "node:buffer";

/*
 * A lock token travels in two byte orders: as delivery tag in that of a .NET GUID (first three groups little
 * endian), and in management requests as an AMQP uuid in the order in which it is written.
 */

export function tagOfToken(token: string): Buffer {
  return swapGroups(uuidOfToken(token));
}

export function tokenOfTag(tag: Buffer): string {
  return tokenOfUuid(swapGroups(Buffer.from(tag)));
}

export function uuidOfToken(token: string): Buffer {
  return Buffer.from(token.replaceAll("-", ""), "hex");
}

export function tokenOfUuid(uuid: Buffer): string {
  const hex = uuid.toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** .NET counts time in 100 ns ticks since the year 1; the number needs all 64 bits, so it is given as bytes. */
export function ticksOf(time: number): Buffer {
  const ticks = Buffer.alloc(8);
  ticks.writeBigInt64BE(BigInt(time) * 10_000n + 621_355_968_000_000_000n);
  return ticks;
}

function swapGroups(uuid: Buffer): Buffer {
  uuid.subarray(0, 4).reverse();
  uuid.subarray(4, 6).reverse();
  uuid.subarray(6, 8).reverse();
  return uuid;
}
