import { expect, test } from "vitest";
import { shared } from "./shared.ts";

test("all share one, those who ask at once after the loss of one too; a failure is nobody else's", async () => {
  let opened = 0;
  let lose = () => {};
  const get = shared(async (forget) => {
    lose = forget;
    opened += 1;
    if (opened === 1) throw new Error("busy");
    return opened;
  });
  await expect(get()).rejects.toThrow("busy");
  expect(await Promise.all([get(), get()])).toEqual([2, 2]);
  lose();
  expect(await Promise.all([get(), get()])).toEqual([3, 3]);
});
