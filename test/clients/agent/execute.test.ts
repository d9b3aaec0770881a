import { describe, expect, test } from "vitest";
import { execute } from "../../../clients/agent/execute.ts";

/** Only one test sees it end: starting a program takes long on a busy machine. */
const patienceSeconds = 240;

const node = process.execPath;
const script = (code: string) => ({ program: node, args: ["-e", code] });

describe("a command", () => {
  test("gives what it printed", async () => {
    expect(await execute(script("console.log('jobs')"), patienceSeconds)).toMatchObject({
      text: "jobs\n",
      exitCode: 0,
    });
  });

  test("gives what it prints part by part to who wants that", async () => {
    const taken: string[] = [];
    const sink = {
      begin: () => taken.push("begin"),
      take: (part: Uint8Array) => taken.push(Buffer.from(part).toString()),
    };
    const answer = await execute({ ...script("console.log('jobs')"), sink }, patienceSeconds);
    expect([answer, taken.join(" ")]).toEqual([{ text: "", exitCode: 0 }, "begin jobs\n"]);
  });

  test("gets each argument as it is: there is no shell", async () => {
    const args = ["$(reboot)", "a b", "; exit 3", "*", "'\"\\", "--", "-x"];
    const print = "console.log(JSON.stringify(process.argv.slice(1)))";
    const { text } = await execute({ program: node, args: ["-e", print, "--", ...args] }, patienceSeconds);
    expect(JSON.parse(text)).toEqual(args);
  });

  test("may end with the codes that are no failure, and with no other", async () => {
    const ends = { ...script("process.exitCode = 69"), exitCodes: [69] };
    expect(await execute(ends, patienceSeconds)).toMatchObject({ text: "", exitCode: 69 });
    await expect(execute({ ...ends, exitCodes: [7] }, patienceSeconds)).rejects.toThrow(/ended with 69/);
  });

  test("is told with its last words when it fails", async () => {
    const fails = script("console.error('no such partition'); process.exitCode = 1");
    await expect(execute(fails, patienceSeconds)).rejects.toThrow(/ended with 1: no such partition$/);
  });

  test("is told with whole lines of its last words", async () => {
    const fails = script("console.error('a'.repeat(900) + '\\n' + 'b'.repeat(900)); process.exitCode = 1");
    await expect(execute(fails, patienceSeconds)).rejects.toThrow(/ended with 1: b{900}$/);
  });

  test("is killed when it takes too long", async () => {
    await expect(execute(script("setTimeout(() => {}, 60000)"), 0.5)).rejects.toThrow(/no end within 0.5s/);
  });

  test("that does not exist is said so", async () => {
    await expect(execute({ program: "no-such-scheduler", args: [] }, patienceSeconds)).rejects.toThrow(
      /ended with ENOENT/,
    );
  });
});
