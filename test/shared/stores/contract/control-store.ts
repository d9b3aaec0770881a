import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { ControlStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCase, outcomes, uniqueCluster } from "./suite.ts";
import { controlOf } from "./values.ts";

export const controlStoreCases: readonly ContractCase<ControlStore>[] = [
  {
    name: "a cluster about which nothing was decided has none",
    async run(store) {
      expect(await store.load(uniqueCluster())).toBeUndefined();
    },
  },
  {
    name: "what was decided is there again, and the next decision needs its ETag",
    async run(store) {
      const cluster = uniqueCluster();
      await store.save(controlOf(cluster), undefined);
      const first = await store.load(cluster);
      expect(first?.value).toEqual(controlOf(cluster));
      await store.save(controlOf(cluster, { refusedLogin: null }), first?.etag);
      const second = await store.load(cluster);
      expect(second?.value).toEqual(controlOf(cluster, { refusedLogin: null }));
      await expect(store.save(controlOf(cluster), first?.etag)).rejects.toThrow(ConflictError);
      expect(await store.load(cluster)).toEqual(second);
    },
  },
  {
    name: "of two that decide at once for the first time one gets a conflict",
    async run(store) {
      const cluster = uniqueCluster();
      const saves = [1, 2].map(() => store.save(controlOf(cluster), undefined));
      expect(await outcomes(saves)).toEqual({ kept: 1, errors: [expect.any(ConflictError)] });
    },
  },
  {
    name: "a refused login is known by its credentials until it is forgotten, and is no cluster's control",
    async run(store) {
      const refused = { fingerprint: `${uniqueCluster()}/-_=`, message: "HTTP 401", atSeconds: 1.5 };
      expect(await store.refusedLogin(refused.fingerprint)).toBeUndefined();
      await store.saveRefusedLogin({ ...refused, message: "before" });
      await store.saveRefusedLogin(refused);
      expect((await store.refusedLogin(refused.fingerprint))?.value).toEqual(refused);
      expect(await store.refusedLogin(`${refused.fingerprint}x`)).toBeUndefined();
      expect(await store.load(refused.fingerprint)).toBeUndefined();
      expect(await store.load(`logins/${refused.fingerprint}`)).toBeUndefined();
      for (const _ of [1, 2]) await store.forgetRefusedLogin(refused.fingerprint);
      expect(await store.refusedLogin(refused.fingerprint)).toBeUndefined();
    },
  },
  {
    name: "of two that change a refused login at once one gets a conflict, and nobody changes a forgotten one",
    async run(store) {
      const refused = { fingerprint: uniqueCluster(), message: "HTTP 401", atSeconds: 1.5 };
      await store.saveRefusedLogin(refused);
      const etag = (await store.refusedLogin(refused.fingerprint))?.etag ?? "";
      const tries = [2, 3].map((triedAtSeconds) =>
        store.changeRefusedLogin({ ...refused, triedAtSeconds }, etag),
      );
      expect(await outcomes(tries)).toEqual({ kept: 1, errors: [expect.any(ConflictError)] });
      const changed = await store.refusedLogin(refused.fingerprint);
      expect(changed?.value.triedAtSeconds).toBeOneOf([2, 3]);
      await store.forgetRefusedLogin(refused.fingerprint);
      await expect(store.changeRefusedLogin(refused, changed?.etag ?? "")).rejects.toThrow(ConflictError);
      expect(await store.refusedLogin(refused.fingerprint)).toBeUndefined();
    },
  },
  {
    name: "odd cluster names are kept apart",
    async run(store) {
      for (const name of oddNames) await store.save(controlOf(name), undefined);
      for (const name of oddNames) expect((await store.load(name))?.value.cluster).toBe(name);
    },
  },
];
