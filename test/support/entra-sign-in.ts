import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

export type Claims = Readonly<Record<string, unknown>>;

interface Asked {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}

/** The pages of a tenant's stand-in on which people sign in to a page: code flow with PKCE, as Entra has it for the type `spa`. */
export class SignInPages {
  /** Claims of who signs in, over those of alice. */
  claims: Claims = {};
  /** Redirect addresses of the app registration. */
  redirectUris: readonly string[] = [];
  /** Set: whoever signs in is refused so. */
  refusal: { readonly error: string; readonly description: string } | undefined;
  /** How long tokens last, as the answer says it. */
  tokenSeconds = 3_600;
  /** Whether tokens are renewed. */
  renews = true;
  /** Grants, in their order. */
  readonly granted: string[] = [];
  sign: (claims: Claims) => Promise<string> = () => Promise.reject(new Error("set by the tenant"));

  readonly #tenantId: string;
  readonly #codes = new Map<string, Asked>();
  readonly #refreshTokens = new Map<string, Asked>();

  constructor(tenantId: string) {
    this.#tenantId = tenantId;
  }

  serves({ url = "" }: IncomingMessage): boolean {
    return url.startsWith(`/${this.#tenantId}/oauth2/v2.0/`);
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    if (url.pathname.endsWith("/authorize")) this.#authorize(url.searchParams, response);
    else this.#token(request, response).catch(() => response.destroy());
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const of = (name: string) => query.get(name) ?? "";
    const clientId = of("client_id");
    const problem =
      of("response_type") !== "code" || of("code_challenge_method") !== "S256"
        ? "no code with PKCE is asked for"
        : !this.redirectUris.includes(of("redirect_uri"))
          ? `AADSTS50011: ${of("redirect_uri")} is not registered`
          : !of("scope").split(" ").includes(`api://${clientId}/user_impersonation`)
            ? "the scope is missing"
            : undefined;
    // As in Entra: it goes back only to an address that is registered.
    if (problem !== undefined) return void response.writeHead(400).end(problem);
    const back = new URL(of("redirect_uri"));
    back.searchParams.set("state", of("state"));
    if (this.refusal === undefined) {
      const code = randomUUID();
      const asked = { clientId, redirectUri: of("redirect_uri"), challenge: of("code_challenge") };
      this.#codes.set(code, { ...asked, nonce: of("nonce") });
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", this.refusal.error);
      back.searchParams.set("error_description", this.refusal.description);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const headers = {
      "content-type": "application/json",
      "access-control-allow-origin": request.headers.origin ?? "",
      "access-control-allow-headers": "*",
    };
    if (request.method === "OPTIONS") return void response.writeHead(204, headers).end();
    const asked = this.#taken(form);
    // Without an origin it is no page that asks: Entra redeems codes of the type spa for pages alone.
    if (asked === undefined || request.headers.origin === undefined) {
      const refused = { error: "invalid_grant", error_description: "AADSTS70008: the grant has ended" };
      return void response.writeHead(400, headers).end(JSON.stringify(refused));
    }
    this.granted.push(form.get("grant_type") ?? "");
    const refreshToken = randomUUID();
    this.#refreshTokens.set(refreshToken, asked);
    const now = Math.floor(Date.now() / 1_000);
    // Longer than a test moves its browser's clock: only `tokenSeconds` ends a token there.
    const times = { iat: now, nbf: now - 300, exp: now + 86_400 };
    const own = { ...times, azp: asked.clientId, ...this.claims };
    const answer = {
      token_type: "Bearer",
      expires_in: this.tokenSeconds,
      access_token: await this.sign(own),
      id_token: await this.sign({ ...own, nonce: asked.nonce, azp: undefined, scp: undefined }),
      refresh_token: refreshToken,
    };
    response.writeHead(200, headers).end(JSON.stringify(answer));
  }

  /** What a code or a refresh token stands for. Each works once. */
  #taken(form: URLSearchParams): Asked | undefined {
    const known = form.get("grant_type") === "refresh_token" ? this.#refreshTokens : this.#codes;
    const given = form.get(known === this.#codes ? "code" : "refresh_token") ?? "";
    const asked = known.get(given);
    known.delete(given);
    if (asked === undefined || form.get("client_id") !== asked.clientId) return undefined;
    if (known === this.#refreshTokens) return this.renews ? asked : undefined;
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return challenge === asked.challenge && form.get("redirect_uri") === asked.redirectUri
      ? asked
      : undefined;
  }
}
