import { describe, expect, test } from "vitest";
import { parseEngineSettings } from "../../../shared/config/engine-settings.ts";
import { parseConfig } from "../../../shared/config/parse-config.ts";
import { inForce } from "../../../shared/config/window-settings.ts";
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
  test("all at once, each in its place", () => {
    const read = config({
      cluster_name: "c",
      url: "https://x/cycle/",
      password_setting: "CYCLECLOUD_PASSWORD_C",
      certificate_authority: certificate,
      read_only: true,
      snapshot_interval: "2m",
      max_snapshot_age: 60,
      demand_ttl: "120",
      action_ttl: 30,
      operation_timeout: 1.5,
      drain_timeout: 0,
      capacity_failure_backoff: 0,
      failed_nodes: "retry",
      failed_node_retries: 1,
      boot_failures_before_backoff: 5,
      boot_failure_backoff: "60",
      autostop: { idle_time_before_jobs: 60, idle_time_after_jobs: "0", username: "node" },
      target_attributes: ["Configuration.application_*", "ImageName"],
      idle_timeout: { default: "10m", low: "1h30m", hpc: null },
      boot_timeout: { htc: 400 },
      default_resources: [{ select: {}, name: "slots", value: "node.vcpu_count", divide: 2 }],
      disable_default_resources: true,
      nodearrays: {
        default: { generated_placement_group_buffer: 3, keep_alive: true, name_format: "n-%d" },
        htc: {
          generated_placement_group_buffer: "0",
          max_placement_groups: 4,
          name_format: "x-%d",
          node_attributes: { Tags: { a: 1 } },
          keep_alive: false,
          placement: "order",
          placement_groups: [],
        },
      },
      placement: "cost",
      compatibility: "scalelib",
      exclusive_scope: "job",
      ignored_nodes: ["htc-1", "login*"],
      shared_pools: [
        { name: "lic", initial: 5 },
        { name: "lic", source: "q", initial: 5, current: 2 },
      ],
      vm_sizes: {
        Standard_F4: { gpus: 1, price_per_hour_usd: 0.2, spot_price_per_hour_usd: 0.05 },
        Own: { vcpus: 8, memory_gib: 16, vcpus_available: 4, vcpus_per_core: 2 },
      },
      "proxied-locations": { a: "eastus", b: "eastus" },
      proxied_locations: { b: "westus" },
      price_rules: [
        { name: "three years", select: { "node.vm_family": "standardFSv2Family" }, reserved_nodes: 40 },
        { discount_percent: 37, add_per_core_hour_usd: 0.02 },
      ],
      notifications: [
        { url_setting: "TEAMS_WEBHOOK", format: "teams" },
        { url_setting: "OPS_WEBHOOK_2", format: "json", kinds: ["stuck"] },
      ],
      pseudonyms: {},
      budgets: [
        { account: "geo", monthly_usd: 5000, hold: true },
        { name: "the gpus", node_array: "gpu", daily_usd: 800.5 },
        { user: "ada", daily_usd: 1 },
        { queue: "unknown", monthly_usd: 2 },
      ],
      max_nodes_per_plan: 10,
      max_cores: 0,
      monthly_budget_usd: 99.5,
      max_cores_per_user: 200,
      max_cores_per_queue: { debug: 32, default: null, long: 0 },
      max_constraint_parts: 50,
      max_plan_checks: 1000,
    });
    expect(read).toMatchObject({
      cluster: "c",
      connection: {
        url: "https://x/cycle",
        passwordSetting: "CYCLECLOUD_PASSWORD_C",
        certificateAuthority: certificate,
      },
      cycle: {
        readOnly: true,
        snapshotIntervalSeconds: 120,
        maxSnapshotAgeSeconds: 60,
        demandTtlSeconds: 120,
        actionTtlSeconds: 30,
        operationTimeoutSeconds: 1.5,
        drainTimeoutSeconds: 0,
        capacityFailureBackoffSeconds: 0,
        failedNodeRetries: 1,
        bootFailuresBeforeBackoff: 5,
        bootFailureBackoffSeconds: 60,
        targetAttributes: ["Configuration.application_*", "ImageName"],
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
        caps: { maxNodesPerPlan: 10, maxCores: 0, monthlyBudgetUsd: 99.5 },
        ownerCaps: [
          { by: "user", maxCores: 200, byName: {} },
          { by: "queue", maxCores: null, byName: { debug: 32, long: 0 } },
        ],
      },
      autostop: {
        idleSecondsBeforeJobs: 60,
        idleSecondsAfterJobs: 0,
        login: { username: "node", passwordSetting: "AUTOSTOP_PASSWORD" },
      },
      engine: {
        failedNodes: "retry",
        idleTimeoutSeconds: { default: 600, byNodeArray: { low: 5_400 } },
        bootTimeoutSeconds: { default: 1800, byNodeArray: { htc: 400 } },
        defaultResources: [
          {
            select: [],
            name: "slots",
            value: { kind: "property", property: "vcpu_count" },
            modifier: { operation: "divide" },
          },
        ],
        disableDefaultResources: true,
        generatedPlacementGroups: {
          buffer: { default: 3, byNodeArray: { htc: 0 } },
          max: { default: 10_000, byNodeArray: { htc: 4 } },
        },
        nameFormat: { default: "n-%d", byNodeArray: { htc: "x-%d" } },
        nodeAttributes: { default: {}, byNodeArray: { htc: { Tags: { a: 1 } } } },
        keepAlive: { default: true, byNodeArray: { htc: false } },
        placement: { default: "cost", byNodeArray: { htc: "order" } },
        compatibility: "scalelib",
        exclusiveScope: "job",
        ignoredNodes: ["htc-1", "login*"],
        sharedPools: [
          { name: "lic", source: null, initial: 5, current: 5 },
          { name: "lic", source: "q", initial: 5, current: 2 },
        ],
        demandCaps: { maxConstraintParts: 50, maxPlanChecks: 1000 },
      },
      facts: {
        overrides: {
          Standard_F4: { gpus: 1, pricePerHourUsd: 0.2, spotPricePerHourUsd: 0.05 },
          Own: { vcpus: 8, memoryGiB: 16, vcpusAvailable: 4, vcpusPerCore: 2 },
        },
        proxiedLocations: { a: "eastus", b: "westus" },
      },
      priceRules: [
        {
          name: "three years",
          select: [{ kind: "property-options", property: "vm_family", options: ["standardFSv2Family"] }],
          reservedNodes: 40,
        },
        { name: "price_rules[1]", select: [], discountPercent: 37, addPerCoreHourUsd: 0.02 },
      ],
      notifications: [
        {
          urlSetting: "TEAMS_WEBHOOK",
          format: "teams",
          kinds: ["budget", "boots-failing", "login-refused", "long-wait", "source-silent", "stuck"],
        },
        { urlSetting: "OPS_WEBHOOK_2", format: "json", kinds: ["stuck"] },
      ],
      pseudonyms: { keySetting: "PSEUDONYM_KEY", fields: ["user", "account", "jobName"] },
    });
    expect(read.warnings).toEqual([]);
  });

  test.each<[string, object, object]>([
    ["url on this machine", { url: "http://127.0.0.1:80" }, { connection: { url: "http://127.0.0.1:80" } }],
    ["a snapshot on every beat", { snapshot_interval: 0 }, { cycle: { snapshotIntervalSeconds: 0 } }],
    [
      "autostop's password_setting",
      { autostop: { username: "node", password_setting: "AUTOSTOP_PASSWORD_HPC" } },
      { autostop: { login: { username: "node", passwordSetting: "AUTOSTOP_PASSWORD_HPC" } } },
    ],
    ["idle_timeout of 0", { idle_timeout: 0 }, { engine: { idleTimeoutSeconds: { default: 0 } } }],
    ["idle_timeout as text", { idle_timeout: "90" }, { engine: { idleTimeoutSeconds: { default: 90 } } }],
    [
      "idle_timeout per node array without default",
      { idle_timeout: { low: 5 } },
      { engine: { idleTimeoutSeconds: { default: 300, byNodeArray: { low: 5 } } } },
    ],
    [
      "placement_groups stop the generated ones",
      { nodearrays: { default: { placement_groups: ["a"] }, htc: { placement_groups: ["b-1", "b_2"] } } },
      {
        engine: {
          placementGroups: { default: ["a"], byNodeArray: { htc: ["b-1", "b_2"] } },
          generatedPlacementGroups: null,
        },
      },
    ],
    [
      "pseudonyms: of these fields, with a key of its own",
      { pseudonyms: { key_setting: "PSEUDONYM_KEY_HPC", fields: ["job_name"] } },
      { pseudonyms: { keySetting: "PSEUDONYM_KEY_HPC", fields: ["jobName"] } },
    ],
    [
      "schedules: of targets, of settings, and one that is paused",
      {
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
      {
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
            settings: { idle_timeout: 60, max_cores: 100 },
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
    ],
    [
      "idle_timeout: left to the service, for all arrays but one; and in a schedule",
      {
        idle_timeout: { default: "auto", gpu: 90 },
        idle_timeout_least: { htc: "2m" },
        idle_timeout_most: 200,
        schedules: { night: { start: "0 22 * * *", duration: "8h", settings: { idle_timeout: 60 } } },
      },
      {
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
        schedules: [expect.objectContaining({ settings: { idle_timeout: 60 } })],
      },
    ],
    [
      "caps: those that are not set are none",
      { max_cores: 640 },
      { cycle: { caps: { maxNodesPerPlan: null, maxCores: 640, monthlyBudgetUsd: null } } },
    ],
    [
      "certificate_fingerprint, however it is spelled",
      { certificate_fingerprint: Array.from({ length: 32 }, () => "AB").join(":") },
      { connection: { certificateFingerprint: "ab".repeat(32) } },
    ],
  ])("%s", (_, keys, expected) => {
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
  test.each<[string, object, RegExp[]]>([
    [
      "bounds of a time-out that is not left to the service",
      { idle_timeout: 300, idle_timeout_least: 120 },
      [/^idle_timeout_least: ignored, it is for arrays whose idle_timeout is "auto"$/],
    ],
    [
      "a misspelt key",
      { idle_timout: 5 },
      [/^idle_timout: unknown, ignored; did you mean "idle_timeout"\?$/],
    ],
    [
      "a key of autostop that is spelled wrong",
      { autostop: { idle_time_after_job: 5 } },
      [/^autostop\.idle_time_after_job: unknown, ignored; did you mean "idle_time_after_jobs"\?$/],
    ],
    ["a key like no other", { banana: 5 }, [/^banana: unknown, ignored$/]],
    [
      "a misspelt key of a node array",
      { nodearrays: { htc: { keepalive: true } } },
      [/^nodearrays\.htc\.keepalive: .*"keep_alive"/],
    ],
    [
      "a password",
      { password: "pr1vate", password_setting: "CYCLECLOUD_PASSWORD_C" },
      [/^password: ignored.*app setting "CYCLECLOUD_PASSWORD_C"/],
    ],
    [
      "certificates that are not verified",
      { verify_certificates: false },
      [/^verify_certificates: false, ANYBODY .* can read the password; give certificate_fingerprint/],
    ],
    [
      "an authority beside a fingerprint",
      { certificate_fingerprint: "ab".repeat(32), certificate_authority: certificate },
      [/^certificate_authority: ignored, the server is known by its certificate_fingerprint alone/],
    ],
    [
      "certificates that nobody spoke of",
      { verify_certificates: undefined },
      [/^verify_certificates: not set, taken as true/],
    ],
    [
      "a buffer beside predefined groups",
      { nodearrays: { htc: { placement_groups: ["a"], generated_placement_group_buffer: 2 } } },
      [/^generated_placement_group_buffer: ignored/],
    ],
  ])("%s", (_, keys, says) => {
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
  test.each<[object, RegExp]>([
    [{ cluster_name: "d" }, /^cluster_name: "d", expected "c"/],
    [{ cluster_name: 5 }, /^cluster_name: 5, expected a text$/],
    [{ url: undefined }, /^url: missing, expected a text$/],
    [{ url: "http://cycle.example" }, /^url: "http:\/\/cycle.example", expected an address such as "https:/],
    [{ url: "cycle.example" }, /^url: "cycle.example", expected an address/],
    [{ url: "https://x/?a=b" }, /^url: .*expected an address/],
    [{ username: "" }, /^username: expected a user name without a colon$/],
    [{ username: "a:b" }, /^username: expected a user name without a colon$/],
    [{ password_setting: "AzureWebJobsStorage" }, /^password_setting: expected .*"CYCLECLOUD_PASSWORD"/],
    [
      { autostop: { password_setting: "CYCLECLOUD_PASSWORD" } },
      /^autostop\.password_setting: expected .*"AUTOSTOP_PASSWORD"/,
    ],
    [{ autostop: { username: "a:b" } }, /^autostop\.username: expected a user name/],
    [{ autostop: true }, /^autostop: true, expected an object of autostop settings$/],
    [{ verify_certificates: "no" }, /^verify_certificates: "no", expected true or false$/],
    [{ certificate_authority: "/etc/ca.pem" }, /^certificate_authority: expected the PEM text/],
    [{ read_only: 1 }, /^read_only: 1, expected true or false$/],
    [
      { idle_timeout: "soon" },
      /^idle_timeout: "soon", expected a number of seconds, 0 or more, such as 600 or "10m", or "auto"$/,
    ],
    [
      { idle_timeout: { htc: -1 } },
      /^idle_timeout\.htc: -1, expected a number of seconds, 0 or more, such as 600 or "10m", or "auto"$/,
    ],
    [
      { idle_timeout: "auto", idle_timeout_least: 30 },
      /^idle_timeout_least: 30, expected a number of seconds, 60 or more, such as 600 or "10m"$/,
    ],
    [
      { idle_timeout: "auto", idle_timeout_least: { htc: 120 }, idle_timeout_most: 90 },
      /^idle_timeout_most\.htc: 90, expected at least idle_timeout_least, 120$/,
    ],
    [{ boot_timeout: 0 }, /^boot_timeout: 0, expected a number of seconds above 0, such as 600 or "10m"$/],
    [
      { max_snapshot_age: 0 },
      /^max_snapshot_age: 0, expected a number of seconds above 0, such as 600 or "10m"$/,
    ],
    [{ action_ttl: [] }, /^action_ttl: \[\], expected a number of seconds above 0, such as 600 or "10m"$/],
    [{ default_resources: {} }, /^default_resources: \{\}, expected a list of entries$/],
    [
      { default_resources: [{ select: {}, name: "a", value: "`ncpus * 2`" }] },
      /^default_resources\[0\]\.value: "`ncpus \* 2`", expressions are never run; write a reference/,
    ],
    [
      { default_resources: [{ select: {}, name: "a", value: "node.vcpus" }] },
      /^default_resources\[0\]\.value: .*"node.vcpus".*expected one of/,
    ],
    [
      { notifications: [{ url_setting: "CYCLECLOUD_PASSWORD", format: "teams" }] },
      /^notifications\[0\]\.url_setting: expected the name of the app setting that holds the address/,
    ],
    [
      { pseudonyms: { key_setting: "CYCLECLOUD_PASSWORD" } },
      /^pseudonyms\.key_setting: expected the name of the app setting that holds the key: "PSEUDONYM_KEY", or/,
    ],
    [
      { pseudonyms: { fields: ["queue"] } },
      /^pseudonyms\.fields\[0\]: "queue", expected "user", "account" or "job_name"$/,
    ],
    [{ pseudonyms: { fields: [] } }, /^pseudonyms\.fields: .*expected one field or more, or no such key$/],
    [
      { notifications: [{ url_setting: "A_WEBHOOK", format: "email" }] },
      /^notifications\[0\]\.format: "email", expected teams, slack or json$/,
    ],
    [
      { notifications: [{ url_setting: "A_WEBHOOK", format: "json", kinds: ["disk"] }] },
      /^notifications\[0\]\.kinds\[0\]: "disk", expected budget, .* or stuck$/,
    ],
    [
      { notifications: [{ url_setting: "A_WEBHOOK", format: "json", kinds: [] }] },
      /^notifications\[0\]\.kinds: \[\], expected one kind or more, or no such key$/,
    ],
    [
      { notifications: [{ url_setting: "A_WEBHOOK", format: "json", url: "https://a/geheim" }] },
      /^notifications\[0\]: unknown keys, expected url_setting, format, kinds$/,
    ],
    [
      {
        notifications: [
          { url_setting: "A_WEBHOOK", format: "json" },
          { url_setting: "A_WEBHOOK", format: "slack" },
        ],
      },
      /^notifications\[1\]\.url_setting: "A_WEBHOOK", expected a setting that no other destination has$/,
    ],
    [
      {
        schedules: Object.fromEntries(
          Array.from({ length: 201 }, (_, index) => [
            `s${index}`,
            { start: "0 8 * * *", duration: 60, settings: { max_cores: 1 } },
          ]),
        ),
      },
      /^schedules: 201, expected at most 200 schedules$/,
    ],
    [{ budgets: {} }, /^budgets: \{\}, expected a list of budgets$/],
    [
      { budgets: [{ monthly_usd: 5 }] },
      /^budgets\[0\]: \{.*\}, expected exactly one of node_array, user, account and queue$/,
    ],
    [
      { budgets: [{ user: "ada", account: "geo", monthly_usd: 5 }] },
      /^budgets\[0\]: \{.*\}, expected exactly one of node_array, user, account and queue$/,
    ],
    [
      { budgets: [{ user: "ada" }] },
      /^budgets\[0\]: \{.*\}, expected exactly one of monthly_usd and daily_usd$/,
    ],
    [
      { budgets: [{ user: "ada", monthly_usd: 5, daily_usd: 1 }] },
      /^budgets\[0\]: \{.*\}, expected exactly one of monthly_usd and daily_usd$/,
    ],
    [
      { budgets: [{ user: "ada", monthly_usd: 0 }] },
      /^budgets\[0\]\.monthly_usd: 0, expected US dollars above 0$/,
    ],
    [
      { budgets: [{ user: "ada", daily_usd: 5, weekly_usd: 5 }] },
      /^budgets\[0\]: unknown keys weekly_usd, expected name, node_array, user, account, queue/,
    ],
    [
      { budgets: [{ user: "ada", daily_usd: 5, hold: "yes" }] },
      /^budgets\[0\]\.hold: "yes", expected true or false$/,
    ],
    [
      {
        budgets: [
          { name: "a", user: "ada", daily_usd: 5 },
          { name: "a", user: "ben", daily_usd: 5 },
        ],
      },
      /^budgets\[1\]\.name: "a", expected a name that no other budget has$/,
    ],
    [
      {
        budgets: [
          { node_array: "gpu", daily_usd: 5 },
          { name: "again", node_array: "gpu", daily_usd: 50 },
        ],
      },
      /^budgets\[1\]\.node_array: "gpu", expected one budget for a day$/,
    ],
    [{ price_rules: {} }, /^price_rules: \{\}, expected a list of rules$/],
    [
      { price_rules: [{ select: {} }] },
      /^price_rules\[0\]: .*expected discount_percent, add_per_core_hour_usd or reserved_nodes$/,
    ],
    [
      { price_rules: [{ discount_percent: 101 }] },
      /^price_rules\[0\]\.discount_percent: 101, expected a percentage above 0, at most 100$/,
    ],
    [
      { price_rules: [{ discount: 10, reserved_nodes: 4 }] },
      /^price_rules\[0\]: unknown keys discount, expected name, select, discount_percent/,
    ],
    [
      { price_rules: [{ select: { "node.hostname": "ip-1" }, discount_percent: 5 }] },
      /^price_rules\[0\]\.select: node\.hostname, expected properties that all nodes of a size and array share/,
    ],
    [
      { price_rules: [{ select: { memgb: 4 }, discount_percent: 5 }] },
      /^price_rules\[0\]\.select: memgb, expected properties/,
    ],
    [
      { price_rules: [{ select: { "node.vm_famly": "x" }, discount_percent: 5 }] },
      /^price_rules\[0\]\.select.*vm_famly.*vm_family/,
    ],
    [
      {
        price_rules: [
          { name: "a", discount_percent: 5 },
          { name: "a", discount_percent: 6 },
        ],
      },
      /^price_rules\[1\]\.name: "a", expected a name that no other rule has$/,
    ],
    [{ disable_default_resources: "x" }, /^disable_default_resources: "x", expected true or false$/],
    [
      { nodearrays: { htc: { node_attributes: { Tag: "é".repeat(5_000) } } } },
      /^nodearrays\.htc\.node_attributes: .*expected at most 8192 bytes of attributes$/,
    ],
    [{ nodearrays: [] }, /^nodearrays: \[\], expected an object of node arrays$/],
    [{ nodearrays: { htc: 5 } }, /^nodearrays\.htc: 5, expected an object of settings$/],
    [
      { nodearrays: { htc: { placement_groups: ["a b"] } } },
      /^nodearrays\.htc\.placement_groups\[0\]: "a b", expected letters/,
    ],
    [
      { nodearrays: { htc: { placement_groups: "a" } } },
      /^nodearrays\.htc\.placement_groups: "a", expected a list/,
    ],
    [
      { nodearrays: { htc: { generated_placement_group_buffer: 1.5 } } },
      /buffer: 1.5, expected a whole number, 0 or more$/,
    ],
    [
      { nodearrays: { htc: { max_placement_groups: -1 } } },
      /max_placement_groups: -1, expected a whole number/,
    ],
    [{ nodearrays: { htc: { name_format: "x" } } }, /name_format: "x", expected a name with one "%d"/],
    [{ nodearrays: { htc: { node_attributes: [] } } }, /node_attributes: \[\], expected an object/],
    [{ nodearrays: { htc: { keep_alive: "yes" } } }, /keep_alive: "yes", expected true or false$/],
    [{ failed_nodes: "drop" }, /^failed_nodes: "drop", expected "keep", "delete" or "retry"$/],
    [{ compatibility: "pbs" }, /^compatibility: "pbs", expected "scalelib", or no such key$/],
    [{ placement: "cheap" }, /^placement: "cheap", expected "order", "reuse" or "cost"$/],
    [
      { nodearrays: { htc: { placement: 1 } } },
      /^nodearrays\.htc\.placement: 1, expected "order", "reuse" or "cost"$/,
    ],
    [{ exclusive_scope: "node" }, /^exclusive_scope: "node", expected "iteration" or "job"$/],
    [{ target_attributes: "*" }, /^target_attributes: "\*", expected a list of attributes of nodes$/],
    [
      { target_attributes: ["configuration"] },
      /^target_attributes\[0\]: "configuration", expected an attribute/,
    ],
    [{ ignored_nodes: "a" }, /^ignored_nodes: "a", expected a list of node names$/],
    [{ shared_pools: [{ name: "lic" }] }, /^shared_pools\[0\]\.initial: missing, expected a number$/],
    [{ vm_sizes: { Own: { gpus: 1 } } }, /^vm_sizes\.Own: \{"gpus":1\}, expected vcpus and memory_gib/],
    [
      { vm_sizes: { Standard_F4: { cpus: 1 } } },
      /^vm_sizes\.Standard_F4: .*unknown facts cpus, expected family, vcpus/,
    ],
    [
      { vm_sizes: { Standard_F4: { vcpus: 0 } } },
      /^vm_sizes\.Standard_F4\.vcpus: 0, expected a whole number, 1 or more$/,
    ],
    [{ max_nodes_per_plan: 1.5 }, /^max_nodes_per_plan: 1.5, expected a whole number, 0 or more$/],
    [{ max_constraint_depth: "deep" }, /^max_constraint_depth: "deep", expected a whole number, 0 or more$/],
    [{ max_cores: -1 }, /^max_cores: -1, expected a whole number, 0 or more$/],
    [{ monthly_budget_usd: 0 }, /^monthly_budget_usd: 0, expected US dollars above 0$/],
    [{ monthly_budget_usd: "100" }, /^monthly_budget_usd: "100", expected US dollars above 0$/],
    [
      { certificate_fingerprint: "ab:cd" },
      /^certificate_fingerprint: "ab:cd", expected the SHA-256 fingerprint of a certificate: 64 hex digits/,
    ],
    [{ proxied_locations: { here: 1 } }, /^proxied_locations\.here: 1, expected a text$/],
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
      { of: { lead: "soon" }, says: /^lead: "soon", expected a number of seconds, 0 or more, or "auto"$/ },
      { of: { start: "2026-02-30T08:00" }, says: /^start: "2026-02-30T08:00", expected a cron expression/ },
      { of: { except: ["2026-13-45"] }, says: /^except\[0\]: "2026-13-45", expected a day such as/ },
      { of: { duration: "9999999d" }, says: /^duration: .*, expected at most "3660d"$/ },
      { of: { settings: { max_core: 5 } }, says: /^settings\.max_core: unknown key, expected "max_cores"$/ },
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
      const at = new RegExp(`^schedules\\.office[.: ].*${says.source.replace("^", "")}`);
      return [{ schedules }, at] as [object, RegExp];
    }),
  ])("%j", (keys, says) => {
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

describe("settings in windows", () => {
  const night = { start: "0 22 * * *", duration: "8h" };
  const atNight = Date.parse("2026-12-01T23:00Z") / 1000;
  const own = { idle_timeout: 300, max_cores_per_user: 100 };
  const duringAll = (...windows: readonly object[]) => {
    const schedules = Object.fromEntries(
      windows.map((settings, index) => [`s${index}`, { ...night, settings }]),
    );
    return inForce(config({ ...own, schedules }), atNight);
  };
  const asIfWritten = (keys: object) => config({ ...own, ...keys });

  test.each<{ name: string; windows: readonly object[]; as: object }>([
    {
      name: "one sets what another does not",
      windows: [{ read_only: true }, { placement: "cost" }],
      as: { read_only: true, placement: "cost" },
    },
    {
      name: "two caps of a cluster",
      windows: [{ max_cores: 8 }, { monthly_budget_usd: 50 }],
      as: { max_cores: 8, monthly_budget_usd: 50 },
    },
    {
      name: "caps of users and of accounts",
      windows: [{ max_cores_per_user: 4 }, { max_cores_per_account: 8 }],
      as: { max_cores_per_user: 4, max_cores_per_account: 8 },
    },
    {
      name: "a time-out and its bound",
      windows: [{ idle_timeout: "auto" }, { idle_timeout_most: 120 }],
      as: { idle_timeout: "auto", idle_timeout_most: 120 },
    },
    {
      name: "the same key: the later in the file",
      windows: [{ idle_timeout: 60 }, { idle_timeout: { htc: 90 } }],
      as: { idle_timeout: { htc: 90 } },
    },
    {
      name: "the later sets what is in the file anyway",
      windows: [{ idle_timeout: 60 }, { idle_timeout: 300 }],
      as: {},
    },
    { name: "a long wait", windows: [{ long_wait: 900 }], as: { long_wait: 900 } },
  ])("$name", ({ windows, as }) => {
    const { engine, cycle, longWaitSeconds, warnings } = duringAll(...windows);
    const wanted = asIfWritten(as);
    expect({ engine, cycle, longWaitSeconds }).toEqual({
      engine: wanted.engine,
      cycle: wanted.cycle,
      longWaitSeconds: wanted.longWaitSeconds,
    });
    expect(warnings).toEqual(asIfWritten({}).warnings);
  });

  test("those that are not valid together with windows before them do not hold, with a warning", () => {
    const changed = duringAll(
      { idle_timeout_least: 200 },
      { idle_timeout_most: 120, max_cores: 8 },
      { placement: "cost" },
    );
    expect(changed.engine).toEqual(asIfWritten({ idle_timeout_least: 200, placement: "cost" }).engine);
    expect(changed.cycle.caps).toBeUndefined();
    expect(changed.warnings[0]).toBe(
      "schedules.s1.settings: ignored beside the other windows that are open: idle_timeout_most: 120, expected at least idle_timeout_least, 200",
    );
  });

  test("outside of them the configuration is the one that was read, and inside the same object each time", () => {
    const read = config({ ...own, schedules: { s: { ...night, settings: { max_cores: 8 } } } });
    expect(inForce(read, atNight + 12 * 3_600)).toBe(read);
    expect(inForce(read, atNight)).toBe(inForce(read, atNight + 60));
    expect(structuredClone(read)).toEqual(read);
  });
});
