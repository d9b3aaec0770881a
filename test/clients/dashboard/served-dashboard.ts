import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { bundleDashboard } from "../../../infra/package/dashboard.ts";
import { handlers } from "../../functions/api/handlers.ts";
import { type ApiServer, serveApi } from "../cli/api-server.ts";
import { type PageAccess, type PageServer, servePage } from "./page-server.ts";
import { usePages } from "./pages.ts";

/** The API in this process, on the world that is `served`. */
export let api: ApiServer;
/** The page, and faults between it and the API. */
export let server: PageServer;

let bundled: ReturnType<typeof bundleDashboard> | undefined;

/** Serves the page to the suite that calls this, and opens it anew for each test, after `prepare` made its world. */
export function useDashboard(
  prepare: () => Promise<void>,
  { access, ...pages }: Parameters<typeof usePages>[0] & { readonly access?: () => Promise<PageAccess> } = {},
): void {
  beforeAll(async () => {
    api = await serveApi(handlers);
    bundled ??= bundleDashboard();
    server = await servePage(await bundled, api, await access?.());
  }, 600_000);

  afterAll(async () => {
    await server?.stop();
    await api?.stop();
  });

  beforeEach(async () => {
    server.reset();
    await prepare();
  });

  // Registered last: its browser is the first to go.
  usePages(pages);
}

/** Waits until so many answers came after now. */
export async function polled(times: number): Promise<void> {
  const before = server.paths().length;
  await expect.poll(() => server.paths().length).toBeGreaterThan(before + times);
}
