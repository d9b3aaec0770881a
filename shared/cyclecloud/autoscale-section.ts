import { type Json, parseAmount, type Resources, type Scalar } from "../engine/index.ts";

/** The section `Configuration.autoscale` of a node array or a node. */
export interface AutoscaleSection {
  readonly enabled: boolean;
  readonly allowsColocation: boolean;
  readonly resources: Resources;
  /** Resources that are no single value, by name. */
  readonly unusable: readonly string[];
}

type Configuration = { readonly [key: string]: Json };

/** Reads the section; a switch that is absent or makes no sense keeps its default (true). */
export function readAutoscaleSection(configuration: Configuration): AutoscaleSection {
  const section = asRecord(configuration.autoscale);
  const resources: Record<string, Scalar> = {};
  const unusable: string[] = [];
  for (const [name, value] of Object.entries(asRecord(section.resources))) {
    if (typeof value === "object" && value !== null) unusable.push(name);
    else resources[name] = typeof value === "string" ? (parseAmount(value) ?? value) : value;
  }
  return { enabled: isOn(section.enabled), allowsColocation: isOn(section.is_hpc), resources, unusable };
}

/** Templates give switches as booleans or as text. */
function isOn(value: Json | undefined): boolean {
  return String(value ?? true).toLowerCase() !== "false";
}

function asRecord(value: Json | undefined): Configuration {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Configuration) : {};
}
