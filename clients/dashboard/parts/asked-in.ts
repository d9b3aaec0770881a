import { jsonOr } from "../../../shared/json/json.ts";

/** What was asked in the address; anybody may have written it, so the service checks it. Undefined: nothing. */
export function askedIn<T extends object>(text: string | undefined): T | undefined {
  const value = jsonOr(text ?? "");
  return typeof value === "object" && value !== null ? (value as T) : undefined;
}
