import type { HttpRequest } from "@azure/functions";
import type { Route } from "../../shared/api/index.ts";
import { problem, type Refused } from "../../shared/service/index.ts";

/** A page of another site cannot send these without asking first (a CORS preflight), which this app never grants. */
const ownHeaders = ["x-functions-key", "authorization", "api-version", "idempotency-key"];

/**
 * Refuses a call that changes something and that any web page could have its reader's browser send: as a form or as text, with
 * the logins that a browser adds by itself. Undefined: it could not.
 */
export function refusedForgery(
  request: HttpRequest,
  { method, role }: Pick<Route, "method" | "role">,
): Refused | undefined {
  if (role === "reader") return undefined;
  const { headers } = request;
  const isOtherSite = /^(?:cross-site|same-site)$/.test(headers.get("sec-fetch-site") ?? "");
  if (method === "GET")
    return isOtherSite
      ? problem("forbidden", 403, {
          title: "A web page of another site made this call, which may delete a node",
          detail: "Make it from the node itself, or from a program",
        })
      : undefined;
  if (isJson(headers.get("content-type"))) return undefined;
  if (!isOtherSite && ownHeaders.some((name) => headers.has(name))) return undefined;
  const given = headers.get("content-type");
  return problem("unsupported-media-type", 415, {
    title: `Cannot take a call that changes something ${given === null ? "without Content-Type" : `as ${given.slice(0, 100)}`}`,
    detail: "Send the header Content-Type: application/json. Any web page can send other types in your name",
  });
}

function isJson(contentType: string | null): boolean {
  return /^application\/(?:[\w.-]+\+)?json$/i.test((contentType ?? "").split(";")[0]?.trim() ?? "");
}
