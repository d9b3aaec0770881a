import { defined } from "../../collections/defined.ts";
import type { TraceJob, TraceJobs } from "../trace-job.ts";

/** What a job takes, without its times: few jobs of a workload differ in it. */
type Kind = Omit<TraceJob, "name" | "submitSeconds" | "runSeconds" | "requestedSeconds" | keyof Owner>;
type Owner = Pick<TraceJob, "user" | "account" | "queue" | "jobName">;

/** The data of `PackedJobs`. Columns are shared memory, so that threads read one workload instead of a copy each. */
export interface JobColumns {
  readonly submitSeconds: Float64Array;
  readonly runSeconds: Float64Array;
  /** NaN: not known. */
  readonly requestedSeconds: Float64Array;
  /** Places in `kinds` and `owners`. */
  readonly kind: Uint32Array;
  readonly owner: Uint32Array;
  /** The name of job n is the bytes from `nameStart[n]` to `nameEnd[n]`, in UTF-8. */
  readonly nameStart: Uint32Array;
  readonly nameEnd: Uint32Array;
  readonly names: Uint8Array;
  readonly kinds: readonly Kind[];
  readonly owners: readonly Owner[];
}

const decoder = new TextDecoder();

/** The jobs of a workload in about 60 bytes each, whatever their number. A job is put together when it is asked for. */
export class PackedJobs implements TraceJobs {
  readonly columns: JobColumns;

  constructor(columns: JobColumns) {
    this.columns = columns;
  }

  get length(): number {
    return this.columns.submitSeconds.length;
  }

  /** Undefined behind the last. -1 is the last. */
  at(index: number): TraceJob | undefined {
    const place = index < 0 ? this.length + index : index;
    const { submitSeconds, runSeconds, requestedSeconds, kinds, kind, owners, owner } = this.columns;
    const submitted = submitSeconds[place];
    const own = kinds[kind[place] ?? 0];
    if (submitted === undefined || own === undefined) return undefined;
    const requested = requestedSeconds[place] ?? Number.NaN;
    return {
      name: this.#name(place),
      submitSeconds: submitted,
      runSeconds: runSeconds[place] ?? 0,
      requestedSeconds: Number.isNaN(requested) ? null : requested,
      ...own,
      ...owners[owner[place] ?? 0],
    };
  }

  *[Symbol.iterator](): Generator<TraceJob, undefined> {
    for (let place = 0; ; place += 1) {
      const job = this.at(place);
      if (job === undefined) return undefined;
      yield job;
    }
  }

  /** Most names are a few digits, for which a decoder is slow. */
  #name(place: number): string {
    const { names, nameStart, nameEnd } = this.columns;
    const [from, to] = [nameStart[place] ?? 0, nameEnd[place] ?? 0];
    let name = "";
    for (let index = from; index < to; index += 1) {
      const byte = names[index] ?? 0;
      // Decoders refuse shared memory.
      if (byte >= 128 || index - from > 24) return decoder.decode(names.slice(from, to));
      name += String.fromCharCode(byte);
    }
    return name;
  }
}

/** The same jobs, packed; those that are packed already as they are. */
export function packed(jobs: TraceJobs): PackedJobs {
  if (jobs instanceof PackedJobs) return jobs;
  const packing = new JobPacking();
  for (const job of jobs) packing.add(job);
  return packing.inOrder();
}

/** Those that a test lets pass, packed, in their order. */
export function chosen(jobs: TraceJobs, isChosen: (job: TraceJob, place: number) => boolean): PackedJobs {
  const packing = new JobPacking();
  let place = 0;
  for (const job of jobs) if (isChosen(job, place++)) packing.add(job);
  return packing.inOrder();
}

const encoder = new TextEncoder();
const firstLength = 1_024;

/** Collects jobs one at a time. */
export class JobPacking {
  readonly #submit = new Growing(Float64Array);
  readonly #run = new Growing(Float64Array);
  readonly #requested = new Growing(Float64Array);
  readonly #kind = new Growing(Uint32Array);
  readonly #owner = new Growing(Uint32Array);
  readonly #nameStart = new Growing(Uint32Array);
  readonly #nameEnd = new Growing(Uint32Array);
  readonly #names = new Growing(Uint8Array);
  readonly #kinds = new Distinct<Kind>();
  readonly #owners = new Distinct<Owner>();

  get length(): number {
    return this.#submit.length;
  }

  /** At the end, or in place of another one with the same name. Returns its place. */
  add(job: TraceJob, place = this.length): number {
    const { name, submitSeconds, runSeconds, requestedSeconds, user, account, queue, jobName, ...kind } = job;
    const owner = defined({ user, account, queue, jobName });
    if (place === this.length) {
      this.#nameStart.set(place, this.#names.length);
      this.#names.append(encoder.encode(name));
      this.#nameEnd.set(place, this.#names.length);
    }
    this.#submit.set(place, submitSeconds);
    this.#run.set(place, runSeconds);
    this.#requested.set(place, requestedSeconds ?? Number.NaN);
    this.#kind.set(place, this.#kinds.placeOf(kind));
    this.#owner.set(place, this.#owners.placeOf(owner));
    return place;
  }

  submitSecondsOf(place: number): number {
    return this.#submit.values[place] ?? Number.NaN;
  }

  /** By the time of submission; jobs of one second in the order in which they were added, or by their names. */
  inOrder(byName?: (a: string, b: string) => number): PackedJobs {
    const all = this.#columns(undefined);
    const submit = all.submitSeconds;
    const isInOrder = submit.every((at, place) => place === 0 || (submit[place - 1] ?? 0) <= at);
    if (isInOrder && byName === undefined) return new PackedJobs(all);
    const jobs = new PackedJobs(all);
    const name = (place: number) => jobs.at(place)?.name ?? "";
    const order = Uint32Array.from(submit, (_, place) => place).sort(
      (a, b) => (submit[a] ?? 0) - (submit[b] ?? 0) || byName?.(name(a), name(b)) || a - b,
    );
    return new PackedJobs(this.#columns(order));
  }

  #columns(order: Uint32Array | undefined): JobColumns {
    return {
      submitSeconds: this.#submit.shared(order),
      runSeconds: this.#run.shared(order),
      requestedSeconds: this.#requested.shared(order),
      kind: this.#kind.shared(order),
      owner: this.#owner.shared(order),
      nameStart: this.#nameStart.shared(order),
      nameEnd: this.#nameEnd.shared(order),
      names: this.#names.shared(undefined),
      kinds: this.#kinds.values,
      owners: this.#owners.values,
    };
  }
}

type Numbers = Float64Array | Uint32Array | Uint8Array;

/** A typed array that grows by doubling. */
class Growing<Values extends Numbers> {
  readonly #type: new (
    length: number | SharedArrayBuffer,
  ) => Values;
  values: Values;
  length = 0;

  constructor(type: new (length: number | SharedArrayBuffer) => Values) {
    this.#type = type;
    this.values = new type(firstLength);
  }

  set(place: number, value: number): void {
    this.#reserve(place + 1);
    this.values[place] = value;
  }

  append(more: Values): void {
    const at = this.length;
    this.#reserve(at + more.length);
    this.values.set(more, at);
  }

  /** What was set, in shared memory; of an order, the value at each of its places. */
  shared(order: Uint32Array | undefined): Values {
    const bytes = this.length * this.values.BYTES_PER_ELEMENT;
    const shared = new this.#type(new SharedArrayBuffer(bytes));
    if (order === undefined) shared.set(this.values.subarray(0, this.length));
    else for (const [place, from] of order.entries()) shared[place] = this.values[from] ?? 0;
    return shared;
  }

  #reserve(length: number): void {
    this.length = Math.max(this.length, length);
    if (length <= this.values.length) return;
    const grown = new this.#type(Math.max(length, 2 * this.values.length));
    grown.set(this.values);
    this.values = grown;
  }
}

/** Values that differ, each once. */
class Distinct<Value extends object> {
  readonly values: Value[] = [];
  readonly #places = new Map<string, number>();

  placeOf(value: Value): number {
    const key = JSON.stringify(value);
    const knownPlace = this.#places.get(key);
    if (knownPlace !== undefined) return knownPlace;
    this.values.push(value);
    this.#places.set(key, this.values.length - 1);
    return this.values.length - 1;
  }
}
