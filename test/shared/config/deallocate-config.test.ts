import { expect, test } from "vitest";
import { inForce, parseConfig } from "../../../shared/config/index.ts";

const base = { url: "https://cyclecloud.example", username: "autoscale", verify_certificates: true };

function parsed(nodearrays: object, keys: object = {}) {
  return parseConfig({ cluster: "hpc", json: { ...base, nodearrays, ...keys } });
}

test("deallocate: what is left out has its default, and a price that is not given is not known", () => {
  const result = parsed({
    default: { deallocate: { most: 2 } },
    htc: { deallocate: { most: 20, max_age: "1d", disk_usd_per_hour: 0 } },
  });
  expect(result.ok && result.config.engine.deallocate).toEqual({
    default: { most: 2, maxAgeSeconds: 604_800, diskUsdPerHour: null },
    byNodeArray: { htc: { most: 20, maxAgeSeconds: 86_400, diskUsdPerHour: 0 } },
  });
});

test("deallocate: nothing is set where no array has it", () => {
  const result = parsed({ htc: { keep_alive: false } });
  expect(result.ok && "deallocate" in result.config.engine).toBe(false);
});

test.each([
  [{ default: { deallocate: { most: 2 } }, htc: { node_attributes: { Interruptible: true } } }, "htc"],
  [{ default: { node_attributes: { Interruptible: true } }, htc: { deallocate: { most: 2 } } }, "htc"],
  [{ default: { node_attributes: { Interruptible: true }, deallocate: { most: 2 } }, htc: {} }, "default"],
])("deallocate: what arrays have from the default counts: %j is refused", (nodearrays, name) => {
  const result = parsed(nodearrays);
  expect(result).toEqual({
    ok: false,
    problems: [
      expect.stringContaining(`nodearrays.${name}.deallocate: not with node_attributes.Interruptible`),
    ],
  });
});

test("deallocate: an array that keeps none may have any attributes", () => {
  const htc = { deallocate: { most: 0 }, node_attributes: { Interruptible: true } };
  expect(parsed({ default: { deallocate: { most: 2 } }, htc }).ok).toBe(true);
});

test("deallocate: a schedule without it switches it off while its window is open", () => {
  const schedules = { always: { settings: { nodearrays: { htc: { keep_alive: false } } } } };
  const result = parsed({ htc: { deallocate: { most: 2 } } }, { schedules });
  if (!result.ok) throw new Error(result.problems.join());
  expect(result.config.engine.deallocate).toBeDefined();
  expect(inForce(result.config, 1_800_000_000).engine.deallocate).toBeUndefined();
});

test.each([
  [{ deallocate: {} }, {}, "nodearrays.htc.deallocate.most: missing, expected a whole number, 0 or more"],
  [
    { deallocate: { most: 2, least: 1 } },
    {},
    "nodearrays.htc.deallocate: unknown keys least, expected most, max_age, disk_usd_per_hour",
  ],
  [
    { deallocate: { most: 2, max_age: 0 } },
    {},
    "nodearrays.htc.deallocate.max_age: 0, expected a number of seconds above 0",
  ],
  [
    { deallocate: { most: 2, disk_usd_per_hour: -1 } },
    {},
    "expected US dollars an hour for the disks of one node",
  ],
  [
    { deallocate: { most: 2 }, node_attributes: { Interruptible: true } },
    {},
    "nodearrays.htc.deallocate: not with node_attributes.Interruptible, Spot nodes are evicted and deleted",
  ],
  [
    { deallocate: { most: 2 }, node_attributes: { EphemeralOSDisk: true } },
    {},
    "nodearrays.htc.deallocate: not with node_attributes.EphemeralOSDisk, an ephemeral OS disk is lost with the VM",
  ],
  [
    { deallocate: { most: 2 } },
    { spot: { pairs: [{ spot: "htc", regular: "other" }] } },
    "nodearrays.htc.deallocate: not with spot.pairs, Spot nodes are evicted and deleted",
  ],
])("deallocate: %j with %j is refused", (htc, keys, wanted) => {
  const result = parsed({ htc }, keys);
  if (result.ok) throw new Error("It was accepted");
  expect(result.problems).toHaveLength(1);
  expect(result.problems[0]).toContain(wanted);
});
