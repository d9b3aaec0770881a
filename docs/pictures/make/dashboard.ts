/**
 * Takes the pictures of the dashboard from a running service: `npm run pictures:dashboard -- URL CLUSTER [--job NAME]`.
 * `node test/bench/questions.ts --serve` (after `npm run build`) starts one whose cluster has the troubles of a usual week. Nothing is
 * changed there: of an act, its dry run alone is asked for.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { type Look, openBrowser, openPage } from "../../../test/support/browser.ts";
import { folder } from "./pictures.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    job: { type: "string", default: "60000" },
  },
});
const [url, cluster] = positionals;
if (url === undefined || cluster === undefined)
  throw new Error("Cannot take pictures: expected URL CLUSTER, as in http://127.0.0.1:7071 field");

/** Of WebP, in percent: letters stay sharp, and a picture has under 150,000 bytes. */
const quality = 75;
const mostBytes = 150_000;

interface Shot {
  readonly name: string;
  readonly place: string;
  /** Width and height in pixels. */
  readonly size: readonly [width: number, height: number];
  readonly colorScheme?: Look["colorScheme"];
  /** What is pressed and typed before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

const shots: readonly Shot[] = [
  { name: "overview", size: [1440, 1460], place: "overview" },
  { name: "overview-dark", size: [1440, 1460], place: "overview", colorScheme: "dark" },
  { name: "nodes", size: [1280, 860], place: "nodes?where=array:spot&sort=idle", act: dryRun },
  { name: "map", size: [1280, 900], place: "nodes?show=map" },
  { name: "job", size: [1280, 1240], place: `jobs/${values.job}`, act: whatIf },
  { name: "money", size: [1280, 620], place: "money" },
  { name: "plans", size: [1280, 860], place: "plans", act: twoPlans },
];

/** Chooses the first nodes and shows what draining them would do. */
async function dryRun(page: Page): Promise<void> {
  for (const index of [0, 1, 2])
    await page
      .getByLabel(/^Choose spot-/)
      .nth(index)
      .check();
  await page.getByRole("button", { name: "Drain", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("new image");
  await dialog.getByLabel("Your name").fill("ann");
  await dialog.getByRole("button", { name: "Show what would be done" }).click();
  await dialog.locator(".answer").waitFor();
}

/** Raises all limits that keep the job waiting. */
async function whatIf(page: Page): Promise<void> {
  const form = page.locator(".beside form");
  const limits = form.locator('input[name="limit"]');
  // The plans that find them take the service longer than the page.
  await limits.first().waitFor();
  for (const limit of await limits.all()) await limit.check();
  await form.getByRole("button", { name: "Plan with that" }).click();
  await page.getByText("Planning…").waitFor({ state: "detached" });
  await page.getByLabel("What differs").waitFor();
  await page.mouse.move(0, 0);
}

/** Compares the newest plan with one some plans before it. */
async function twoPlans(page: Page): Promise<void> {
  const plans = page.getByLabel("Compare");
  await plans.nth(0).check();
  await plans.nth(3).check();
  await page.getByRole("link", { name: "Compare the two" }).click();
  await page.getByText("Loading…").waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
}

const browser = await openBrowser();
try {
  for (const shot of shots) await take(shot);
} finally {
  await browser.close();
}

async function take({ name, size: [width, height], place, colorScheme = "light", act }: Shot): Promise<void> {
  const { page } = await openPage(browser, { width, colorScheme });
  await page.setViewportSize({ width, height });
  await page.goto(`${url}/api/dashboard#/clusters/${cluster}/${place}`);
  await page.waitForSelector("h1");
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
  await act?.(page);
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality });
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > mostBytes)
    throw new Error(`Picture "${name}" is too large: ${bytes.length} bytes, expected at most ${mostBytes}`);
  await writeFile(join(folder, `dashboard-${name}.webp`), bytes);
  process.stdout.write(`dashboard-${name}.webp: ${bytes.length} bytes\n`);
  await page.close();
}
