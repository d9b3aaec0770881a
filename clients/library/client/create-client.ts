import createFetchClient, { type Client } from "openapi-fetch";
import { isHttpToLoopback } from "../../../shared/machine/loopback.ts";
import { withoutSlashesAtEnd } from "../../../shared/text/text.ts";
import type { ApiPaths } from "./api-paths.ts";

/** The version of the API that this client was made for; the service refuses a call of another one. */
const apiVersion = "1";

export interface ClientOptions {
  /** Address of the function app, with or without `/api`. */
  readonly url: string;
  /** Its key. */
  readonly key?: string;
  /** A token of Microsoft Entra ID for the app, where it asks for one. Called for each call; keep the token while it is good. */
  readonly token?: () => Promise<string>;
  /** In place of the global `fetch`, such as one that tries again. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** `GET`, `POST` and `PUT` take a path of the API and return `{ data }`, or `{ error }` with the problem. */
export type ApiClient = Client<ApiPaths>;

/**
 * A client of the HTTP API. Throws a TypeError for an address that would give the key away: http to another machine.
 */
export function createClient({ url, key, token, fetch }: ClientOptions): ApiClient {
  const client = createFetchClient<ApiPaths>({
    baseUrl: baseOf(url),
    headers: {
      Accept: "application/json",
      "api-version": apiVersion,
      ...(key !== undefined && { "x-functions-key": key }),
    },
    ...(fetch !== undefined && { fetch }),
  });
  if (token !== undefined)
    client.use({
      onRequest: async ({ request }) => {
        request.headers.set("Authorization", `Bearer ${await token()}`);
        return request;
      },
    });
  return client;
}

function baseOf(text: string): string {
  const url = URL.parse(text);
  if (url === null)
    throw new TypeError(
      `Cannot use url "${text}", expected an address such as "https://my-app.azurewebsites.net"`,
    );
  // Not quoted, because it holds a secret.
  if (url.username !== "" || url.password !== "" || url.search !== "")
    throw new TypeError(
      "Cannot use url: it holds a login or a query, expected the address alone; the key goes into key",
    );
  if (url.protocol !== "https:" && !isHttpToLoopback(url))
    throw new TypeError(`Cannot use url "${text}", expected https (http is for this machine only)`);
  return `${url.origin}${withoutSlashesAtEnd(url.pathname).replace(/\/api$/, "")}/api`;
}
