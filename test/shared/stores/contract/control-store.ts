import { expect } from "vitest";
import { ConflictError } from "../../../../shared/errors/errors.ts";
import type { ClusterControl, ControlStore } from "../../../../shared/ports/index.ts";
import { recordCases } from "./record-cases.ts";
import { type ContractCases, outcomes, uniqueCluster } from "./suite.ts";
import { controlOf } from "./values.ts";

export const controlStoreCases: ContractCases<ControlStore> = {
  ...recordCases<ControlStore, ClusterControl>({
    what: "decisions",
    of: (name, version) => controlOf(name, version === 1 ? {} : { refusedLogin: null }),
    load: (store, name) => store.load(name),
    save: (store, _, value, ifMatch) => store.save(value, ifMatch),
  }),
  "a refused login is known by its credentials until it is forgotten, and is no cluster's control": async (
    store,
  ) => {
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
  "of two that change a refused login at once one gets a conflict, and nobody changes a forgotten one":
    async (store) => {
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
};
