import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { IfMatch, Stored } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, outcomes, uniqueCluster } from "./suite.ts";

/** A port of records, each of which is read, changed and saved again with its ETag. */
interface RecordPort<Port, Value> {
  /** What a record is called: `demand`. */
  readonly what: string;
  /** One of many versions of the record of this name. */
  of(name: string, version: number): Value;
  load(store: Port, name: string): Promise<Stored<Value> | undefined>;
  save(store: Port, name: string, value: Value, ifMatch: IfMatch): Promise<unknown>;
}

/** What every such port promises. */
export function recordCases<Port, Value>(port: RecordPort<Port, Value>): ContractCases<Port> {
  const { what, of, load, save } = port;
  const oneConflict = { kept: 1, errors: [expect.any(ConflictError)] };
  const saveTwice = (store: Port, name: string, ifMatch: IfMatch) =>
    outcomes([2, 3].map((version) => save(store, name, of(name, version), ifMatch)));
  return {
    [`${what}: what was saved is there, and is replaced by who read the newest version`]: async (store) => {
      const name = uniqueCluster();
      expect(await load(store, name)).toBeUndefined();
      await save(store, name, of(name, 1), undefined);
      const first = await load(store, name);
      expect(first?.value).toEqual(of(name, 1));
      await save(store, name, of(name, 2), first?.etag);
      const second = await load(store, name);
      expect(second?.value).toEqual(of(name, 2));
      for (const old of [first?.etag, undefined])
        await expect(save(store, name, of(name, 3), old)).rejects.toThrow(ConflictError);
      expect(await load(store, name)).toEqual(second);
      const missing = uniqueCluster();
      await expect(save(store, missing, of(missing, 1), second?.etag)).rejects.toThrow(ConflictError);
    },
    [`${what}: of two who save at once one gets a conflict, the first time and later`]: async (store) => {
      const name = uniqueCluster();
      expect(await saveTwice(store, name, undefined)).toEqual(oneConflict);
      const etag = (await load(store, name))?.etag;
      expect(await saveTwice(store, name, etag)).toEqual(oneConflict);
    },
    [`${what}: odd names are kept apart`]: async (store) => {
      for (const name of oddNames) await save(store, name, of(name, 1), undefined);
      for (const name of oddNames) expect((await load(store, name))?.value).toEqual(of(name, 1));
    },
  };
}
