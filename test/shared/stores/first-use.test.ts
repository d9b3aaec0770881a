import { RestError } from "@azure/core-rest-pipeline";
import { describe, expect, test } from "vitest";
import { FirstUse } from "../../../shared/stores/azure/first-use.ts";

const missing = (code: string) => new RestError("not there", { code, statusCode: 404 });
/** As the SDK of tables has it: the code is in the message alone. */
const missingTable = new RestError('{"odata.error":{"code":"TableNotFound"}}', { statusCode: 404 });

/** Something that is there once it was made, unless it may not be made. */
function thing(options: { readonly isThere: boolean; readonly error?: Error; readonly refusal?: Error }) {
  const { error = missing("ContainerNotFound"), refusal } = options;
  let { isThere } = options;
  let made = 0;
  const home = new FirstUse(async () => {
    if (refusal !== undefined) throw refusal;
    made += 1;
    isThere = true;
  });
  const read = () =>
    home.use(async () => {
      if (!isThere) throw error;
      return "content";
    });
  return { read, made: () => made };
}

describe("a container or table", () => {
  test("that is there is used without the right to make it", async () => {
    const { read } = thing({ isThere: true, refusal: new RestError("may not", { statusCode: 403 }) });
    expect(await read()).toBe("content");
  });

  test.each([missing("ContainerNotFound"), missing("TableNotFound"), missingTable])(
    "that is missing is made once, however many calls wait for it",
    async (error) => {
      const { read, made } = thing({ isThere: false, error });
      expect(await Promise.all([read(), read(), read()])).toEqual(["content", "content", "content"]);
      expect(made()).toBe(1);
    },
  );

  test("that cannot be made says so, and is tried again by the next call", async () => {
    const { read } = thing({ isThere: false, refusal: new RestError("may not", { statusCode: 403 }) });
    await expect(read()).rejects.toThrow("may not");
    await expect(read()).rejects.toThrow("may not");
  });

  test("is not made because something in it is missing", async () => {
    const { read, made } = thing({ isThere: false, error: missing("BlobNotFound") });
    await expect(read()).rejects.toThrow("not there");
    expect(made()).toBe(0);
  });
});
