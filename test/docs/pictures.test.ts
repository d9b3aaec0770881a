import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { drawBoxes } from "../../docs/pictures/make/boxes.ts";
import { folder, pictureFile, pictureOf, sources } from "../../docs/pictures/make/pictures.ts";

const root = join(import.meta.dirname, "../..");
const pages = ["README.md", ...globSync("docs/*.md", { cwd: root })].map((file) =>
  readFileSync(join(root, file), "utf8"),
);

describe("docs/pictures", () => {
  test("every picture has a source", () => {
    const pictures = globSync("*.svg", { cwd: folder }).toSorted();
    expect(pictures).toEqual(sources().map((source) => basename(pictureFile(source))));
    expect(pictures.length).toBeGreaterThan(5);
  });

  test.each(sources())("the picture of %s is what the source gives", async (source) => {
    // After a change of the source: npm run pictures
    expect(readFileSync(pictureFile(source), "utf8")).toBe(await pictureOf(source));
  });

  test.each(sources())("a page shows the picture of %s, with words for those who do not see it", (source) => {
    const name = basename(pictureFile(source)).replace(".", "\\.");
    expect(pages.some((page) => new RegExp(`!\\[[^\\]]{10,}\\]\\([^)]*pictures/${name}\\)`).test(page))).toBe(
      true,
    );
  });

  test("a source that cannot be drawn is refused with the line", () => {
    expect(() => drawBoxes("circle a 1 2 3")).toThrow('"circle a 1 2 3"');
    expect(() => drawBoxes("box a round 1 2 3 4")).toThrow("expected a name, one of step");
    expect(() => drawBoxes("box a step 1 2 3 4\narrow a.right b.left")).toThrow('"b.left"');
  });
});
