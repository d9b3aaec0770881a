import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slimCharts } from "../../../infra/package/dashboard.ts";
import { type Browser, noBrowser, openBrowser, openPage } from "../../support/browser.ts";

/** Draws as `parts/chart.tsx` does, with other data and in another size at the end. Gives both pictures. */
const drawing = `
  import uPlot from "uplot";
  import { timeMark, timeSteps, timesBetween } from "../../../clients/dashboard/parts/time-axis.ts";
  globalThis.draw = async ({ hours, isStacked, width }) => {
    const until = 1_800_000_000, from = until - hours * 3_600, count = 60;
    const times = Array.from({ length: count }, (_, at) => from + ((until - from) / count) * at);
    const curve = (turn) => times.map((_, at) => (at % 17 === 5 ? null : Math.round(50 + 40 * Math.sin(at / turn))));
    const axis = { stroke: "#333", grid: { stroke: "#ddd", width: 1 }, ticks: { stroke: "#ddd" } };
    const series = ["#2f6fb5", "#c98a1b"].map((stroke) => ({
      stroke, width: isStacked ? 1 : 2, points: { show: false }, ...(isStacked ? { fill: stroke } : {}),
    }));
    const plot = new uPlot({
      width, height: 240, padding: [8, 16, 0, 0], legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false, range: () => [from, until] }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] } },
      axes: [{
        ...axis, space: 80, incrs: [...timeSteps], splits: (_, __, from, until, step) => timesBetween(from, until, step),
        values: (_, ticks, __, ___, step) => ticks.map((at) => timeMark(at, step)),
      }, { ...axis, size: 64, incrs: [1, 2, 5, 10, 20, 50, 100], values: (_, ticks) => ticks.map(String) }],
      series: [{}, ...series],
    }, [times, curve(3), curve(7)], document.body);
    const picture = async () => {
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return plot.ctx.canvas.toDataURL();
    };
    const first = await picture();
    plot.setData([times, curve(5), curve(2)]);
    plot.setSize({ width: width - 40, height: 180 });
    const second = await picture();
    plot.destroy();
    return [first, second];
  };`;

async function scriptWith(plugins: Plugin[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: drawing, resolveDir: import.meta.dirname },
    bundle: true,
    format: "iife",
    minify: true,
    write: false,
    plugins,
  });
  return outputFiles[0]?.text ?? "";
}

let browser: Browser;

describe.skipIf(noBrowser !== undefined)("curves", () => {
  beforeAll(async () => {
    browser = await openBrowser();
  }, 600_000);

  afterAll(() => browser?.close());

  test.each([
    { hours: 1, isStacked: true, width: 1_200 },
    { hours: 24, isStacked: false, width: 700 },
    { hours: 720, isStacked: true, width: 360 },
  ])("what the bundle leaves out of uPlot is not missed: $hours hours, $width pixels", async (chart) => {
    const pictures: unknown[] = [];
    for (const plugins of [[], [slimCharts]]) {
      const { page, problems } = await openPage(browser, { width: 1_440, colorScheme: "light" });
      await page.evaluate(await scriptWith(plugins));
      pictures.push(await page.evaluate(`draw(${JSON.stringify(chart)})`));
      expect(problems).toEqual([]);
      await page.close();
    }
    const [whole, slim] = pictures as [readonly string[], readonly string[]];
    expect(slim).toEqual(whole);
    // Something is drawn, and the second picture is another.
    expect(whole[0]?.length).toBeGreaterThan(5_000);
    expect(whole[0]).not.toBe(whole[1]);
  });

  test("another version of uPlot, with other words, is refused", async () => {
    const folder = await mkdtemp(join(tmpdir(), "uplot-"));
    const file = join(folder, "uPlot.esm.js");
    await writeFile(file, "export default class {}");
    const built = build({
      entryPoints: [file],
      bundle: true,
      write: false,
      logLevel: "silent",
      plugins: [slimCharts],
    });
    await expect(built).rejects.toThrow(/Cannot slim ".*uPlot\.esm\.js": it has no /);
    await rm(folder, { recursive: true });
  });
});
