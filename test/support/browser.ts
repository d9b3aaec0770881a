import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { shared } from "./shared.ts";

/** Where Debian, Ubuntu and Google put it. Nothing is downloaded. The shell is the same browser without its own windows: half the work. */
const places = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const chromiumPath = places.find((path) => existsSync(path));

/** Why tests in a browser are skipped; undefined: they run. */
export const noBrowser: string | undefined =
  chromiumPath === undefined ? `no Chromium (${places.join(", ")}): apt-get install chromium` : undefined;

export interface Look {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

/** Three widths: a large screen, a small one, and a telephone in the dark, because how a page is laid out does not depend on its colours. */
export const looks: readonly Look[] = [
  { width: 1440, colorScheme: "light" },
  { width: 1024, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
];

/** A profile of its own, of the one browser of this process, which ends with it. */
export interface Browser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<Browser> {
  const context = await (await launched()).newContext();
  context.setDefaultTimeout(240_000);
  return { context, close: () => context.close() };
}

const launched = shared(async (forget) => {
  if (chromiumPath === undefined) throw new Error(noBrowser);
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    headless: true,
    timeout: 300_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--in-process-gpu",
      "--disable-software-rasterizer",
    ],
  });
  browser.once("disconnected", forget);
  return browser;
});

/** A page of a given size and colour scheme, and what it reports: errors of its own, and requests that fail or leave this machine. */
export async function openPage(
  { context }: Browser,
  look: Look,
): Promise<{ page: Page; problems: string[] }> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => {
    // What a view asked for before it was left is nobody's any more.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") problems.push(`failed: ${request.url()}`);
  });
  await page.setViewportSize({ width: look.width, height: 900 });
  await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: "reduce" });
  return { page, problems };
}

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What breaks the rules of WCAG 2.2 A and AA, or axe's best practices: the rule, and the first element. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // Not as a script of the page, which its policy may forbid; once for each page.
  if (!(await page.evaluate<boolean>("'axe' in globalThis")))
    await page.evaluate(await readFile(axe, "utf8"));
  const { violations } = await page.evaluate<AxeResults>(
    // Runs in the page, where that has put it.
    () => (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(),
  );
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html ?? ""}`);
}

/** Parts of the page are wider than the screen, so that it scrolls sideways as a whole. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document.documentElement;
    return scrollWidth > clientWidth;
  });
}
