import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { routes } from "../../../shared/api/index.ts";
import { openApiDocument } from "../../../shared/api/openapi.ts";

const root = join(import.meta.dirname, "../../..");

describe("the OpenAPI document", () => {
  test("the committed one is what the schemas say (`npm run openapi` renews it)", async () => {
    const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(root, "shared/api/openapi.json"));
  });

  test("is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(openApiDocument()))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("every reference leads somewhere", () => {
    const document = openApiDocument() as { components: { schemas: Record<string, unknown> } };
    const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const missing = [...refs]
      .map(([, name = ""]) => name)
      .filter((name) => !(name in document.components.schemas));
    expect(missing).toEqual([]);
  });
});

describe("the functions", () => {
  const files = globSync("functions/http-*.ts", { cwd: root });
  const textOf = (file: string) => readFileSync(join(root, file), "utf8");

  test("serve the routes, and no others", () => {
    const routesIn = (text: string) =>
      [...text.matchAll(/route: [`"]([^`"]+)[`"]/g)].map(([, route = ""]) =>
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the source's own words.
        route.replace("${ofCluster}", "clusters/{cluster}"),
      );
    const served = new Set(files.flatMap((file) => routesIn(textOf(file))));
    const known = new Set<string>(["openapi.json", ...routes.map(({ path }) => path)]);
    expect([...served].sort()).toEqual([...known].sort());
  });

  test("ask for a key, but for the one that nodes log in to", () => {
    expect(files.filter((file) => textOf(file).includes("anonymous"))).toEqual([
      "functions/http-autostop.ts",
    ]);
  });
});
