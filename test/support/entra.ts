import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from "jose";
import type { TokenIssuer } from "../../functions/support/entra-token.ts";
import { type Claims, SignInPages } from "./entra-sign-in.ts";

/** The local stand-in of a tenant of Microsoft Entra ID: it signs tokens, and serves the keys to check them with. */
export interface Tenant {
  readonly issuer: TokenIssuer;
  /** App settings by which the app trusts this tenant. */
  readonly settings: Readonly<Record<string, string>>;
  /** A token of a user for the app, as `az login` gets one; `claims` over it, undefined takes one away. */
  userToken(claims?: Claims, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** A token of an application for the app, as a managed identity gets one. */
  appToken(claims?: Claims): Promise<string>;
  /** New keys sign from now on; only they are served. */
  rotateKeys(): Promise<void>;
  /** What stands on its pages for people who sign in, and what they are given. */
  readonly people: SignInPages;
  /** How often the keys were asked for. */
  readonly asked: number;
  /** What the keys are answered with from now on. */
  answers: "keys" | "nonsense" | "error" | "nothing";
  stop(): Promise<void>;
}

export const tenantId = "11111111-1111-4111-8111-111111111111";
export const clientId = "22222222-2222-4222-8222-222222222222";
/** Of the Azure CLI, which every tenant knows under this id. */
export const azureCli = "04b07795-8ddb-461a-bbee-02f9e1bf7b46";
export const alice = { oid: "33333333-3333-4333-8333-333333333333", preferred_username: "alice@example.com" };
export const agentOid = "44444444-4444-4444-8444-444444444444";
const agentApp = "55555555-5555-4555-8555-555555555555";

interface Keys {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

let made = 0;
/** Making keys takes long: every tenant begins with the same. */
let first: Promise<Keys> | undefined;

export async function newKeys(): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  made += 1;
  const kid = `key-${made}`;
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, use: "sig", kty: "RSA" } };
}

/** Signs claims as they are. */
export function sign(claims: Claims, keys: Keys, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  const { kid, privateKey } = keys;
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid, ...header })
    .sign(privateKey);
}

export async function startTenant(): Promise<Tenant> {
  first ??= newKeys();
  let keys = await first;
  const state = { asked: 0, answers: "keys" as Tenant["answers"] };
  const people = new SignInPages(tenantId);
  const server = createServer((request, response) => {
    const { url } = request;
    if (people.serves(request)) return people.answer(request, response);
    if (url !== `/${tenantId}/discovery/v2.0/keys`) return response.writeHead(404).end();
    state.asked += 1;
    switch (state.answers) {
      case "keys":
        return response.end(JSON.stringify({ keys: [keys.publicJwk] }));
      case "nonsense":
        return response.end("<html>");
      case "error":
        return response.writeHead(503).end();
      case "nothing":
        return response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const authority = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const common = () => ({
    iss: `${authority}/${tenantId}/v2.0`,
    aud: clientId,
    tid: tenantId,
    ver: "2.0",
    ...times(),
  });
  const userToken: Tenant["userToken"] = (claims = {}, header = {}) => {
    const own = { ...alice, sub: "pairwise", azp: azureCli, scp: "user_impersonation" };
    return sign({ ...common(), ...own, ...claims }, keys, header);
  };
  people.sign = userToken;
  return {
    people,
    issuer: { authority, tenantId, clientId },
    settings: {
      API_LOGIN: "entra",
      API_TENANT_ID: tenantId,
      API_CLIENT_ID: clientId,
      API_AUTHORITY: authority,
    },
    userToken,
    appToken(claims = {}) {
      const own = { oid: agentOid, sub: agentOid, azp: agentApp, idtyp: "app" };
      return sign({ ...common(), ...own, ...claims }, keys);
    },
    async rotateKeys() {
      keys = await newKeys();
    },
    get asked() {
      return state.asked;
    },
    get answers() {
      return state.answers;
    },
    set answers(next) {
      state.answers = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** From five minutes ago for an hour, as Entra does. */
function times(): { iat: number; nbf: number; exp: number } {
  const now = Math.floor(Date.now() / 1000);
  return { iat: now - 300, nbf: now - 300, exp: now + 3_600 };
}
