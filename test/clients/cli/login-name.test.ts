import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { loginName } from "../../../clients/cli/login-name.ts";

test("who asks is the user whom the process runs as", () => {
  expect(loginName()).toBe(userInfo().username);
});

test("a user number without a name is no failure", () => {
  const read = () => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT");
  };
  expect(loginName(read)).toBe("ccscale");
});
