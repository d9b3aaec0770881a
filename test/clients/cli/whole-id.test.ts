import { expect, test, vi } from "vitest";
import { NotFound } from "../../../clients/cli/exit-code.ts";
import { withWholeId } from "../../../clients/cli/whole-id.ts";

const ids = ["20261122T100000-aa", "20261122T100100-bb", "20261122T110000-cc"];
const ask = async (id: string) => {
  if (ids.includes(id)) return id;
  throw new NotFound(`No plan "${id}"`, "See the list.");
};

test.each([
  ["20261122T11", ids[2]],
  ["20261122T1001", ids[1]],
])("%s is the one id that begins so", async (asked, whole) => {
  expect(await withWholeId(asked, ask, async () => ids)).toBe(whole);
});

test("a whole id lists nothing", async () => {
  const list = vi.fn(async () => ids);
  expect(await withWholeId(ids[0] ?? "", ask, list)).toBe(ids[0]);
  expect(list).not.toHaveBeenCalled();
});

test("several that begin so are named, none is not found, and other failures stay", async () => {
  await expect(withWholeId("20261122T10", ask, async () => ids)).rejects.toThrow(
    '2 ids begin with "20261122T10": 20261122T100000-aa, 20261122T100100-bb',
  );
  await expect(withWholeId("2027", ask, async () => ids)).rejects.toBeInstanceOf(NotFound);
  const down = () => Promise.reject(new Error("down"));
  await expect(withWholeId("2026", down, async () => ids)).rejects.toThrow("down");
});
