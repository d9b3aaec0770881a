import type { HttpRequest, HttpResponseInit } from "@azure/functions";
import { problem } from "../shared/service/index.ts";
import { dashboardFiles } from "./support/dashboard-files.ts";
import { dashboardPage, guardingHeaders, pageLogin } from "./support/dashboard-page.ts";
import { refusedWith } from "./support/http-response.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** The page, without any data: what it shows, it asks for with what the viewer signs in with. */
export async function dashboard(request: HttpRequest, folder?: string): Promise<HttpResponseInit> {
  const files = await dashboardFiles(folder);
  if (files === undefined) return notBuilt;
  const isFolder = new URL(request.url).pathname.endsWith("/");
  return dashboardPage({ ...files, login: pageLogin(service.apiLogin), isFolder });
}

/** A script or style sheet of the page. Its name holds a digest of it, so it never changes. */
export async function dashboardFile(request: HttpRequest, folder?: string): Promise<HttpResponseInit> {
  const file = (await dashboardFiles(folder))?.files.get(request.params.file ?? "");
  if (file === undefined)
    return refusedWith(
      problem("not-found", 404, { title: "There is no such file", detail: "Load the page again" }).problem,
    );
  const isZipped = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return {
    status: 200,
    headers: {
      ...guardingHeaders(pageLogin(service.apiLogin)),
      "Content-Type": file.type,
      "Cache-Control": "public, max-age=31536000, immutable",
      Vary: "Accept-Encoding",
      ...(isZipped ? { "Content-Encoding": "gzip" } : {}),
    },
    body: isZipped ? file.zipped : file.content,
  };
}

const notBuilt = refusedWith(
  problem("not-found", 404, {
    title: "This app was built without the dashboard",
    detail: "Run npm run build, or deploy a package that npm run package made",
  }).problem,
);

serve({ id: "dashboard", method: "GET", path: "dashboard", role: "anybody" }, (request) =>
  dashboard(request),
);
serve({ id: "dashboard-file", method: "GET", path: "dashboard/{file}", role: "anybody" }, (request) =>
  dashboardFile(request),
);
