import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Recent } from "../../../shared/collections/recent.ts";

const names = ["a", "b", "c", "d", "e"];
const known = (recent: Recent<string>) => names.filter((name) => recent.get(name) !== undefined);

function filled(weights: Readonly<Record<string, number>>, most = 10): Recent<string> {
  const recent = new Recent<string>({ most });
  for (const [name, weight] of Object.entries(weights)) recent.set(name, `value of ${name}`, weight);
  return recent;
}

describe("what was used lately", () => {
  test("is kept up to the weight that is allowed; then what came first goes", () => {
    expect(known(filled({ a: 4, b: 6 }))).toEqual(["a", "b"]);
    expect(known(filled({ a: 4, b: 4, c: 4 }))).toEqual(["b", "c"]);
    expect(known(filled({ a: 1, b: 1, c: 10 }))).toEqual(["c"]);
  });

  test("what was used since stays longer than what was not", () => {
    const recent = filled({ a: 4, b: 4 });
    expect(recent.get("a")).toBe("value of a");
    recent.set("c", "value of c", 4);
    expect(known(recent)).toEqual(["a", "c"]);
  });

  test("the newest stays however much it weighs, until another comes", () => {
    const recent = filled({ a: 4, b: 99 });
    expect(known(recent)).toEqual(["b"]);
    recent.set("c", "value of c", 1);
    expect(known(recent)).toEqual(["c"]);
  });

  test("a value in place of another weighs in its place", () => {
    const recent = filled({ a: 9, b: 1 });
    recent.set("a", "new", 2);
    recent.set("c", "value of c", 7);
    expect(known(recent)).toEqual(["a", "b", "c"]);
    expect(recent.get("a")).toBe("new");
  });

  test("whatever is done, no more is kept than allowed, but for one", () => {
    const step = fc.record({
      name: fc.constantFrom(...names),
      weight: fc.nat(12),
      what: fc.constantFrom("set", "get", "delete"),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const recent = new Recent<number>({ most: 10 });
        for (const { name, weight, what } of steps) {
          if (what === "set") recent.set(name, weight, weight);
          else if (what === "get") recent.get(name);
          else recent.delete(name);
        }
        const weights = names.flatMap((name) => recent.get(name) ?? []);
        const sum = weights.reduce((total, weight) => total + weight, 0);
        expect(weights.length <= 1 || sum <= 10).toBe(true);
      }),
    );
  });
});
