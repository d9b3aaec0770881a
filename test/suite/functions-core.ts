/**
 * Before every test file: what `@azure/functions` finds in a Functions host. Without it the library skips every
 * registration, with a warning for each.
 */
import { installCore } from "../../infra/local/functions-host/core.ts";

installCore();
