import type { HttpRequest, HttpResponseInit } from "@azure/functions";
import { appRoles, type Role } from "../../shared/api/index.ts";
import type { Log } from "../../shared/ports/index.ts";
import { problem } from "../../shared/service/index.ts";
import { delegatedScope, type ReadToken, type TokenHolder, type TokenIssuer } from "./entra-token.ts";
import { refusedWith, withHeaders } from "./http-response.ts";
import type { NodeLogin } from "./node-login.ts";

/**
 * How callers of the HTTP API show who they are. `function-key`: the platform asks for a key before our code runs.
 * `entra`: the platform lets everybody through, and each call shows a token that we check.
 */
export type ApiLogin =
  | { readonly by: "function-key" }
  | { readonly by: "entra"; readonly issuer: TokenIssuer };

/** A caller whose name is authenticated and recorded. */
export interface Caller {
  readonly name: string;
}

type Admission =
  | { readonly ok: true; readonly caller: Caller | undefined }
  | { readonly ok: false; readonly response: HttpResponseInit };

/** What a caller has to be. `anybody`: for files that hold nothing about any cluster. */
export type ServedRole = Role | "anybody";

/** What stands before every HTTP function. */
export interface Guard {
  /** What the platform has to ask for. `anonymous` only where `admit`, or the function for nodes, asks. */
  authLevel(role: ServedRole): "function" | "anonymous";
  /** Throws UpstreamError while the caller cannot be identified. */
  admit(request: HttpRequest, role: ServedRole, log: Log): Promise<Admission>;
}

/** Set by the platform where it signs callers in; it takes the same header of a caller away. */
const principalHeader = "x-ms-client-principal-name";
const longestName = 200;

/** The platform checks a key. When it also signs callers in, it passes their names. */
export function keyGuard(options: {
  readonly nodeLogin: NodeLogin;
  /** Else that header is whatever a caller writes there. */
  readonly platformSignsIn: boolean;
}): Guard {
  return {
    authLevel: (role) => levelFor(role, options.nodeLogin, "function"),
    async admit(request) {
      const name = options.platformSignsIn ? request.headers.get(principalHeader)?.trim() : undefined;
      return { ok: true, caller: name ? { name: name.slice(0, longestName) } : undefined };
    },
  };
}

/** Every call shows an Entra token with an app role. Nodes, which have no role, show what `nodeLogin` says. */
export function entraGuard(options: {
  readonly nodeLogin: NodeLogin;
  readonly issuer: TokenIssuer;
  readonly readToken: ReadToken;
}): Guard {
  const { issuer, readToken } = options;
  return {
    authLevel: (role) => levelFor(role, options.nodeLogin, "anonymous"),
    async admit(request, role, log) {
      if (role === "node" || role === "anybody") return { ok: true, caller: undefined };
      const token = bearerToken(request.headers.get("authorization"));
      if (token === undefined) return refuse(unauthorized(issuer, undefined));
      const read = await readToken(token);
      switch (read.outcome) {
        case "refused":
          log.warn("caller-refused", { reason: `the token ${read.why}` });
          return refuse(unauthorized(issuer, read.why));
        case "no-scope":
          log.warn("caller-refused", { reason: `the token lacks the scope ${delegatedScope}` });
          return refuse(forbidden(`The token lacks the scope "${delegatedScope}" of ${audienceOf(issuer)}`));
        case "valid":
          return admitHolder(read.holder, role, log);
      }
    },
  };
}

/** A platform that asks for nothing leaves it to the function, which asks for the login of nodes. */
function levelFor<Level extends string>(
  role: ServedRole,
  nodeLogin: NodeLogin,
  level: Level,
): Level | "function" | "anonymous" {
  switch (role) {
    case "anybody":
      return "anonymous";
    case "node":
      return nodeLogin === "basic" ? "anonymous" : "function";
    case "reader":
    case "operator":
      return level;
  }
}

function admitHolder({ name, roles }: TokenHolder, role: keyof typeof appRoles, log: Log): Admission {
  const enough: readonly string[] = appRoles[role];
  if (roles.some((each) => enough.includes(each))) return { ok: true, caller: { name } };
  const [missing] = enough;
  log.warn("caller-refused", { reason: `${name} lacks the role ${missing}` });
  return refuse(forbidden(`${name} lacks the role "${missing}"`));
}

/** Undefined when the header is missing or of another scheme. */
function bearerToken(header: string | null): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header ?? "")?.[1];
}

function refuse(response: HttpResponseInit): Admission {
  return { ok: false, response };
}

function unauthorized(issuer: TokenIssuer, why: string | undefined): HttpResponseInit {
  const title = why === undefined ? "No token is shown" : `The token ${why}`;
  const detail = `Sign in to tenant ${issuer.tenantId} and show a token for ${audienceOf(issuer)}; ccscale does with CCSCALE_AUDIENCE set to that`;
  const error = why === undefined ? "" : `, error="invalid_token", error_description="${title}"`;
  const uri = `${issuer.authority}/${issuer.tenantId}/oauth2/v2.0/authorize`;
  const refused = refusedWith(problem("unauthorized", 401, { title, detail }).problem);
  return withChallenge(refused, `Bearer authorization_uri="${uri}"${error}`);
}

function forbidden(title: string): HttpResponseInit {
  const detail = "Ask whoever administers the app registration to assign it, then sign in again";
  const refused = refusedWith(problem("forbidden", 403, { title, detail }).problem);
  return withChallenge(refused, 'Bearer error="insufficient_scope"');
}

function withChallenge(response: HttpResponseInit, challenge: string): HttpResponseInit {
  return withHeaders(response, { "WWW-Authenticate": challenge });
}

function audienceOf({ clientId }: TokenIssuer): string {
  return `api://${clientId}`;
}
