import { expect, test } from "vitest";
import { swallowed } from "../../../../infra/local/start/swallowed.ts";

const options = ["example", "demo", "jobs"];

test.each([
  { name: "nothing", env: {}, args: [], says: undefined },
  { name: "a setting of node-gyp", env: { npm_config_jobs: "max" }, args: [], says: undefined },
  {
    name: "npm start --demo",
    env: { npm_config_demo: "true" },
    args: [],
    says: 'Cannot take --demo: options of "npm start" come after "--", such as: npm start -- --demo',
  },
  {
    name: "npm start --example lab",
    env: { npm_config_example: "true" },
    args: ["lab"],
    says: 'Cannot take --example lab: options of "npm start" come after "--", such as: npm start -- --example lab',
  },
  {
    name: "npm start lab",
    env: {},
    args: ["lab"],
    says: 'Cannot take "lab": see npm start -- --help',
  },
])("what npm keeps is named: $name", ({ env, args, says }) => {
  expect(swallowed({ env, options, args })).toBe(says);
});
