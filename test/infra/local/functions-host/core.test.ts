import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { AppRegistry, Disposable, installCore } from "../../../../infra/local/functions-host/core.ts";

const require = createRequire(import.meta.url);
const metadata = (name: string) => ({ name, bindings: {} });
const callback = () => undefined;

describe("core", () => {
  test("is what @azure/functions-core yields, once per process", () => {
    const core = installCore();
    expect(installCore()).toBe(core);
    const module = require("@azure/functions-core");
    const registry = core.startApp(() => undefined);
    module.registerFunction(metadata("f"), callback);
    expect([...registry.functions.keys()]).toEqual(["f"]);
  });

  test("a second function of the same name is refused", () => {
    const registry = new AppRegistry();
    registry.registerFunction(metadata("f"), callback);
    expect(() => registry.registerFunction(metadata("f"), callback)).toThrow('"f"');
  });

  test("a function that was disposed of is gone", () => {
    const registry = new AppRegistry();
    registry.registerFunction(metadata("f"), callback).dispose();
    expect(registry.functions.size).toBe(0);
  });

  test("a started app takes no more functions", () => {
    const registry = new AppRegistry();
    registry.lock();
    expect(() => registry.registerFunction(metadata("f"), callback)).toThrow("has started");
  });

  test("hooks run in the order of registration until they are disposed of", async () => {
    const registry = new AppRegistry();
    const seen: string[] = [];
    registry.registerHook("appStart", () => void seen.push("first"));
    const second = registry.registerHook("appStart", async () => void seen.push("second"));
    await registry.runHooks("appStart", {});
    second.dispose();
    await registry.runHooks("appStart", {});
    expect(seen).toEqual(["first", "second", "first"]);
  });

  test("the log names a hook that is never run", () => {
    const said: string[] = [];
    installCore().startApp((...words) => said.push(words.join(" ")));
    require("@azure/functions-core").registerHook("preInvocation", callback);
    expect(said).toEqual([
      'warning system hook "preInvocation" is never run, expected appStart or appTerminate',
    ]);
  });

  test("a disposable runs once", () => {
    let count = 0;
    const disposable = Disposable.from(new Disposable(() => (count += 1)));
    disposable.dispose();
    disposable.dispose();
    expect(count).toBe(1);
  });
});
