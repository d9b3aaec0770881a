import fc from "fast-check";
import { expect, test } from "vitest";
import { ConflictError } from "../../../shared/errors/errors.ts";
import type { IfMatch } from "../../../shared/ports/index.ts";
import { BlobNames } from "../../../shared/stores/azure/blob-names.ts";
import type { BlobContent } from "../../../shared/stores/azure/container.ts";
import { cases } from "../../support/cases.ts";

const cluster = "hpc";
const prefix = "hpc/";

/** A container in memory; every call waits for its turn first. */
class FakeContainer {
  readonly blobs = new Map<string, { readonly bytes: Buffer; readonly etag: string }>();
  lists = 0;
  #saves = 0;
  readonly #turn: () => Promise<unknown>;

  get saves(): number {
    return this.#saves;
  }

  constructor(turn: () => Promise<unknown> = async () => undefined) {
    this.#turn = turn;
  }

  async read(name: string) {
    await this.#turn();
    return this.blobs.get(name);
  }

  async readUnless(name: string, etag: string) {
    await this.#turn();
    const blob = this.blobs.get(name);
    return blob?.etag === etag ? ("unchanged" as const) : blob;
  }

  async names(start: string) {
    await this.#turn();
    this.lists += 1;
    return this.made(start);
  }

  async save(
    name: string,
    { bytes }: BlobContent,
    { ifMatch, record }: { ifMatch: IfMatch; record: string },
  ) {
    await this.#turn();
    if (this.blobs.get(name)?.etag !== ifMatch) throw new ConflictError(record);
    this.#saves += 1;
    this.blobs.set(name, { bytes: Buffer.from(bytes), etag: `${this.#saves}` });
    return `${this.#saves}`;
  }

  /** Makes a blob whose name nobody added. */
  put(name: string): void {
    this.blobs.set(name, { bytes: Buffer.from("{}"), etag: "put" });
  }

  made(start = prefix): readonly string[] {
    return [...this.blobs.keys()].filter((name) => name.startsWith(start)).sort();
  }
}

function namesIn(container: FakeContainer, clock: { nowSeconds: number }): BlobNames {
  return new BlobNames(
    container,
    () => prefix,
    () => clock.nowSeconds,
  );
}

test("blobs are listed once in ten minutes, and one that is made in between is among the names", async () => {
  const container = new FakeContainer();
  const clock = { nowSeconds: 1_800_000_000 };
  const names = namesIn(container, clock);
  container.put("hpc/before");
  expect(await names.of(cluster)).toEqual(["hpc/before"]);
  await names.add(cluster, "hpc/new");
  container.put("hpc/new");
  const other = namesIn(container, clock);
  for (const each of [names, other]) expect(await each.of(cluster)).toEqual(["hpc/before", "hpc/new"]);
  expect(container.lists).toBe(1);
  clock.nowSeconds += 601;
  await other.of(cluster);
  expect(container.lists).toBe(2);
});

test("a name of a blob that is gone is forgotten an hour after it was added", async () => {
  const container = new FakeContainer();
  const clock = { nowSeconds: 1_800_000_000 };
  const names = namesIn(container, clock);
  await names.add(cluster, "hpc/gone");
  await names.of(cluster);
  expect(await names.of(cluster)).toEqual(["hpc/gone"]);
  clock.nowSeconds += 3_601;
  await names.of(cluster);
  expect(await names.of(cluster)).toEqual([]);
});

test("a clock that is far ahead does not make its listing count for longer", async () => {
  const container = new FakeContainer();
  await namesIn(container, { nowSeconds: 1_900_000_000 }).of(cluster);
  container.put("hpc/older");
  expect(await namesIn(container, { nowSeconds: 1_800_000_000 }).of(cluster)).toEqual(["hpc/older"]);
});

test("whatever runs at once and dies wherever: who begins to read after a blob was made reads its name", async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("make" as const),
      name: fc.constantFrom("hpc/a", "hpc/b"),
      dies: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("delete" as const), name: fc.constantFrom("hpc/a", "hpc/b") }),
    fc.record({
      kind: fc.constant("read" as const),
      waits: fc.constantFrom(0, 0, 0, 601),
      dies: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 8 }), async (scheduler, steps) => {
      const clock = { nowSeconds: 1_800_000_000 };
      const made = new Set<string>();
      let dead = 0;
      const container = new FakeContainer(() => scheduler.schedule(Promise.resolve()));
      /** A run of its own, which knows nothing yet. When it dies, its calls do nothing any more. */
      const run = (dies: boolean): BlobNames => {
        if (!dies) return namesIn(container, clock);
        dead += 1;
        let left = dead % 3;
        const dying = async <T>(call: () => Promise<T>): Promise<T> => {
          left -= 1;
          return left < 0 ? new Promise<T>(() => undefined) : call();
        };
        const calls = {
          read: (name: string) => dying(() => container.read(name)),
          readUnless: (name: string, etag: string) => dying(() => container.readUnless(name, etag)),
          names: (start: string) => dying(() => container.names(start)),
          save: (...args: Parameters<FakeContainer["save"]>) => dying(() => container.save(...args)),
        };
        return new BlobNames(
          calls,
          () => prefix,
          () => clock.nowSeconds,
        );
      };
      const runs = steps.map(async (each) => {
        await scheduler.schedule(Promise.resolve());
        if (each.kind === "make") {
          await run(each.dies).add(cluster, each.name);
          await scheduler.schedule(Promise.resolve());
          container.put(each.name);
          made.add(each.name);
        } else if (each.kind === "delete") {
          container.blobs.delete(each.name);
          made.delete(each.name);
        } else {
          // Nobody takes an hour between a name and its blob.
          clock.nowSeconds = Math.min(clock.nowSeconds + each.waits, 1_800_003_000);
          const before = [...made];
          const read = await run(each.dies).of(cluster);
          for (const name of before) if (made.has(name)) expect(read).toContain(name);
        }
      });
      const failures: unknown[] = [];
      for (const each of runs) each.catch((error: unknown) => failures.push(error));
      await scheduler.waitIdle();
      expect(failures).toEqual([]);
      const last = namesIn(Object.assign(new FakeContainer(), { blobs: container.blobs }), clock);
      expect(await last.of(cluster)).toEqual(expect.arrayContaining([...made]));
      clock.nowSeconds += 601;
      expect(await last.of(cluster)).toEqual(container.made());
    }),
    cases(300),
  );
});
