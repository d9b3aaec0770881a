import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The local stand-in of Azure's token service. */
export interface ManagedIdentity {
  /** The settings by which the SDKs find it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Client ids that asked for a token. */
  readonly asked: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Gives anybody what `tokenFor` makes for a resource; left out, an unsigned token, as the emulators do not look at it. */
export async function startManagedIdentity(
  tokenFor: (resource: string, expiresAt: number) => string | Promise<string> = unsignedToken,
): Promise<ManagedIdentity> {
  const asked = new Set<string>();
  const server = createServer(async (request, response) => {
    const query = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
    asked.add(query.get("client_id") ?? "none");
    const resource = query.get("resource") ?? "";
    const expiresAt = Math.floor(Date.now() / 1000) + 3600;
    const token = await tokenFor(resource, expiresAt);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ access_token: token, expires_on: `${expiresAt}`, resource, token_type: "Bearer" }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: { IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/token`, IDENTITY_HEADER: "local" },
    asked,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function unsignedToken(resource: string, expiresAt: number): string {
  const claims = {
    iss: "https://sts.windows.net/00000000-0000-0000-0000-000000000000/",
    aud: resource.replace(/\/$/, ""),
    nbf: expiresAt - 7200,
    iat: expiresAt - 7200,
    exp: expiresAt,
  };
  const parts = [{ alg: "none", typ: "JWT" }, claims, {}];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
}
