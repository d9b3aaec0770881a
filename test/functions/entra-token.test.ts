import { createHmac } from "node:crypto";
import fc from "fast-check";
import { type CryptoKey, exportSPKI, importJWK, type JSONWebKeySet } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTokenReader, type TokenRead } from "../../functions/support/entra-token.ts";
import { UpstreamError } from "../../shared/errors/errors.ts";
import { cases } from "../support/cases.ts";
import { agentOid, alice, newKeys, sign, startTenant, type Tenant, tenantId } from "../support/entra.ts";
import type { Claims } from "../support/entra-sign-in.ts";

let tenant: Tenant;
let read: (token: string) => Promise<TokenRead>;

beforeEach(async () => {
  tenant = await startTenant();
  read = createTokenReader(tenant.issuer);
});

afterEach(() => {
  vi.restoreAllMocks();
  return tenant.stop();
});

const now = () => Math.floor(Date.now() / 1000);
const other = "99999999-9999-4999-8999-999999999999";

describe("a token is believed", () => {
  test("of a user, named by what a person can read and by the object id", async () => {
    expect(await read(await tenant.userToken({ roles: ["Autoscale.Read"] }))).toEqual({
      outcome: "valid",
      holder: { name: `alice@example.com (${alice.oid})`, roles: ["Autoscale.Read"] },
    });
  });

  test("of an application, named by its client id and its object id", async () => {
    expect(await read(await tenant.appToken({ roles: ["Autoscale.Operate"] }))).toEqual({
      outcome: "valid",
      holder: {
        name: expect.stringMatching(`^app 5{8}-.* \\(${agentOid}\\)$`),
        roles: ["Autoscale.Operate"],
      },
    });
  });

  // Claims that depend on the time are made when the test runs: the tests before may have taken long.
  test.each<[string, Claims | (() => Claims)]>([
    [
      "for the application id URI, as tokens of version 1.0 are",
      { aud: `api://${"2".repeat(8)}-2222-4222-8222-222222222222` },
    ],
    ["with several scopes", { scp: "openid user_impersonation profile" }],
    ["without roles, of a client with a short id", { roles: undefined, azp: "a" }],
    ["that expired within the tolerance for clocks", () => ({ exp: now() - 30 })],
    ["that becomes valid within the tolerance for clocks", () => ({ nbf: now() + 30 })],
    [
      "of version 1.0: with appid and upn",
      { azp: undefined, appid: "a", preferred_username: undefined, upn: "alice" },
    ],
  ])("%s", async (_, claims) => {
    expect(
      await read(await tenant.userToken(typeof claims === "function" ? claims() : claims)),
    ).toMatchObject({ outcome: "valid" });
  });

  test("of the issuer that the public cloud names in version 1.0", async () => {
    const issuer = { ...tenant.issuer, authority: "https://login.microsoftonline.com" };
    // Its keys are not fetched here: the claims are what is looked at.
    const token = await tenant.userToken({ iss: `https://sts.windows.net/${tenantId}/` });
    const keys = (input: string | URL | Request) =>
      input.toString() === `https://login.microsoftonline.com/${tenantId}/discovery/v2.0/keys`
        ? fetch(`${tenant.issuer.authority}/${tenantId}/discovery/v2.0/keys`)
        : Promise.reject(new Error(`unexpected ${input}`));
    expect(await createTokenReader(issuer, keys)(token)).toMatchObject({ outcome: "valid" });
  });

  test("a name of control characters and without an end becomes one short line", async () => {
    const preferred_username = `eve\n\u202e{"by":"alice"}${"x".repeat(500)}`;
    const answer = await read(await tenant.userToken({ preferred_username }));
    const name = answer.outcome === "valid" ? answer.holder.name : "";
    expect(name).toMatch(/^eve \{"by":"alice"\}x{80,} \(3{8}-/);
    expect(name.length).toBeLessThan(200);
  });
});

describe("a token is refused", () => {
  test.each<[string, Claims, RegExp]>([
    ["for another audience", { aud: other }, /another audience/],
    ["for another audience that looks alike", { aud: "api://api" }, /another audience/],
    ["without an audience", { aud: undefined }, /another audience/],
    ["of another issuer", { iss: `https://login.example/${tenantId}/v2.0` }, /another issuer/],
    [
      "of an issuer of version 1.0, where the cloud is not known",
      { iss: `https://sts.windows.net/${tenantId}/` },
      /another issuer/,
    ],
    ["without an issuer", { iss: undefined }, /another issuer/],
    ["of another tenant", { tid: other }, /another tenant/],
    ["without a tenant", { tid: undefined }, /lacks claims/],
    ["that has expired by more than clocks disagree", { exp: now() - 90 }, /has expired/],
    ["that never expires", { exp: undefined }, /no usable exp/],
    ["that is not valid yet by more than clocks disagree", { nbf: now() + 3_600 }, /not valid yet/],
    ["whose beginning is no number", { nbf: "yesterday" }, /not valid yet/],
    ["of nobody", { oid: undefined }, /lacks claims/],
    ["with roles that are no list", { roles: "Autoscale.Operate" }, /lacks claims/],
    [
      "that is an id token: no client has it to call with",
      { azp: undefined, scp: undefined },
      /no access token/,
    ],
    ["that is no app's and has no scope", { scp: undefined }, /neither a user's nor an app's/],
  ])("%s", async (_, claims, why) => {
    expect(await read(await tenant.userToken(claims))).toEqual({
      outcome: "refused",
      why: expect.stringMatching(why),
    });
  });

  test("signed by another key under the name of the right one", async () => {
    const thief = await newKeys();
    const [header = ""] = (await tenant.userToken()).split(".");
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
    const [, claims = ""] = (await tenant.userToken({ roles: ["Autoscale.Operate"] })).split(".");
    const forged = await sign(JSON.parse(Buffer.from(claims, "base64url").toString()), { ...thief, kid });
    expect(await read(forged)).toEqual({ outcome: "refused", why: "is not signed by the tenant" });
  });

  test("that brings its own key along", async () => {
    const thief = await newKeys();
    const [, claims = ""] = (await tenant.userToken()).split(".");
    const header = { jwk: thief.publicJwk, jku: "https://thief.example/keys" };
    const forged = await sign(JSON.parse(Buffer.from(claims, "base64url").toString()), thief, header);
    expect(await read(forged)).toEqual({ outcome: "refused", why: "is not signed by the tenant" });
  });

  test("whose claims were changed after it was signed", async () => {
    const [header, claims = "", signature] = (await tenant.userToken()).split(".");
    const more = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), roles: ["Autoscale.Operate"] };
    const changed = Buffer.from(JSON.stringify(more)).toString("base64url");
    expect(await read(`${header}.${changed}.${signature}`)).toMatchObject({ outcome: "refused" });
  });

  test("that is not signed, or by the public key as if it were a secret", async () => {
    const [header = "", claims] = (await tenant.userToken()).split(".");
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString("base64url");
    const unsigned = `${part({ alg: "none", typ: "JWT" })}.${claims}.`;
    const served = await fetch(`${tenant.issuer.authority}/${tenantId}/discovery/v2.0/keys`);
    const [key] = ((await served.json()) as JSONWebKeySet).keys;
    const secret = await exportSPKI((await importJWK({ ...key, alg: "RS256" })) as CryptoKey);
    const signed = `${part({ alg: "HS256", typ: "JWT", kid })}.${claims}`;
    const mac = createHmac("sha256", secret).update(signed).digest("base64url");
    for (const token of [unsigned, `${signed}.${mac}`])
      expect(await read(token)).toMatchObject({ outcome: "refused" });
  });

  test.each([
    ["of nothing", ""],
    ["of one part", "x"],
    ["of three parts of nonsense", "a.b.c"],
    ["of a header alone", "eyJhbGciOiJSUzI1NiJ9.."],
    ["that is very long", `${"a".repeat(9_000)}.b.c`],
  ])("%s", async (_, text) => {
    expect(await read(text)).toMatchObject({ outcome: "refused" });
  });

  test("of which any character is another one", async () => {
    const token = await tenant.userToken({ roles: ["Autoscale.Operate"] });
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    // The last character of each part has bits that mean nothing.
    const ends = [...token.matchAll(/\.|$/g)].map(({ index }) => index - 1);
    const places = fc.nat(token.length - 1).filter((place) => !ends.includes(place));
    const changed = fc
      .tuple(places, fc.constantFrom(...alphabet))
      .filter(([at, other]) => token[at] !== other);
    await fc.assert(
      fc.asyncProperty(changed, async ([at, other]) => {
        const forged = token.slice(0, at) + other + token.slice(at + 1);
        expect(await read(forged)).toMatchObject({ outcome: "refused" });
      }),
      cases(200),
    );
  });

  test("nothing of it is repeated", async () => {
    const token = await tenant.userToken({ aud: "secret-audience", roles: ["secret-role"] });
    expect(JSON.stringify(await read(token))).not.toContain("secret");
  });
});

test("a user's token without the scope of the API was made out for something else", async () => {
  const token = await tenant.userToken({ scp: "User.Read", roles: ["Autoscale.Operate"] });
  expect(await read(token)).toEqual({ outcome: "no-scope" });
});

describe("the keys of the tenant", () => {
  test("are fetched once for many tokens", async () => {
    await Promise.all(Array.from({ length: 20 }, async () => read(await tenant.userToken())));
    expect(tenant.asked).toBe(1);
  });

  test("are not fetched for what is no token of that kind", async () => {
    const [, claims, signature] = (await tenant.userToken()).split(".");
    const header = Buffer.from(JSON.stringify({ alg: "PS256", typ: "JWT" })).toString("base64url");
    for (const token of ["a.b.c", `${header}.${claims}.${signature}`]) await read(token);
    expect(tenant.asked).toBe(0);
  });

  test.each(["error", "nonsense", "nothing"] as const)(
    "that cannot be had (%s) say nothing about the token: nobody is let in, and it is worth another try",
    async (answers) => {
      tenant.answers = answers;
      const failure = await read(await tenant.userToken()).catch((error) => error);
      expect(failure).toBeInstanceOf(UpstreamError);
      expect(failure).toMatchObject({ retryable: true });
      tenant.answers = "keys";
      expect(await read(await tenant.userToken())).toMatchObject({ outcome: "valid" });
    },
  );

  test("that were known go on being used while the tenant cannot be reached", async () => {
    await read(await tenant.userToken());
    tenant.answers = "nothing";
    expect(await read(await tenant.userToken())).toMatchObject({ outcome: "valid" });
  });

  test("are fetched again when a token names one that is new", async () => {
    const before = await tenant.userToken();
    expect(await read(before)).toMatchObject({ outcome: "valid" });
    await tenant.rotateKeys();
    const later = Date.now() + 40_000;
    vi.spyOn(Date, "now").mockReturnValue(later);
    expect(await read(await tenant.userToken())).toMatchObject({ outcome: "valid" });
    expect(await read(before)).toMatchObject({ outcome: "refused" });
  });

  test("are asked for at most twice a minute, however many names of keys are made up", async () => {
    await read(await tenant.userToken());
    for (const kid of ["a", "b", "c"])
      expect(await read(await tenant.userToken({}, { kid }))).toMatchObject({ outcome: "refused" });
    expect(tenant.asked).toBe(1);
  });
});
