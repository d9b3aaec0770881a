import { describe, expect, test } from "vitest";
import { parseEngineSettings } from "../../../shared/config/engine-settings.ts";
import { parseConfig } from "../../../shared/config/parse-config.ts";
import { defaultSettings } from "../../../shared/engine/index.ts";
import { ConfigurationError } from "../../../shared/errors/errors.ts";

const minimal = { url: "https://cycle.example", username: "user", verify_certificates: true };
const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

function parse(keys: object) {
  return parseConfig({ cluster: "c", json: { ...minimal, ...keys } });
}

function config(keys: object = {}) {
  const parsed = parse(keys);
  if (!parsed.ok) throw new ConfigurationError("the test's configuration", parsed.problems);
  return parsed.config;
}

function problems(keys: object) {
  const parsed = parse(keys);
  return parsed.ok ? [] : parsed.problems;
}

test("config: a minimal file gets every default", () => {
  expect(config()).toEqual({
    cluster: "c",
    connection: {
      url: "https://cycle.example",
      username: "user",
      passwordSetting: "CYCLECLOUD_PASSWORD",
      verifyCertificates: true,
    },
    engine: {
      ...defaultSettings,
      generatedPlacementGroups: {
        buffer: { default: 2, byNodeArray: {} },
        max: { default: 10_000, byNodeArray: {} },
      },
    },
    cycle: {
      snapshotIntervalSeconds: 60,
      maxSnapshotAgeSeconds: 300,
      demandTtlSeconds: 300,
      maxSources: 50,
      predictsRunTimes: true,
      actionTtlSeconds: 600,
      operationTimeoutSeconds: 900,
      nodeListLagSeconds: 120,
      capacityFailureBackoffSeconds: 300,
      drainTimeoutSeconds: 300,
      failedNodeRetries: 3,
      bootFailuresBeforeBackoff: 3,
      bootFailureBackoffSeconds: 1_800,
      targetAttributes: [],
      unhealthyNodes: {
        policy: { default: "report", byNodeArray: {} },
        reasons: ["NHC:*", "Healthcheck failures*", "Prolog error*", "Epilog error*"],
        mostAtOnce: 2,
        mostPerDay: 10,
      },
      readOnly: false,
    },
    autostop: { idleSecondsBeforeJobs: 3_600, idleSecondsAfterJobs: 300, login: null },
    warnings: [],
  });
});

describe("config: every key", () => {
  test.each<{ name: string; keys: object; expected: object }>([
    { name: "cluster_name that is the cluster", keys: { cluster_name: "c" }, expected: { cluster: "c" } },
    {
      name: "url loses its last slash",
      keys: { url: "https://x/cycle/" },
      expected: { connection: { url: "https://x/cycle" } },
    },
    {
      name: "url on this machine",
      keys: { url: "http://127.0.0.1:80" },
      expected: { connection: { url: "http://127.0.0.1:80" } },
    },
    {
      name: "password_setting",
      keys: { password_setting: "CYCLECLOUD_PASSWORD_C" },
      expected: { connection: { passwordSetting: "CYCLECLOUD_PASSWORD_C" } },
    },
    {
      name: "certificate_authority",
      keys: { certificate_authority: certificate },
      expected: { connection: { certificateAuthority: certificate } },
    },
    { name: "read_only", keys: { read_only: true }, expected: { cycle: { readOnly: true } } },
    {
      name: "snapshot_interval",
      keys: { snapshot_interval: "2m" },
      expected: { cycle: { snapshotIntervalSeconds: 120 } },
    },
    {
      name: "a snapshot on every beat",
      keys: { snapshot_interval: 0 },
      expected: { cycle: { snapshotIntervalSeconds: 0 } },
    },
    {
      name: "max_snapshot_age",
      keys: { max_snapshot_age: 60 },
      expected: { cycle: { maxSnapshotAgeSeconds: 60 } },
    },
    { name: "demand_ttl", keys: { demand_ttl: "120" }, expected: { cycle: { demandTtlSeconds: 120 } } },
    { name: "action_ttl", keys: { action_ttl: 30 }, expected: { cycle: { actionTtlSeconds: 30 } } },
    {
      name: "operation_timeout",
      keys: { operation_timeout: 1.5 },
      expected: { cycle: { operationTimeoutSeconds: 1.5 } },
    },
    {
      name: "failed_node_retries",
      keys: { failed_node_retries: 1 },
      expected: { cycle: { failedNodeRetries: 1 } },
    },
    {
      name: "boot_failures_before_backoff and boot_failure_backoff",
      keys: { boot_failures_before_backoff: 5, boot_failure_backoff: "60" },
      expected: { cycle: { bootFailuresBeforeBackoff: 5, bootFailureBackoffSeconds: 60 } },
    },
    {
      name: "autostop",
      keys: { autostop: { idle_time_before_jobs: 60, idle_time_after_jobs: "0", username: "node" } },
      expected: {
        autostop: {
          idleSecondsBeforeJobs: 60,
          idleSecondsAfterJobs: 0,
          login: { username: "node", passwordSetting: "AUTOSTOP_PASSWORD" },
        },
      },
    },
    {
      name: "autostop's password_setting",
      keys: { autostop: { username: "node", password_setting: "AUTOSTOP_PASSWORD_HPC" } },
      expected: { autostop: { login: { username: "node", passwordSetting: "AUTOSTOP_PASSWORD_HPC" } } },
    },
    {
      name: "target_attributes",
      keys: { target_attributes: ["Configuration.application_*", "ImageName"] },
      expected: { cycle: { targetAttributes: ["Configuration.application_*", "ImageName"] } },
    },
    {
      name: "drain_timeout of 0",
      keys: { drain_timeout: 0 },
      expected: { cycle: { drainTimeoutSeconds: 0 } },
    },
    {
      name: "capacity_failure_backoff of 0",
      keys: { capacity_failure_backoff: 0 },
      expected: { cycle: { capacityFailureBackoffSeconds: 0 } },
    },
    {
      name: "idle_timeout as a number",
      keys: { idle_timeout: 90 },
      expected: { engine: { idleTimeoutSeconds: { default: 90, byNodeArray: {} } } },
    },
    {
      name: "idle_timeout of 0",
      keys: { idle_timeout: 0 },
      expected: { engine: { idleTimeoutSeconds: { default: 0 } } },
    },
    {
      name: "idle_timeout as text",
      keys: { idle_timeout: "90" },
      expected: { engine: { idleTimeoutSeconds: { default: 90 } } },
    },
    {
      name: "idle_timeout as people write lengths of time",
      keys: { idle_timeout: { default: "10m", low: "1h30m" } },
      expected: { engine: { idleTimeoutSeconds: { default: 600, byNodeArray: { low: 5_400 } } } },
    },
    {
      name: "idle_timeout per node array",
      keys: { idle_timeout: { default: "60", low: 5, hpc: null } },
      expected: { engine: { idleTimeoutSeconds: { default: 60, byNodeArray: { low: 5 } } } },
    },
    {
      name: "idle_timeout per node array without default",
      keys: { idle_timeout: { low: 5 } },
      expected: { engine: { idleTimeoutSeconds: { default: 300, byNodeArray: { low: 5 } } } },
    },
    {
      name: "boot_timeout",
      keys: { boot_timeout: { htc: 400 } },
      expected: { engine: { bootTimeoutSeconds: { default: 1800, byNodeArray: { htc: 400 } } } },
    },
    {
      name: "default_resources",
      keys: { default_resources: [{ select: {}, name: "slots", value: "node.vcpu_count", divide: 2 }] },
      expected: {
        engine: {
          defaultResources: [
            {
              select: [],
              name: "slots",
              value: { kind: "property", property: "vcpu_count" },
              modifier: { operation: "divide" },
            },
          ],
        },
      },
    },
    {
      name: "disable_default_resources",
      keys: { disable_default_resources: true },
      expected: { engine: { disableDefaultResources: true } },
    },
    {
      name: "placement_groups stop the generated ones",
      keys: {
        nodearrays: { default: { placement_groups: ["a"] }, htc: { placement_groups: ["b-1", "b_2"] } },
      },
      expected: {
        engine: {
          placementGroups: { default: ["a"], byNodeArray: { htc: ["b-1", "b_2"] } },
          generatedPlacementGroups: null,
        },
      },
    },
    {
      name: "empty placement_groups do not",
      keys: { nodearrays: { htc: { placement_groups: [] } } },
      expected: { engine: { generatedPlacementGroups: { buffer: { default: 2 } } } },
    },
    {
      name: "generated_placement_group_buffer",
      keys: {
        nodearrays: {
          default: { generated_placement_group_buffer: 3 },
          htc: { generated_placement_group_buffer: "0" },
        },
      },
      expected: { engine: { generatedPlacementGroups: { buffer: { default: 3, byNodeArray: { htc: 0 } } } } },
    },
    {
      name: "max_placement_groups",
      keys: { nodearrays: { htc: { max_placement_groups: 4 } } },
      expected: {
        engine: { generatedPlacementGroups: { max: { default: 10_000, byNodeArray: { htc: 4 } } } },
      },
    },
    {
      name: "name_format",
      keys: { nodearrays: { htc: { name_format: "x-%d" } } },
      expected: { engine: { nameFormat: { default: null, byNodeArray: { htc: "x-%d" } } } },
    },
    {
      name: "node_attributes",
      keys: { nodearrays: { htc: { node_attributes: { Tags: { a: 1 } } } } },
      expected: { engine: { nodeAttributes: { default: {}, byNodeArray: { htc: { Tags: { a: 1 } } } } } },
    },
    {
      name: "keep_alive",
      keys: { nodearrays: { default: { keep_alive: true }, htc: { keep_alive: false } } },
      expected: { engine: { keepAlive: { default: true, byNodeArray: { htc: false } } } },
    },
    { name: "failed_nodes", keys: { failed_nodes: "retry" }, expected: { engine: { failedNodes: "retry" } } },
    {
      name: "compatibility",
      keys: { compatibility: "scalelib" },
      expected: { engine: { compatibility: "scalelib" } },
    },
    {
      name: "placement",
      keys: {
        placement: "cost",
        nodearrays: { htc: { placement: "order" }, default: { name_format: "n-%d" } },
      },
      expected: { engine: { placement: { default: "cost", byNodeArray: { htc: "order" } } } },
    },
    {
      name: "exclusive_scope",
      keys: { exclusive_scope: "job" },
      expected: { engine: { exclusiveScope: "job" } },
    },
    {
      name: "ignored_nodes",
      keys: { ignored_nodes: ["htc-1", "login*"] },
      expected: { engine: { ignoredNodes: ["htc-1", "login*"] } },
    },
    {
      name: "shared_pools",
      keys: {
        shared_pools: [
          { name: "lic", initial: 5 },
          { name: "lic", source: "q", initial: 5, current: 2 },
        ],
      },
      expected: {
        engine: {
          sharedPools: [
            { name: "lic", source: null, initial: 5, current: 5 },
            { name: "lic", source: "q", initial: 5, current: 2 },
          ],
        },
      },
    },
    {
      name: "vm_sizes",
      keys: {
        vm_sizes: {
          Standard_F4: { gpus: 1 },
          Own: { vcpus: 8, memory_gib: 16, vcpus_available: 4, vcpus_per_core: 2 },
        },
      },
      expected: {
        facts: {
          overrides: {
            Standard_F4: { gpus: 1 },
            Own: { vcpus: 8, memoryGiB: 16, vcpusAvailable: 4, vcpusPerCore: 2 },
          },
        },
      },
    },
    {
      name: "proxied locations in the reference's spelling, under those in ours",
      keys: { "proxied-locations": { a: "eastus", b: "eastus" }, proxied_locations: { b: "westus" } },
      expected: { facts: { proxiedLocations: { a: "eastus", b: "westus" } } },
    },
    {
      name: "prices of vm_sizes",
      keys: { vm_sizes: { Standard_F4: { price_per_hour_usd: 0.2, spot_price_per_hour_usd: 0.05 } } },
      expected: {
        facts: { overrides: { Standard_F4: { pricePerHourUsd: 0.2, spotPricePerHourUsd: 0.05 } } },
      },
    },
    {
      name: "price rules: one with a name, one without",
      keys: {
        price_rules: [
          { name: "three years", select: { "node.vm_family": "standardFSv2Family" }, reserved_nodes: 40 },
          { discount_percent: 37, add_per_core_hour_usd: 0.02 },
        ],
      },
      expected: {
        priceRules: [
          {
            name: "three years",
            select: [{ kind: "property-options", property: "vm_family", options: ["standardFSv2Family"] }],
            reservedNodes: 40,
          },
          { name: "price_rules[1]", select: [], discountPercent: 37, addPerCoreHourUsd: 0.02 },
        ],
      },
    },
    {
      name: "notifications: all kinds where none are named",
      keys: {
        notifications: [
          { url_setting: "TEAMS_WEBHOOK", format: "teams" },
          { url_setting: "OPS_WEBHOOK_2", format: "json", kinds: ["stuck"] },
        ],
      },
      expected: {
        notifications: [
          {
            urlSetting: "TEAMS_WEBHOOK",
            format: "teams",
            kinds: ["budget", "boots-failing", "login-refused", "long-wait", "source-silent", "stuck"],
          },
          { urlSetting: "OPS_WEBHOOK_2", format: "json", kinds: ["stuck"] },
        ],
      },
    },
    {
      name: "pseudonyms: every name of a person",
      keys: { pseudonyms: {} },
      expected: { pseudonyms: { keySetting: "PSEUDONYM_KEY", fields: ["user", "account", "jobName"] } },
    },
    {
      name: "pseudonyms: of these fields, with a key of its own",
      keys: { pseudonyms: { key_setting: "PSEUDONYM_KEY_HPC", fields: ["job_name"] } },
      expected: { pseudonyms: { keySetting: "PSEUDONYM_KEY_HPC", fields: ["jobName"] } },
    },
    {
      name: "schedules: of targets, of settings, and one that is paused",
      keys: {
        idle_timeout: 300,
        schedules: {
          office: {
            start: "0 8 * * mon-fri",
            end: "0 18 * * mon-fri",
            time_zone: "Europe/Berlin",
            except: ["2026-12-25"],
            lead: "15m",
            targets: [{ Name: "htc", TargetCount: 4 }],
          },
          night: { start: "0 22 * * *", duration: "8h", settings: { idle_timeout: 60, max_cores: 100 } },
          always: { targets: [{ Name: "htc", SpareCount: 2 }] },
          old: { start: "0 8 * * *", duration: 1, targets: [{ Name: "htc", TargetCount: 1 }], paused: true },
        },
      },
      expected: {
        schedules: [
          {
            name: "office",
            start: "0 8 * * mon-fri",
            end: { at: "0 18 * * mon-fri" },
            timeZone: "Europe/Berlin",
            except: ["2026-12-25"],
            leadSeconds: 900,
            targets: [{ Name: "htc", TargetCount: 4 }],
          },
          {
            name: "night",
            start: "0 22 * * *",
            end: { afterSeconds: 28_800 },
            timeZone: "UTC",
            except: [],
            leadSeconds: null,
            targets: [],
            settings: {
              engine: { idleTimeoutSeconds: { default: 60, byNodeArray: {} } },
              cycle: { caps: { maxNodesPerPlan: null, maxCores: 100, monthlyBudgetUsd: null } },
            },
          },
          {
            name: "always",
            start: "0 0 * * *",
            end: { at: "0 0 * * *" },
            timeZone: "UTC",
            except: [],
            leadSeconds: null,
            targets: [{ Name: "htc", SpareCount: 2 }],
          },
        ],
      },
    },
    {
      name: "idle_timeout: left to the service, for all arrays but one; and in a schedule",
      keys: {
        idle_timeout: { default: "auto", gpu: 90 },
        idle_timeout_least: { htc: "2m" },
        idle_timeout_most: 200,
        schedules: { night: { start: "0 22 * * *", duration: "8h", settings: { idle_timeout: 60 } } },
      },
      expected: {
        engine: {
          idleTimeoutSeconds: {
            default: 200,
            byNodeArray: { gpu: 90, htc: 200 },
            auto: {
              default: { leastSeconds: 60, mostSeconds: 200 },
              byNodeArray: { gpu: null, htc: { leastSeconds: 120, mostSeconds: 200 } },
            },
          },
        },
        schedules: [
          expect.objectContaining({
            settings: { engine: { idleTimeoutSeconds: { default: 60, byNodeArray: {} } }, cycle: {} },
          }),
        ],
      },
    },
    {
      name: "budgets: of each kind, for a month or a day",
      keys: {
        budgets: [
          { account: "geo", monthly_usd: 5000, hold: true },
          { name: "the gpus", node_array: "gpu", daily_usd: 800.5 },
          { user: "ada", daily_usd: 1 },
          { queue: "unknown", monthly_usd: 2 },
        ],
      },
      expected: {
        cycle: {
          budgets: [
            {
              name: "account geo, monthly",
              of: { dimension: "account", name: "geo" },
              period: "month",
              usd: 5000,
              hold: true,
            },
            {
              name: "the gpus",
              of: { dimension: "nodeArray", name: "gpu" },
              period: "day",
              usd: 800.5,
              hold: false,
            },
            { name: "user ada, daily", of: { dimension: "user", name: "ada" }, period: "day", usd: 1 },
            { name: "queue unknown, monthly", of: { dimension: "queue", name: "unknown" }, usd: 2 },
          ],
        },
      },
    },
    {
      name: "caps: all of them",
      keys: { max_nodes_per_plan: 10, max_cores: 0, monthly_budget_usd: 99.5 },
      expected: { cycle: { caps: { maxNodesPerPlan: 10, maxCores: 0, monthlyBudgetUsd: 99.5 } } },
    },
    {
      name: "caps: those that are not set are none",
      keys: { max_cores: 640 },
      expected: { cycle: { caps: { maxNodesPerPlan: null, maxCores: 640, monthlyBudgetUsd: null } } },
    },
    {
      name: "cores of owners: a number for all of them, or one by name",
      keys: { max_cores_per_user: 200, max_cores_per_queue: { debug: 32, default: null, long: 0 } },
      expected: {
        cycle: {
          ownerCaps: [
            { by: "user", maxCores: 200, byName: {} },
            { by: "queue", maxCores: null, byName: { debug: 32, long: 0 } },
          ],
        },
      },
    },
    {
      name: "caps on demand: those that are not set follow the engine's defaults",
      keys: { max_constraint_parts: 50, max_plan_checks: 1000 },
      expected: { engine: { demandCaps: { maxConstraintParts: 50, maxPlanChecks: 1000 } } },
    },
    {
      name: "certificate_fingerprint, however it is spelled",
      keys: { certificate_fingerprint: Array.from({ length: 32 }, () => "AB").join(":") },
      expected: { connection: { certificateFingerprint: "ab".repeat(32) } },
    },
    {
      name: "proxied_locations",
      keys: { proxied_locations: { here: "westus2" } },
      expected: { facts: { proxiedLocations: { here: "westus2" } } },
    },
  ])("$name", ({ keys, expected }) => {
    expect(config(keys)).toMatchObject(expected);
    expect(config(keys).warnings).toEqual([]);
  });

  test("keys of the field's scheduler integrations are accepted silently", () => {
    const keys = {
      lock_file: null,
      nodehistorydb: "/var/x.db",
      valid_hostnames: ["^ip-.*"],
      assume_standalone_hostnames: true,
      output_columns: ["name"],
      "output-columns": {},
      output_format: "json",
      logging: { config_file: "x" },
      cost: {},
      pbspro: { ignore_queues: [] },
      gridengine: {},
      hpcpack: {},
      autoscale: { start_enabled: true },
      azslurmd: { sleep_time: 15 },
      "return-to-idle": {},
      accounting: {},
      _comment: "ours",
      _mock_bindings: {},
    };
    expect(config(keys).warnings).toEqual([]);
  });
});

describe("config: what is odd but usable", () => {
  test.each<{ name: string; keys: object; says: RegExp[] }>([
    {
      name: "bounds of a time-out that is not left to the service",
      keys: { idle_timeout: 300, idle_timeout_least: 120 },
      says: [/^idle_timeout_least: ignored, it is for arrays whose idle_timeout is "auto"$/],
    },
    {
      name: "a misspelt key",
      keys: { idle_timout: 5 },
      says: [/^idle_timout: unknown, ignored; did you mean "idle_timeout"\?$/],
    },
    {
      name: "a key of autostop that is spelled wrong",
      keys: { autostop: { idle_time_after_job: 5 } },
      says: [/^autostop\.idle_time_after_job: unknown, ignored; did you mean "idle_time_after_jobs"\?$/],
    },
    { name: "a key like no other", keys: { banana: 5 }, says: [/^banana: unknown, ignored$/] },
    {
      name: "a misspelt key of a node array",
      keys: { nodearrays: { htc: { keepalive: true } } },
      says: [/^nodearrays\.htc\.keepalive: .*"keep_alive"/],
    },
    {
      name: "a password",
      keys: { password: "pr1vate", password_setting: "CYCLECLOUD_PASSWORD_C" },
      says: [/^password: ignored.*app setting "CYCLECLOUD_PASSWORD_C"/],
    },
    {
      name: "certificates that are not verified",
      keys: { verify_certificates: false },
      says: [/^verify_certificates: false, ANYBODY .* can read the password; give certificate_fingerprint/],
    },
    {
      name: "an authority beside a fingerprint",
      keys: { certificate_fingerprint: "ab".repeat(32), certificate_authority: certificate },
      says: [/^certificate_authority: ignored, the server is known by its certificate_fingerprint alone/],
    },
    {
      name: "certificates that nobody spoke of",
      keys: { verify_certificates: undefined },
      says: [/^verify_certificates: not set, taken as true/],
    },
    {
      name: "a buffer beside predefined groups",
      keys: { nodearrays: { htc: { placement_groups: ["a"], generated_placement_group_buffer: 2 } } },
      says: [/^generated_placement_group_buffer: ignored/],
    },
  ])("$name", ({ keys, says }) => {
    expect(config(keys).warnings).toEqual(says.map((pattern) => expect.stringMatching(pattern)));
  });

  test("a password is never kept", () => {
    expect(JSON.stringify(config({ password: "pr1vate" }))).not.toContain("pr1vate");
  });
});

test.each([
  ["problems", { url: 5, nodearrays: { ["a".repeat(80_000)]: 5 } }],
  [
    "many problems",
    { nodearrays: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, 5])) },
  ],
])("config: %s are told in so many words", (_, keys) => {
  const parsed = parseConfig({ cluster: "c", json: keys });
  expect(parsed.ok).toBe(false);
  expect(JSON.stringify(parsed).length).toBeLessThan(60_000);
});

test("config: warnings are told in so many words, too", () => {
  const unknown = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`${"k".repeat(2_000)}${index}`, 5]),
  );
  const parsed = parseConfig({ cluster: "c", json: { url: "https://x.example", username: "u", ...unknown } });
  expect(parsed.ok && parsed.config.warnings.length).toBe(51);
  expect(parsed.ok && JSON.stringify(parsed.config.warnings).length).toBeLessThan(60_000);
});

describe("config: problems", () => {
  test.each<{ keys: object; says: RegExp }>([
    { keys: { cluster_name: "d" }, says: /^cluster_name: "d", expected "c"/ },
    { keys: { cluster_name: 5 }, says: /^cluster_name: 5, expected a text$/ },
    { keys: { url: undefined }, says: /^url: missing, expected a text$/ },
    {
      keys: { url: "http://cycle.example" },
      says: /^url: "http:\/\/cycle.example", expected an address such as "https:/,
    },
    { keys: { url: "cycle.example" }, says: /^url: "cycle.example", expected an address/ },
    { keys: { url: "https://x/?a=b" }, says: /^url: .*expected an address/ },
    { keys: { username: "" }, says: /^username: expected a user name without a colon$/ },
    { keys: { username: "a:b" }, says: /^username: expected a user name without a colon$/ },
    {
      keys: { password_setting: "AzureWebJobsStorage" },
      says: /^password_setting: expected .*"CYCLECLOUD_PASSWORD"/,
    },
    {
      keys: { autostop: { password_setting: "CYCLECLOUD_PASSWORD" } },
      says: /^autostop\.password_setting: expected .*"AUTOSTOP_PASSWORD"/,
    },
    { keys: { autostop: { username: "a:b" } }, says: /^autostop\.username: expected a user name/ },
    { keys: { autostop: true }, says: /^autostop: true, expected an object of autostop settings$/ },
    { keys: { verify_certificates: "no" }, says: /^verify_certificates: "no", expected true or false$/ },
    {
      keys: { certificate_authority: "/etc/ca.pem" },
      says: /^certificate_authority: expected the PEM text/,
    },
    { keys: { read_only: 1 }, says: /^read_only: 1, expected true or false$/ },
    {
      keys: { idle_timeout: "soon" },
      says: /^idle_timeout: "soon", expected a number of seconds, 0 or more, such as 600 or "10m", or "auto"$/,
    },
    {
      keys: { idle_timeout: { htc: -1 } },
      says: /^idle_timeout\.htc: -1, expected a number of seconds, 0 or more, such as 600 or "10m", or "auto"$/,
    },
    {
      keys: { idle_timeout: "auto", idle_timeout_least: 30 },
      says: /^idle_timeout_least: 30, expected a number of seconds, 60 or more, such as 600 or "10m"$/,
    },
    {
      keys: { idle_timeout: "auto", idle_timeout_least: { htc: 120 }, idle_timeout_most: 90 },
      says: /^idle_timeout_most\.htc: 90, expected at least idle_timeout_least, 120$/,
    },
    {
      keys: { boot_timeout: 0 },
      says: /^boot_timeout: 0, expected a number of seconds above 0, such as 600 or "10m"$/,
    },
    {
      keys: { max_snapshot_age: 0 },
      says: /^max_snapshot_age: 0, expected a number of seconds above 0, such as 600 or "10m"$/,
    },
    {
      keys: { action_ttl: [] },
      says: /^action_ttl: \[\], expected a number of seconds above 0, such as 600 or "10m"$/,
    },
    { keys: { default_resources: {} }, says: /^default_resources: \{\}, expected a list of entries$/ },
    {
      keys: { default_resources: [{ select: {}, name: "a", value: "`ncpus * 2`" }] },
      says: /^default_resources\[0\]\.value: "`ncpus \* 2`", expressions are never run; write a reference/,
    },
    {
      keys: { default_resources: [{ select: {}, name: "a", value: "node.vcpus" }] },
      says: /^default_resources\[0\]\.value: .*"node.vcpus".*expected one of/,
    },
    {
      keys: { notifications: [{ url_setting: "CYCLECLOUD_PASSWORD", format: "teams" }] },
      says: /^notifications\[0\]\.url_setting: expected the name of the app setting that holds the address/,
    },
    {
      keys: { pseudonyms: { key_setting: "CYCLECLOUD_PASSWORD" } },
      says: /^pseudonyms\.key_setting: expected the name of the app setting that holds the key: "PSEUDONYM_KEY", or/,
    },
    {
      keys: { pseudonyms: { fields: ["queue"] } },
      says: /^pseudonyms\.fields\[0\]: "queue", expected "user", "account" or "job_name"$/,
    },
    {
      keys: { pseudonyms: { fields: [] } },
      says: /^pseudonyms\.fields: .*expected one field or more, or no such key$/,
    },
    {
      keys: { notifications: [{ url_setting: "A_WEBHOOK", format: "email" }] },
      says: /^notifications\[0\]\.format: "email", expected teams, slack or json$/,
    },
    {
      keys: { notifications: [{ url_setting: "A_WEBHOOK", format: "json", kinds: ["disk"] }] },
      says: /^notifications\[0\]\.kinds\[0\]: "disk", expected budget, .* or stuck$/,
    },
    {
      keys: { notifications: [{ url_setting: "A_WEBHOOK", format: "json", kinds: [] }] },
      says: /^notifications\[0\]\.kinds: \[\], expected one kind or more, or no such key$/,
    },
    {
      keys: { notifications: [{ url_setting: "A_WEBHOOK", format: "json", url: "https://a/geheim" }] },
      says: /^notifications\[0\]: unknown keys, expected url_setting, format, kinds$/,
    },
    {
      keys: {
        notifications: [
          { url_setting: "A_WEBHOOK", format: "json" },
          { url_setting: "A_WEBHOOK", format: "slack" },
        ],
      },
      says: /^notifications\[1\]\.url_setting: "A_WEBHOOK", expected a setting that no other destination has$/,
    },
    ...[
      { of: { time_zone: "Europe/Berln" }, says: /^time_zone: "Europe\/Berln", expected an IANA time zone/ },
      { of: { start: "0 0 8 * * *" }, says: /^start: "0 0 8 \* \* \*", expected a cron expression of five/ },
      { of: { duration: 0 }, says: /^duration: 0, expected a number of seconds above 0/ },
      { of: { start: undefined }, says: /expected a start with end or duration$/ },
      { of: { end: "0 9 * * *" }, says: /expected exactly one of end and duration$/ },
      { of: { targets: [] }, says: /expected targets or settings$/ },
      {
        of: { targets: [{ Name: "htc", TargetCont: 4 }] },
        says: /^targets\[0\].*TargetCont.*expected TargetCount/,
      },
      { of: { lead: "soon" }, says: /^lead: "soon", expected a number of seconds/ },
      { of: { except: ["25 December"] }, says: /^except\[0\]: "25 December", expected a day such as/ },
      { of: { nodes: 4 }, says: /unknown keys nodes, expected start, end, duration/ },
      { of: { settings: { url: "https://x.example" } }, says: /^settings\.url: cannot change with the time/ },
      {
        of: { settings: { idle_timeout: "soon" } },
        says: /^settings\.idle_timeout: "soon", expected a number/,
      },
    ].map(({ of, says }) => {
      const targets = [{ Name: "htc", TargetCount: 4 }];
      const schedules = { office: { start: "0 8 * * *", duration: 60, targets, ...of } };
      return {
        keys: { schedules },
        says: new RegExp(`^schedules\\.office[.: ].*${says.source.replace("^", "")}`),
      };
    }),
    {
      keys: {
        schedules: Object.fromEntries(
          Array.from({ length: 201 }, (_, index) => [
            `s${index}`,
            { start: "0 8 * * *", duration: 60, settings: { max_cores: 1 } },
          ]),
        ),
      },
      says: /201 schedules, expected at most 200$/,
    },
    { keys: { budgets: {} }, says: /^budgets: \{\}, expected a list of budgets$/ },
    {
      keys: { budgets: [{ monthly_usd: 5 }] },
      says: /^budgets\[0\]: \{.*\}, expected exactly one of node_array, user, account and queue$/,
    },
    {
      keys: { budgets: [{ user: "ada", account: "geo", monthly_usd: 5 }] },
      says: /^budgets\[0\]: \{.*\}, expected exactly one of node_array, user, account and queue$/,
    },
    {
      keys: { budgets: [{ user: "ada" }] },
      says: /^budgets\[0\]: \{.*\}, expected exactly one of monthly_usd and daily_usd$/,
    },
    {
      keys: { budgets: [{ user: "ada", monthly_usd: 5, daily_usd: 1 }] },
      says: /^budgets\[0\]: \{.*\}, expected exactly one of monthly_usd and daily_usd$/,
    },
    {
      keys: { budgets: [{ user: "ada", monthly_usd: 0 }] },
      says: /^budgets\[0\]\.monthly_usd: 0, expected US dollars above 0$/,
    },
    {
      keys: { budgets: [{ user: "ada", daily_usd: 5, weekly_usd: 5 }] },
      says: /^budgets\[0\]: unknown keys weekly_usd, expected name, node_array, user, account, queue/,
    },
    {
      keys: { budgets: [{ user: "ada", daily_usd: 5, hold: "yes" }] },
      says: /^budgets\[0\]\.hold: "yes", expected true or false$/,
    },
    {
      keys: {
        budgets: [
          { name: "a", user: "ada", daily_usd: 5 },
          { name: "a", user: "ben", daily_usd: 5 },
        ],
      },
      says: /^budgets\[1\]\.name: "a", expected a name that no other budget has$/,
    },
    {
      keys: {
        budgets: [
          { node_array: "gpu", daily_usd: 5 },
          { name: "again", node_array: "gpu", daily_usd: 50 },
        ],
      },
      says: /^budgets\[1\]\.node_array: "gpu", expected one budget for a day$/,
    },
    { keys: { price_rules: {} }, says: /^price_rules: \{\}, expected a list of rules$/ },
    {
      keys: { price_rules: [{ select: {} }] },
      says: /^price_rules\[0\]: .*expected discount_percent, add_per_core_hour_usd or reserved_nodes$/,
    },
    {
      keys: { price_rules: [{ discount_percent: 101 }] },
      says: /^price_rules\[0\]\.discount_percent: 101, expected a percentage above 0, at most 100$/,
    },
    {
      keys: { price_rules: [{ discount: 10, reserved_nodes: 4 }] },
      says: /^price_rules\[0\]: unknown keys discount, expected name, select, discount_percent/,
    },
    {
      keys: { price_rules: [{ select: { "node.hostname": "ip-1" }, discount_percent: 5 }] },
      says: /^price_rules\[0\]\.select: node\.hostname, expected properties that all nodes of a size and array share/,
    },
    {
      keys: { price_rules: [{ select: { memgb: 4 }, discount_percent: 5 }] },
      says: /^price_rules\[0\]\.select: memgb, expected properties/,
    },
    {
      keys: { price_rules: [{ select: { "node.vm_famly": "x" }, discount_percent: 5 }] },
      says: /^price_rules\[0\]\.select.*vm_famly.*vm_family/,
    },
    {
      keys: {
        price_rules: [
          { name: "a", discount_percent: 5 },
          { name: "a", discount_percent: 6 },
        ],
      },
      says: /^price_rules\[1\]\.name: "a", expected a name that no other rule has$/,
    },
    {
      keys: { disable_default_resources: "x" },
      says: /^disable_default_resources: "x", expected true or false$/,
    },
    {
      keys: { nodearrays: { htc: { node_attributes: { Tag: "é".repeat(5_000) } } } },
      says: /^nodearrays\.htc\.node_attributes: .*expected at most 8192 bytes of attributes$/,
    },
    { keys: { nodearrays: [] }, says: /^nodearrays: \[\], expected an object of node arrays$/ },
    { keys: { nodearrays: { htc: 5 } }, says: /^nodearrays\.htc: 5, expected an object of settings$/ },
    {
      keys: { nodearrays: { htc: { placement_groups: ["a b"] } } },
      says: /^nodearrays\.htc\.placement_groups\[0\]: "a b", expected letters/,
    },
    {
      keys: { nodearrays: { htc: { placement_groups: "a" } } },
      says: /^nodearrays\.htc\.placement_groups: "a", expected a list/,
    },
    {
      keys: { nodearrays: { htc: { generated_placement_group_buffer: 1.5 } } },
      says: /buffer: 1.5, expected a whole number, 0 or more$/,
    },
    {
      keys: { nodearrays: { htc: { max_placement_groups: -1 } } },
      says: /max_placement_groups: -1, expected a whole number/,
    },
    {
      keys: { nodearrays: { htc: { name_format: "x" } } },
      says: /name_format: "x", expected a name with one "%d"/,
    },
    {
      keys: { nodearrays: { htc: { node_attributes: [] } } },
      says: /node_attributes: \[\], expected an object/,
    },
    {
      keys: { nodearrays: { htc: { keep_alive: "yes" } } },
      says: /keep_alive: "yes", expected true or false$/,
    },
    { keys: { failed_nodes: "drop" }, says: /^failed_nodes: "drop", expected "keep", "delete" or "retry"$/ },
    { keys: { compatibility: "pbs" }, says: /^compatibility: "pbs", expected "scalelib", or no such key$/ },
    { keys: { placement: "cheap" }, says: /^placement: "cheap", expected "order", "reuse" or "cost"$/ },
    {
      keys: { nodearrays: { htc: { placement: 1 } } },
      says: /^nodearrays\.htc\.placement: 1, expected "order", "reuse" or "cost"$/,
    },
    { keys: { exclusive_scope: "node" }, says: /^exclusive_scope: "node", expected "iteration" or "job"$/ },
    {
      keys: { target_attributes: "*" },
      says: /^target_attributes: "\*", expected a list of attributes of nodes$/,
    },
    {
      keys: { target_attributes: ["configuration"] },
      says: /^target_attributes\[0\]: "configuration", expected an attribute/,
    },
    { keys: { ignored_nodes: "a" }, says: /^ignored_nodes: "a", expected a list of node names$/ },
    {
      keys: { shared_pools: [{ name: "lic" }] },
      says: /^shared_pools\[0\]\.initial: missing, expected a number$/,
    },
    {
      keys: { vm_sizes: { Own: { gpus: 1 } } },
      says: /^vm_sizes\.Own: \{"gpus":1\}, expected vcpus and memory_gib/,
    },
    {
      keys: { vm_sizes: { Standard_F4: { cpus: 1 } } },
      says: /^vm_sizes\.Standard_F4: .*unknown facts cpus, expected family, vcpus/,
    },
    {
      keys: { vm_sizes: { Standard_F4: { vcpus: 0 } } },
      says: /^vm_sizes\.Standard_F4\.vcpus: 0, expected a whole number, 1 or more$/,
    },
    {
      keys: { max_nodes_per_plan: 1.5 },
      says: /^max_nodes_per_plan: 1.5, expected a whole number, 0 or more$/,
    },
    {
      keys: { max_constraint_depth: "deep" },
      says: /^max_constraint_depth: "deep", expected a whole number, 0 or more$/,
    },
    { keys: { max_cores: -1 }, says: /^max_cores: -1, expected a whole number, 0 or more$/ },
    { keys: { monthly_budget_usd: 0 }, says: /^monthly_budget_usd: 0, expected US dollars above 0$/ },
    { keys: { monthly_budget_usd: "100" }, says: /^monthly_budget_usd: "100", expected US dollars above 0$/ },
    {
      keys: { certificate_fingerprint: "ab:cd" },
      says: /^certificate_fingerprint: "ab:cd", expected the SHA-256 fingerprint of a certificate: 64 hex digits/,
    },
    { keys: { proxied_locations: { here: 1 } }, says: /^proxied_locations\.here: 1, expected a text$/ },
  ])("$keys", ({ keys, says }) => {
    expect(problems(keys)).toEqual([expect.stringMatching(says)]);
  });

  test("all of them at once, in the order of the schema", () => {
    const found = problems({
      cluster_name: "d",
      username: "",
      idle_timeout: { a: "x", b: "y" },
      vm_sizes: { Own: {}, Other: 5 },
      failed_nodes: 1,
    });
    expect(found.map((problem) => problem.split(":")[0])).toEqual([
      "username",
      "idle_timeout.a",
      "idle_timeout.b",
      "failed_nodes",
      "vm_sizes.Own",
      "vm_sizes.Other",
      "cluster_name",
    ]);
  });

  test.each([{ json: undefined }, { json: null }, { json: [] }, { json: '{"password": "pr1vate"}' }])(
    "a file that is no object is not quoted ($json)",
    ({ json }) => {
      const problems = ["configuration: expected an object of settings"];
      expect(parseConfig({ cluster: "c", json })).toEqual({ ok: false, problems });
    },
  );

  test("a login in the address is refused without telling it", () => {
    expect(problems({ url: "https://user:pr1vate@cycle.example" })).toEqual([
      "url: holds a login, expected an address without one",
    ]);
  });
});

describe("engine settings alone", () => {
  test("need no server, and generate placement groups only when asked", () => {
    expect(parseEngineSettings({ cluster_name: "x" })).toEqual({ ok: true, settings: defaultSettings });
    const asked = { nodearrays: { default: { generated_placement_group_buffer: 1 } } };
    expect(parseEngineSettings(asked)).toMatchObject({
      ok: true,
      settings: { generatedPlacementGroups: { buffer: { default: 1 }, max: { default: 10_000 } } },
    });
  });

  test("name their problems the same way", () => {
    expect(parseEngineSettings({ idle_timeout: "x" })).toEqual({
      ok: false,
      problems: [
        'idle_timeout: "x", expected a number of seconds, 0 or more, such as 600 or "10m", or "auto"',
      ],
    });
  });
});
