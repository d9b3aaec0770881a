import { z } from "zod";
import {
  type DefaultResource,
  type Json,
  leastIdleSeconds,
  parseDefaultResources,
  placements,
} from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";
import { isHttpToLoopback } from "../machine/loopback.ts";
import { withoutSlashesAtEnd } from "../text/text.ts";
import { budgetShape } from "./budgets-schema.ts";
import { factsShape } from "./facts-schema.ts";
import { notificationShape } from "./notifications-schema.ts";
import { priceShape } from "./price-rules-schema.ts";
import { scheduleShape } from "./schedules-schema.ts";
import {
  flag,
  passwordSetting,
  perNodeArray,
  positiveSeconds,
  seconds,
  secondsFrom,
  secretText,
  strict,
  text,
  username,
  wholeNumber,
} from "./setting-value.ts";

const defaultPasswordSetting = "CYCLECLOUD_PASSWORD";

const wantedUrl = 'an address such as "https://cyclecloud.example.com" (http is for this machine only)';

/** An address that may contain a login or a key is not quoted, because problems go to logs. */
const mayHoldSecret = /[@?#]/;

/** A server's address. */
const url = text.transform((value, context) => {
  const parsed = URL.parse(value);
  const usable = parsed !== null && (parsed.protocol === "https:" || isHttpToLoopback(parsed));
  if (parsed !== null && (parsed.username !== "" || parsed.password !== ""))
    context.addIssue({
      code: "custom",
      message: "holds a login, expected an address without one",
      params: { secret: true },
    });
  else if (mayHoldSecret.test(value))
    context.addIssue({ code: "custom", message: `expected ${wantedUrl}`, params: { secret: true } });
  else if (!usable) context.addIssue({ code: "custom", message: `expected ${wantedUrl}`, input: value });
  return withoutSlashesAtEnd(value);
});

/** Where the CycleCloud server is and how to log in. */
const connectionShape = {
  url,
  username,
  /** Accepted only to report an error that names the right place. */
  password: z.unknown().optional(),
  // The fixed prefix keeps an author of configurations from sending any other secret to an address of their choice.
  password_setting: passwordSetting(defaultPasswordSetting),
  verify_certificates: flag.optional(),
  /** Never quoted: a wrong value is most likely the private key. */
  certificate_authority: secretText("expected the PEM text of a certificate", (value) =>
    value.includes("-----BEGIN CERTIFICATE-----"),
  ).optional(),
  certificate_fingerprint: text
    .regex(
      /^[0-9a-f]{2}(:?[0-9a-f]{2}){31}$/i,
      "expected the SHA-256 fingerprint of a certificate: 64 hex digits, with or without colons",
    )
    .transform((digits) => digits.replaceAll(":", "").toLowerCase())
    .optional(),
};

/** They travel with every action that makes such nodes, and an action has to fit a message. */
const mostAttributeBytes = 8 * 1024;

const diskPrice = "expected US dollars an hour for the disks of one node";

const placement = z.enum(placements, 'expected "order", "reuse" or "cost"');

/** How many idle nodes of an array are deallocated instead of deleted. */
const deallocateSchema = strict(
  {
    most: wholeNumber,
    max_age: positiveSeconds.default(7 * 86_400),
    disk_usd_per_hour: z.number(diskPrice).nonnegative(diskPrice).optional(),
  },
  'expected an object with "most"',
);

/** `nodearrays.<name>`; `nodearrays.default` is for all arrays without a value of their own. */
export const nodeArraySchema = z.looseObject(
  {
    placement_groups: z
      .array(
        text.regex(/^[\w-]+$/, "expected letters, digits, - and _ only"),
        "expected a list of placement group names",
      )
      .optional(),
    generated_placement_group_buffer: wholeNumber.optional(),
    max_placement_groups: wholeNumber.optional(),
    name_format: text.regex(/^[^%]*%d[^%]*$/, 'expected a name with one "%d" for the index').optional(),
    node_attributes: z
      .custom<{ readonly [key: string]: Json }>(isDictionary, "expected an object of node attributes")
      .refine(
        (attributes) => Buffer.byteLength(JSON.stringify(attributes)) <= mostAttributeBytes,
        `expected at most ${mostAttributeBytes} bytes of attributes`,
      )
      .optional(),
    keep_alive: flag.optional(),
    deallocate: deallocateSchema.optional(),
    placement: placement.optional(),
  },
  "expected an object of settings",
);

export type NodeArraySettings = z.output<typeof nodeArraySchema>;

/** The fixed prefix keeps a configuration from using another secret as the password of nodes. */
const autostopPasswordPrefix = "AUTOSTOP_PASSWORD";

/** When a node may stop itself, and how it logs in where nodes come with a login instead of a function key. */
export const autostopSchema = z.looseObject(
  {
    idle_time_before_jobs: seconds.default(3_600),
    idle_time_after_jobs: seconds.default(300),
    username: username.optional(),
    password_setting: passwordSetting(autostopPasswordPrefix),
  },
  "expected an object of autostop settings",
);

/** The engine's parser reads it, and names every problem with its place in the list. */
const defaultResources = z.unknown().transform((value, context): readonly DefaultResource[] => {
  const parsed = parseDefaultResources(value);
  if (parsed.ok) return parsed.defaultResources;
  for (const { path, message } of parsed.problems) {
    const prefix = `Cannot read default resource "${path}": `;
    const sentence = message.startsWith(prefix) ? message.slice(prefix.length) : message;
    context.addIssue({ code: "custom", message: sentence, params: { place: path } });
  }
  return [];
});

const sharedPool = z
  .object(
    {
      name: text,
      source: text.nullish(),
      initial: z.number("expected a number").min(0, "expected a number, 0 or more"),
      current: z.number("expected a number").min(0, "expected a number, 0 or more").optional(),
    },
    'expected an object with "name" and "initial"',
  )
  .transform(({ name, source, initial, current }) => ({
    name,
    source: source ?? null,
    initial,
    current: current ?? initial,
  }));

/** `auto`: set for each plan from what the nodes did. */
const idleTimeout = z.union(
  [z.literal("auto"), seconds],
  'expected a number of seconds, 0 or more, such as 600 or "10m", or "auto"',
);

/** Idle times that are shorter are not remembered. */
const idleBound = secondsFrom(leastIdleSeconds);

/** Settings of the engine. */
const engineShape = {
  idle_timeout: perNodeArray(idleTimeout).optional(),
  idle_timeout_least: perNodeArray(idleBound).optional(),
  idle_timeout_most: perNodeArray(idleBound).optional(),
  boot_timeout: perNodeArray(positiveSeconds).optional(),
  default_resources: defaultResources.optional(),
  disable_default_resources: flag.optional(),
  nodearrays: z.record(z.string(), nodeArraySchema, "expected an object of node arrays").default({}),
  failed_nodes: z.enum(["keep", "delete", "retry"], 'expected "keep", "delete" or "retry"').optional(),
  failed_nodes_kept: wholeNumber.optional(),
  failed_nodes_kept_for: seconds.optional(),
  compatibility: z.enum(["scalelib"], 'expected "scalelib", or no such key').optional(),
  placement: placement.optional(),
  exclusive_scope: z.enum(["iteration", "job"], 'expected "iteration" or "job"').optional(),
  ignored_nodes: z.array(text, "expected a list of node names").optional(),
  shared_pools: z.array(sharedPool, "expected a list of pools").optional(),
  max_distinct_resources: wholeNumber.optional(),
  max_constraint_parts: wholeNumber.optional(),
  max_constraint_depth: wholeNumber.optional(),
  max_scheduler_hosts: wholeNumber.optional(),
  max_plan_checks: wholeNumber.optional(),
  min_priority: z.number("expected a number, such as 50").optional(),
};

const share = "expected a share above 0, up to 1";

/** Node arrays that belong together, and what sends a job from the spot one to the regular one. */
export const spotSchema = z
  .looseObject(
    {
      pairs: z
        .array(
          z.object({ spot: text, regular: text }, 'expected an object with "spot" and "regular"'),
          "expected a list of pairs of node arrays",
        )
        .min(1, "expected at least one pair of node arrays"),
      patience: seconds.default(300),
      max_runtime: positiveSeconds.optional(),
      max_share: z.number(share).gt(0, share).max(1, share).default(1),
      evictions_before_regular: wholeNumber
        .refine((count) => count > 0, "expected a whole number, 1 or more")
        .default(2),
    },
    "expected an object of spot settings",
  )
  .superRefine(({ pairs }, context) => {
    const spots = pairs.map((pair) => pair.spot);
    pairs.forEach(({ spot, regular }, index) => {
      const problem = (key: string, message: string) =>
        context.addIssue({ code: "custom", message, path: ["pairs", index, key] });
      if (spots.indexOf(spot) !== index) problem("spot", `"${spot}", expected each spot array in one pair`);
      if (spots.includes(regular))
        problem("regular", `"${regular}", expected an array that is no spot array`);
    });
  });

const part = "expected a part of the quota from 0 to 1";
const weight = "expected a number above 0";

/** What the cluster may have of every quota that it shares. */
const sharesSchema = z
  .looseObject(
    {
      guaranteed: z.number(part).min(0, part).max(1, part).default(0),
      most: z.number(share).gt(0, share).max(1, share).default(1),
      weight: z.number(weight).positive(weight).default(1),
      subscription: text.optional(),
    },
    "expected an object of shares",
  )
  .refine(({ guaranteed, most }) => guaranteed <= most, {
    path: ["guaranteed"],
    message: 'expected no more than "most"',
  });

const attributePatterns = z
  .array(
    z
      .string("expected a text")
      .regex(/^[A-Z*?[]\S{0,299}$/, "expected an attribute of nodes such as Configuration.application_*"),
    "expected a list of attributes of nodes",
  )
  .max(50, "expected at most 50 of them");

/** The fixed prefix keeps a configuration from using another secret as the key. */
const pseudonymKeyPrefix = "PSEUDONYM_KEY";

/** As the configuration spells the fields of messages. */
const pseudonymFieldOf = { user: "user", account: "account", job_name: "jobName" } as const;

export const pseudonymSchema = z.looseObject(
  {
    key_setting: passwordSetting(pseudonymKeyPrefix, "key"),
    fields: z
      .array(
        z
          .enum(["user", "account", "job_name"], 'expected "user", "account" or "job_name"')
          .transform((field) => pseudonymFieldOf[field]),
        "expected a list of fields",
      )
      .min(1, "expected one field or more, or no such key")
      .default(["user", "account", "jobName"]),
  },
  "expected an object of settings for pseudonyms",
);

const dollars = "expected US dollars above 0";

/** Settings of the cycle around the engine. */
/** One number for each of them, or `{"default": 200, "ann": 400}`; null: no cap. */
const perOwner = z.union(
  [wholeNumber, z.record(z.string(), wholeNumber.nullable())],
  'expected a whole number, 0 or more, or one by name such as {"default": 200, "ann": 400}',
);

const cycleShape = {
  long_wait: positiveSeconds.optional(),
  snapshot_interval: seconds.default(60),
  max_snapshot_age: positiveSeconds.default(300),
  demand_ttl: positiveSeconds.default(300),
  action_ttl: positiveSeconds.default(600),
  operation_timeout: positiveSeconds.default(900),
  node_list_lag: seconds.default(120),
  drain_timeout: seconds.default(300),
  capacity_failure_backoff: seconds.default(300),
  failed_node_retries: wholeNumber.default(3),
  boot_failures_before_backoff: wholeNumber.default(3),
  boot_failure_backoff: seconds.default(1800),
  unhealthy_nodes: perNodeArray(
    z.enum(["keep", "replace", "report"], 'expected "keep", "replace" or "report"'),
  ).default({}),
  // What NHC, healthagent and Slurm itself, after a prolog or epilog that tests the node, write.
  unhealthy_reasons: z
    .array(text, 'expected a list of texts such as "NHC:*"')
    .max(50, "expected at most 50 of them")
    .default(["NHC:*", "Healthcheck failures*", "Prolog error*", "Epilog error*"]),
  unhealthy_nodes_at_once: wholeNumber.default(2),
  unhealthy_nodes_per_day: wholeNumber.default(10),
  target_attributes: attributePatterns.default([]),
  max_sources: z
    .int("expected a whole number")
    .min(1, "expected 1 or more")
    .max(1_000, "expected at most 1000")
    .default(50),
  predict_run_times: flag.default(true),
  spot: spotSchema.optional(),
  shares: sharesSchema.optional(),
  read_only: flag.default(false),
  max_nodes_per_plan: wholeNumber.optional(),
  max_cores: wholeNumber.optional(),
  max_cores_per_user: perOwner.optional(),
  max_cores_per_account: perOwner.optional(),
  max_cores_per_queue: perOwner.optional(),
  monthly_budget_usd: z.number(dollars).positive(dollars).optional(),
};

export const engineSchema = z.looseObject(engineShape, "expected an object of settings");

/** What a window may change. */
export const settingsSchema = z.looseObject({ ...engineShape, ...cycleShape, ...budgetShape });

/** One cluster's `autoscale.json` with its includes merged. Unknown keys are accepted with a warning. */
export const configSchema = z.looseObject(
  {
    cluster_name: text.optional(),
    ...connectionShape,
    ...engineShape,
    ...cycleShape,
    autostop: autostopSchema.prefault({}),
    ...factsShape,
    ...priceShape,
    ...notificationShape,
    ...budgetShape,
    ...scheduleShape,
    pseudonyms: pseudonymSchema.optional(),
  },
  "expected an object of settings",
);

export type EngineKeys = z.output<typeof engineSchema>;
export type SettingsKeys = z.output<typeof settingsSchema>;
export type ConfigKeys = z.output<typeof configSchema>;
