/**
 * Of the whole API, in the header `api-version` of every answer. Within a version fields, kinds and routes are only added,
 * so readers pass over what they do not know; whatever else changes makes a new version.
 */
export const API_VERSION = "1";

/** Of answers about a cluster: what its configuration says about printing (`output_columns`, `output_format`), as JSON. */
export const PRINTING_HEADER = "output-settings";
