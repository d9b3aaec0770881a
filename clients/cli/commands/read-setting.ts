import { parseJson } from "../../../shared/json.ts";

/** The value of a setting as people type it: JSON, or else a text, so that `spot` needs no quotes. */
export function readSetting(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
