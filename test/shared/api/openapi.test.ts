import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
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
    const document = openApiDocument() as { components: Record<string, Record<string, unknown>> };
    const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^/]+)\/([^"]+)"/g);
    const missing = [...refs].filter(
      ([, kind = "", name = ""]) => !(name in (document.components[kind] ?? {})),
    );
    expect(missing).toEqual([]);
  });
});
