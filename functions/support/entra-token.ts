import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import { UpstreamError } from "../../shared/errors/errors.ts";

export interface TokenIssuer {
  /** Origin of the cloud's sign-in service, such as `https://login.microsoftonline.com`. */
  readonly authority: string;
  readonly tenantId: string;
  /** Application (client) id of this API's app registration. */
  readonly clientId: string;
}

export interface TokenHolder {
  /** For the record: a name to read, and the object id, which never changes. */
  readonly name: string;
  readonly roles: readonly string[];
}

export type TokenRead =
  | { readonly outcome: "valid"; readonly holder: TokenHolder }
  /** It proves nothing. */
  | { readonly outcome: "refused"; readonly why: string }
  /** It is genuine, and its client was not given this API on the user's behalf. */
  | { readonly outcome: "no-scope" };

/** Reads a token. Throws UpstreamError while the keys that it could be checked with cannot be had. */
export type ReadToken = (token: string) => Promise<TokenRead>;

/** The scope that a client needs to call on behalf of a user; the app registration exposes it. */
export const delegatedScope = "user_impersonation";

const clockToleranceSeconds = 60;
/** A key that Entra takes back is believed that long at most. New ones are fetched when a token names one. */
const keysMaxAgeMs = 3_600_000;

/** Clouds whose older tokens (version 1.0) have an issuer of another name. */
const issuersOfVersion1: Readonly<Record<string, string>> = {
  "https://login.microsoftonline.com": "https://sts.windows.net",
  "https://login.microsoftonline.us": "https://sts.windows.net",
  "https://login.partner.microsoftonline.cn": "https://sts.chinacloudapi.cn",
};

const claimsSchema = z.object({
  tid: z.string(),
  oid: z.string().min(1),
  sub: z.string(),
  /** The client, in tokens of version 1.0 and 2.0. An id token has neither: it is no proof of the right to call. */
  appid: z.string().min(1).optional(),
  azp: z.string().min(1).optional(),
  scp: z.string().optional(),
  roles: z.array(z.string()).default([]),
  preferred_username: z.string().optional(),
  upn: z.string().optional(),
  unique_name: z.string().optional(),
});

type Claims = z.output<typeof claimsSchema>;

type Fetch = typeof globalThis.fetch;

/** Reads access tokens of one tenant for one API: signature, issuer, audience, times, tenant. Nothing is fetched yet. */
export function createTokenReader(issuer: TokenIssuer, fetch: Fetch = globalThis.fetch): ReadToken {
  const keys = keysOf(issuer, fetch);
  const expected = {
    algorithms: ["RS256"],
    typ: "JWT",
    issuer: issuersOf(issuer),
    // Tokens of version 2.0 always name the client id; those of version 1.0 what was asked for.
    audience: [issuer.clientId, `api://${issuer.clientId}`],
    requiredClaims: ["exp", "nbf"],
    clockTolerance: clockToleranceSeconds,
  };
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, expected);
      const claims = claimsSchema.safeParse(payload);
      return claims.success ? readClaims(claims.data, issuer) : refused("lacks claims of an access token");
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return refused(whyRefused(error));
    }
  };
}

function readClaims(claims: Claims, { tenantId }: TokenIssuer): TokenRead {
  const { tid, oid, sub, scp, roles } = claims;
  const client = claims.azp ?? claims.appid;
  if (tid !== tenantId) return refused("is of another tenant");
  if (client === undefined) return refused("is no access token");
  if (scp === undefined) {
    // An application is its own subject; for a user, every API gets another one.
    return sub === oid ? valid(`app ${client} (${oid})`, roles) : refused("is neither a user's nor an app's");
  }
  if (!scp.split(" ").includes(delegatedScope)) return { outcome: "no-scope" };
  const name = claims.preferred_username ?? claims.upn ?? claims.unique_name ?? `user of ${client}`;
  return valid(`${readable(name)} (${oid})`, roles);
}

function valid(name: string, roles: readonly string[]): TokenRead {
  return { outcome: "valid", holder: { name, roles } };
}

function refused(why: string): TokenRead {
  return { outcome: "refused", why };
}

/** Users may choose their names: on one line, and short enough for the record. */
function readable(name: string): string {
  return name
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, 100);
}

function issuersOf({ authority, tenantId }: TokenIssuer): string[] {
  const older = issuersOfVersion1[authority];
  return [`${authority}/${tenantId}/v2.0`, ...(older === undefined ? [] : [`${older}/${tenantId}/`])];
}

/** The tenant's public keys, remembered. What goes wrong on the way says nothing about the token. */
function keysOf({ authority, tenantId }: TokenIssuer, fetch: Fetch): JWTVerifyGetKey {
  const url = new URL(`${authority}/${tenantId}/discovery/v2.0/keys`);
  const fetched = createRemoteJWKSet(url, {
    cacheMaxAge: keysMaxAgeMs,
    [customFetch]: fetch,
  });
  return async (header, token) => {
    try {
      return await fetched(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error;
      throw new UpstreamError(`Cannot check the token: no signing keys from ${url.host}`, {
        retryable: true,
        cause: error,
      });
    }
  };
}

/** Describes the problem without quoting the token. */
function whyRefused(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return "has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return whyClaimRefused(error.claim);
  if (error instanceof errors.JOSEAlgNotAllowed) return "is not signed as tokens of Entra are";
  if (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JWSSignatureVerificationFailed
  )
    return "is not signed by the tenant";
  return "cannot be read";
}

function whyClaimRefused(claim: string): string {
  switch (claim) {
    case "aud":
      return "is for another audience";
    case "iss":
      return "is of another issuer";
    case "nbf":
      return "is not valid yet";
    default:
      return `has no usable ${claim}`;
  }
}
