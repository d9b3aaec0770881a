import { describe, expect, test } from "vitest";
import type { autostopSchema, configSchema, nodeArraySchema } from "../../../shared/config/config-schema.ts";
import { parseConfig } from "../../../shared/config/parse-config.ts";

/** For each key, a valid value other than its default. A new key has to be added here to compile. */
type Values<Schema extends { readonly shape: object }, Parent extends string = never> = {
  readonly [Key in Exclude<keyof Schema["shape"], Parent>]: unknown;
};

const values: Values<typeof configSchema, "cluster_name" | "nodearrays" | "autostop"> = {
  url: "https://other.example",
  username: "other",
  // Never read: the warning says so.
  password: "secret",
  password_setting: "CYCLECLOUD_PASSWORD_OTHER",
  verify_certificates: false,
  certificate_authority: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  certificate_fingerprint: "ab".repeat(32),
  idle_timeout: 7,
  // Of no use without "auto", and a warning says so.
  idle_timeout_least: "2m",
  idle_timeout_most: "2h",
  boot_timeout: 7,
  default_resources: [{ select: {}, name: "slots", value: 7 }],
  disable_default_resources: true,
  failed_nodes: "keep",
  failed_nodes_kept: 7,
  failed_nodes_kept_for: 7,
  compatibility: "scalelib",
  placement: "cost",
  exclusive_scope: "job",
  ignored_nodes: ["head"],
  shared_pools: [{ name: "licences", initial: 7 }],
  max_distinct_resources: 7,
  max_constraint_parts: 7,
  max_constraint_depth: 7,
  max_scheduler_hosts: 7,
  max_plan_checks: 7,
  min_priority: 7,
  long_wait: 7,
  snapshot_interval: 7,
  max_snapshot_age: 7,
  demand_ttl: 7,
  action_ttl: 7,
  operation_timeout: 7,
  node_list_lag: 7,
  drain_timeout: 7,
  capacity_failure_backoff: 7,
  failed_node_retries: 7,
  boot_failures_before_backoff: 7,
  boot_failure_backoff: 7,
  unhealthy_nodes: "replace",
  unhealthy_reasons: ["checked:*"],
  unhealthy_nodes_at_once: 7,
  unhealthy_nodes_per_day: 7,
  target_attributes: ["ImageId"],
  max_sources: 7,
  predict_run_times: false,
  shares: { guaranteed: 0.2 },
  spot: { pairs: [{ spot: "cheap", regular: "htc" }] },
  read_only: true,
  max_nodes_per_plan: 7,
  max_cores: 7,
  max_cores_per_user: 7,
  max_cores_per_account: 7,
  max_cores_per_queue: 7,
  monthly_budget_usd: 7,
  vm_sizes: { Standard_F4s_v2: { vcpus: 7 } },
  proxied_locations: { private: "westeurope" },
  "proxied-locations": { private: "westeurope" },
  price_rules: [{ discount_percent: 7 }],
  notifications: [{ url_setting: "OPS_WEBHOOK", format: "json" }],
  budgets: [{ account: "geo", monthly_usd: 7 }],
  pseudonyms: { key_setting: "PSEUDONYM_KEY" },
  schedules: { office: { start: "0 8 * * *", duration: 7, targets: [{ Name: "htc", TargetCount: 7 }] } },
};

const ofNodeArrays: Values<typeof nodeArraySchema> = {
  placement_groups: ["pg0"],
  generated_placement_group_buffer: 7,
  max_placement_groups: 7,
  name_format: "node-%d",
  node_attributes: { ImageId: "other" },
  keep_alive: true,
  deallocate: { most: 7 },
  placement: "cost",
};

const login = { username: "node", password_setting: "AUTOSTOP_PASSWORD" };

const ofAutostop: Values<typeof autostopSchema> = {
  idle_time_before_jobs: 7,
  idle_time_after_jobs: 7,
  username: "other",
  password_setting: "AUTOSTOP_PASSWORD_OTHER",
};

const minimal = { url: "https://cycle.example", username: "user", verify_certificates: true };

/** What the keys set. The names of node arrays are collected from the JSON, whether or not a setting is read. */
function settingsOf(keys: object): object {
  const parsed = parseConfig({ cluster: "c", json: { ...minimal, ...keys } });
  if (!parsed.ok) throw new Error(`expected a valid value: ${parsed.problems.join("; ")}`);
  const { namedArrays: _, ...settings } = parsed.config;
  return settings;
}

/** A number is compared with another one: a group of keys may exist as soon as one of them is set. */
const unlike = (key: string, value: unknown) => (typeof value === "number" ? { [key]: value + 1 } : {});

describe("a key of autoscale.json that the schema accepts is read", () => {
  test.each(Object.entries(values))("%s", (key, value) => {
    expect(settingsOf({ [key]: value })).not.toEqual(settingsOf(unlike(key, value)));
  });

  test.each(Object.entries(ofNodeArrays))("nodearrays.default.%s", (key, value) => {
    const changed = settingsOf({ nodearrays: { default: { [key]: value } } });
    expect(changed).not.toEqual(settingsOf({ nodearrays: { default: unlike(key, value) } }));
  });

  test.each(Object.entries(ofAutostop))("autostop.%s", (key, value) => {
    const changed = settingsOf({ autostop: { ...login, [key]: value } });
    expect(changed).not.toEqual(settingsOf({ autostop: { ...login, ...unlike(key, value) } }));
  });

  test("cluster_name: has to be that of the cluster", () => {
    expect(() => settingsOf({ cluster_name: "other" })).toThrow('cluster_name: "other", expected "c"');
  });
});
