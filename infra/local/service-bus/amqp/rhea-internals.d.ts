/**
 * The parts of rhea that its own typings leave out: two modules behind the front door, and the fields that
 * settle.ts, flow.ts and attach.ts reach into. Checked against rhea 3.0.5.
 */

declare module "rhea/lib/types.js" {
  import type { Buffer } from "node:buffer";

  /** A value with its AMQP type, so that writing it again gives the same bytes. */
  export interface Typed {
    readonly type: { readonly typecode: number };
    readonly value: unknown;
    readonly descriptor?: { readonly value: unknown };
  }

  class Reader {
    constructor(buffer: Buffer);
    read(): Typed;
  }

  class Writer {
    write(value: Typed): void;
    toBuffer(): Buffer;
  }

  const types: {
    readonly Reader: typeof Reader;
    readonly Writer: typeof Writer;
    List32(items: readonly Typed[]): Typed;
    Map32(items: readonly Typed[]): Typed;
    described(descriptor: Typed, value: Typed): Typed;
    wrap(value: unknown): Typed;
    wrap_array(values: readonly unknown[], typecode: number, descriptor?: Typed): Typed;
    wrap_int(value: number): Typed;
    wrap_long(value: number | Buffer): Typed;
    wrap_string(value: string): Typed;
    wrap_symbol(value: string): Typed;
    wrap_timestamp(value: number): Typed;
    wrap_ulong(value: number): Typed;
    wrap_uuid(value: Buffer): Typed;
  };
  export default types;
}

declare module "rhea/lib/message.js" {
  import type { Buffer } from "node:buffer";
  import type { Typed } from "rhea/lib/types.js";

  interface Composite {
    described(): Typed;
  }

  const message: {
    encode(message: object): Buffer;
    decode(buffer: Buffer): Record<string, unknown>;
    header(fields: object): Composite;
    accepted(): Composite;
    rejected(fields: { readonly error: object }): Composite;
  };
  export default message;
}

declare module "rhea/lib/frames.js" {
  const frames: {
    disposition(fields: object): object;
  };
  export default frames;
}
