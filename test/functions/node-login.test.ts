import { describe, expect, test } from "vitest";
import { isLogin } from "../../functions/support/node-login.ts";

const credentials = { username: "node", password: "pä:ss" };
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

describe("isLogin", () => {
  test.each([
    ["the name and the password", basic("node:pä:ss"), true],
    ["the scheme in any case, with more space", basic("node:pä:ss").replace("Basic", "bAsIc  "), true],
    ["another password", basic("node:pass"), false],
    ["another name", basic("Node:pä:ss"), false],
    ["a start of the password", basic("node:pä:s"), false],
    ["more than the password", basic("node:pä:ss "), false],
    ["no password", basic("node:"), false],
    ["nothing", "Basic ", false],
    ["no header", null, false],
    ["another scheme", basic("node:pä:ss").replace("Basic", "Bearer"), false],
    ["what is not base64", "Basic node:pä:ss", false],
    ["two logins", `${basic("node:pä:ss")}, ${basic("node:pä:ss")}`, false],
  ])("%s", (_, header, expected) => {
    expect(isLogin(header, credentials)).toBe(expected);
  });
});
