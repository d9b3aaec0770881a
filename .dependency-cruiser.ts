import type { IConfiguration, IRegularForbiddenRuleType } from "dependency-cruiser";

/**
 * Who may import whom. `npm run lint` checks it; `test/architecture.test.ts` shows that each rule fails on a breach.
 * Types count as imports, and so does what is loaded later with `import()`.
 */

/**
 * The floors of `shared`, from the ground up. A room (a folder) may import what its floor
 * sees, and nothing else of this project. Rooms of one floor do not see each other, except where the floor lists itself.
 * A room that stands on no floor, or a file outside of rooms, breaks the rule `every-room-has-a-floor`.
 */
const floors: Readonly<
  Record<string, { readonly rooms: readonly string[]; readonly sees: readonly string[] }>
> = {
  pure: { rooms: ["accounting", "engine", "facts"], sees: [] },
  small: {
    rooms: ["app", "collections", "errors", "json", "machine", "names", "text", "time"],
    sees: ["pure", "small"],
  },
  messages: { rooms: ["messages", "simulated-cyclecloud"], sees: ["pure", "small"] },
  contracts: { rooms: ["api", "ports"], sees: ["pure", "small", "messages"] },
  adapters: {
    rooms: ["config", "cyclecloud", "price-list", "queues", "stores", "telemetry", "webhooks"],
    sees: ["pure", "small", "messages", "contracts"],
  },
  prices: { rooms: ["prices"], sees: ["pure", "small", "messages", "contracts"] },
  cycle: { rooms: ["cycle"], sees: ["pure", "small", "messages", "contracts", "prices"] },
  views: {
    rooms: ["backtest", "views"],
    sees: ["pure", "small", "messages", "contracts", "prices", "cycle"],
  },
  operate: { rooms: ["operate"], sees: ["pure", "small", "messages", "contracts", "cycle", "views"] },
  service: { rooms: ["service"], sees: ["small", "messages", "contracts", "cycle", "views", "operate"] },
};

/** The packages that a room may import; a room that is not named here imports none. A room talks to its own SDK only. */
const packages: Readonly<Record<string, readonly string[]>> = {
  api: ["zod"],
  backtest: ["pure-rand", "tinyqueue", "zod"],
  config: ["zod", "node:*"],
  // Digests are a pure function.
  cycle: ["crypto"],
  cyclecloud: ["@azure/core-rest-pipeline", "zod", "node:*"],
  messages: ["zod", "node:*"],
  "price-list": ["@azure/core-rest-pipeline", "zod"],
  queues: ["@azure/service-bus", "@azure/storage-blob", "@azure/storage-queue", "node:*"],
  service: ["zod"],
  "simulated-cyclecloud": ["pure-rand", "tinyqueue", "zod", "node:*"],
  stores: [
    "@azure/core-rest-pipeline",
    "@azure/data-tables",
    "@azure/identity",
    "@azure/storage-blob",
    "@azure/storage-queue",
    "zod",
    "node:*",
  ],
  text: ["zod"],
  time: ["croner"],
  telemetry: [
    "@azure/identity",
    "@azure/monitor-opentelemetry-exporter",
    "@opentelemetry/api",
    "@opentelemetry/resources",
    "@opentelemetry/sdk-metrics",
    "@opentelemetry/sdk-trace-base",
  ],
  webhooks: ["@azure/core-rest-pipeline"],
};

/** Rooms inside a room, in the order of its story: each may import itself and those before it. */
const stories: Readonly<Record<string, readonly string[]>> = {
  "shared/engine": [
    "values",
    "constraints",
    "model",
    "limits",
    "ledger",
    "place",
    "outcome",
    "plan.ts",
    "index.ts",
  ],
  "shared/cycle": ["[\\w-]+\\.ts", "demand", "account", "snapshot", "plan", "execute", "index.ts"],
};

const ours = "^(shared|functions|clients|infra|docs|test)/";
const oneOf = (names: readonly string[]) => `(?:${names.join("|")})`;
const roomPath = (room: string) => `^shared/${room}/`;
const roomsPath = (rooms: readonly string[]) => roomPath(oneOf(rooms));
const packagePath = (names: readonly string[]) => `(?:^|node_modules/)${oneOf(names)}(?:/|$)`;
const forbid = (
  name: string,
  comment: string,
  from: IRegularForbiddenRuleType["from"],
  to: IRegularForbiddenRuleType["to"],
): IRegularForbiddenRuleType => ({ name, comment, severity: "error", from, to });

const allRooms = Object.values(floors).flatMap(({ rooms }) => rooms);

const floorRules = Object.entries(floors).map(([floor, { rooms, sees }]) =>
  forbid(
    `floor-${floor}`,
    `${rooms.join(", ")} may import ${sees.join(", ") || "nothing of this project"}`,
    { path: `^shared/(${oneOf(rooms)})/` },
    {
      path: ours,
      pathNot: ["^shared/$1/", ...sees.map((seen) => roomsPath(floors[seen]?.rooms ?? []))],
    },
  ),
);

const packageRules = [
  ...Object.entries(packages).map(([room, names]) =>
    forbid(
      `packages-of-${room}`,
      `${room} may import ${names.join(", ")}`,
      { path: roomPath(room) },
      {
        dependencyTypesNot: names.includes("node:*") ? ["local", "core"] : ["local"],
        pathNot: packagePath(names),
      },
    ),
  ),
  forbid(
    "no-packages",
    "rooms without a row in `packages` import none",
    { path: "^shared/", pathNot: roomsPath(Object.keys(packages)) },
    { dependencyTypesNot: ["local"] },
  ),
];

const storyRules = Object.entries(stories).flatMap(([base, rooms]) => [
  forbid(
    `rooms-of-${base.slice("shared/".length)}`,
    `every file of ${base} is in one of the rooms of its story`,
    {},
    { path: `^${base}/`, pathNot: `^${base}/${oneOf(rooms)}(?:/|$)` },
  ),
  ...rooms
    .slice(0, -1)
    .map((room, index) =>
      forbid(
        `story-of-${base.slice("shared/".length)}-${room.replace("[\\w-]+\\.ts", "top")}`,
        `${room} of ${base} imports no later room of the story`,
        { path: `^${base}/${room}(?:/|$)`, pathNot: `^${base}/index\\.ts$` },
        { path: `^${base}/${oneOf(rooms.slice(index + 1))}(?:/|$)`, pathNot: `^${base}/${room}(?:/|$)` },
      ),
    ),
]);

/** A room is entered by its `index.ts`, or by one for each implementation; a room of small things by its files. */
const doors = [
  "^shared/[\\w-]+/index\\.ts$",
  "^shared/(?:queues|stores)/[\\w-]+/index\\.ts$",
  roomsPath(floors.small?.rooms ?? []),
];
/** Rooms whose tests too stay outside of each other. */
const story = oneOf(["cycle", "views", "operate", "service"]);
const storyDoor = `^shared/${story}/index\\.ts$`;

const doorRules = [
  forbid(
    "door",
    "a room of `shared` is entered by its index.ts",
    { path: "^shared/([\\w-]+)" },
    {
      path: "^shared/[\\w-]+/",
      pathNot: ["^shared/$1/", ...doors],
    },
  ),
  forbid(
    "door-from-outside",
    "a room of `shared` is entered by its index.ts",
    { path: "^(functions|clients|infra|docs)/" },
    {
      path: "^shared/[\\w-]+/",
      pathNot: doors,
    },
  ),
  forbid(
    "door-for-tests",
    "tests of other folders enter these rooms by their door",
    { path: "^test/(?!shared/)" },
    {
      path: `^shared/${story}/`,
      pathNot: storyDoor,
    },
  ),
  forbid(
    "door-for-neighbours",
    "tests of other folders enter these rooms by their door",
    { path: "^test/shared/([\\w-]+)" },
    {
      path: `^shared/${story}/`,
      pathNot: ["^shared/$1/", storyDoor],
    },
  ),
  forbid(
    "no-way-back-through-the-door",
    "nobody inside imports the index.ts of the own room",
    {
      path: `^shared/(${story})/`,
    },
    { path: "^shared/$1/index\\.ts$" },
  ),
];

const singleRules = [
  forbid("circle", "no files import each other in a circle", {}, { circular: true }),
  forbid(
    "every-room-has-a-floor",
    "a new room of `shared` needs a floor, here in `floors`",
    {},
    {
      path: "^shared/",
      pathNot: roomsPath(allRooms),
    },
  ),
  forbid("unresolved", "what is imported exists", { pathNot: "^test/" }, { couldNotResolve: true }),
  forbid(
    "sides",
    "functions, clients and infra never import each other",
    { path: "^(functions|clients|infra)/" },
    {
      path: "^(functions|clients|infra)/",
      pathNot: "^$1/",
    },
  ),
  forbid(
    "product-without-tests",
    "the product imports no test",
    { path: "^(shared|functions|clients|infra)/" },
    {
      path: "^(test|docs)/",
    },
  ),
  forbid(
    "functions-sdk",
    "only functions, and the local host that provides it, import @azure/functions",
    {
      path: "^(shared|functions|clients|infra)/",
      pathNot: "^(functions|infra/local/functions-host)/",
    },
    { path: packagePath(["@azure/functions"]) },
  ),
  forbid(
    "drivers",
    "drivers are data in, data out",
    {
      path: "^clients/agent/drivers/[\\w-]+/",
    },
    {
      dependencyTypesNot: ["core"],
      path: ours,
      pathNot: ["^clients/agent/drivers/", roomsPath(["collections", "engine", "json", "messages", "text"])],
    },
  ),
  forbid(
    "packages-of-drivers",
    "drivers may import zod, saxes, which reads XML, and node:crypto, which digests records",
    { path: "^clients/agent/drivers/" },
    {
      dependencyTypesNot: ["local"],
      pathNot: `${packagePath(["zod", "saxes"])}|^(node:)?crypto$`,
    },
  ),
  forbid(
    "programs",
    "only the agent's one file and the pager of help run programs",
    {
      path: "^(clients|shared|functions)/",
      pathNot: "^clients/(agent/execute|cli/help/pager)\\.ts$",
    },
    { path: "^(node:)?child_process$" },
  ),
  forbid(
    "tokens",
    "tokens are checked in one place",
    {
      path: "^(shared|functions|clients|infra)/",
      pathNot: "^functions/support/entra-token\\.ts$",
    },
    { path: packagePath(["jose"]) },
  ),
  forbid(
    "brokers",
    "only the agent reads brokers",
    {
      path: "^(shared|functions|clients|infra)/",
      pathNot: "^clients/agent/broker/read-(redis|rabbitmq)\\.ts$",
    },
    { path: packagePath(["amqplib", "@redis/client"]) },
  ),
  forbid(
    "composition",
    "only functions/support/wire.ts among the functions puts adapters together",
    {
      path: "^functions/",
      pathNot: "^functions/support/wire\\.ts$",
    },
    { path: roomsPath(["stores", "cyclecloud", "config", "queues", "webhooks"]) },
  ),
];

export default {
  forbidden: [...floorRules, ...packageRules, ...storyRules, ...doorRules, ...singleRules],
  options: {
    // TypeScript 7 has no stable API to parse with; SWC reads the same imports.
    parser: "swc",
    doNotFollow: { path: ["node_modules", "\\.json$"] },
    exclude: { path: "^(?!node_modules/).*/(?:dist|fixtures)/" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json", ".d.ts"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
} satisfies IConfiguration;
