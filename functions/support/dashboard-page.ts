import type { HttpResponseInit } from "@azure/functions";
import type { ApiLogin } from "./guard.ts";

/** What the page knows before anybody has signed in: how to. */
export type PageLogin =
  | { readonly by: "function-key" }
  | {
      readonly by: "entra";
      readonly authority: string;
      readonly tenantId: string;
      readonly clientId: string;
    };

export function pageLogin(login: ApiLogin): PageLogin {
  if (login.by === "function-key") return { by: "function-key" };
  const { authority, tenantId, clientId } = login.issuer;
  return { by: "entra", authority, tenantId, clientId };
}

/** Nothing from outside is in it, and no script or style but our own runs there. */
export function dashboardPage(page: {
  readonly script: string;
  readonly imported: readonly string[];
  readonly style: string;
  readonly login: PageLogin;
  /** Whether the address ends with a slash, from which relative ones go on. */
  readonly isFolder: boolean;
}): HttpResponseInit {
  const { script, imported, style, login, isFolder } = page;
  const folder = isFolder ? "" : "dashboard/";
  const body = [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    metaOf(login),
    "<title>CycleCloud autoscale</title>",
    '<link rel="icon" href="data:,">',
    `<link rel="stylesheet" href="${folder}${style}">`,
    ...imported.map((name) => `<link rel="modulepreload" href="${folder}${name}">`),
    `<script type="module" src="${folder}${script}"></script>`,
    '<div id="app"></div>',
    "<noscript>This page needs JavaScript. <code>ccscale status</code> shows the same in a terminal.</noscript>",
    "</html>",
    "",
  ].join("\n");
  return {
    status: 200,
    headers: {
      ...guardingHeaders(login),
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
    },
    body,
  };
}

export function guardingHeaders(login: PageLogin): Readonly<Record<string, string>> {
  const signsInAt = login.by === "entra" ? ` ${login.authority}` : "";
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${signsInAt}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    "Content-Security-Policy": policy,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
  };
}

/** Settings are checked to be ids and an origin: nothing in them has to be written otherwise. */
function metaOf(login: PageLogin): string {
  if (login.by === "function-key") return '<meta name="login" content="function-key">';
  const { authority, tenantId, clientId } = login;
  return `<meta name="login" content="entra" data-authority="${authority}" data-tenant-id="${tenantId}" data-client-id="${clientId}">`;
}
