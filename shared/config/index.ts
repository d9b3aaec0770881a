/** Configurations: what an `autoscale.json` may say, and how it is read with what it includes. */
export { parseEngineSettings } from "./engine-settings.ts";
export { factsShape, toFacts } from "./facts-schema.ts";
export { parseConfig } from "./parse-config.ts";
export { priceShape, toPriceRules } from "./price-rules-schema.ts";
export { checkConfig, readConfig } from "./read-config.ts";
export { resolveIncludes } from "./resolve-includes.ts";
export { foreignKeys, isKnownKey, warnOfUnknownKeys } from "./unknown-keys.ts";
export { configsInForce, inForce } from "./window-settings.ts";
