import { app } from "@azure/functions";
import { readSettings } from "./settings.ts";
import { createService } from "./wire.ts";

/** The one service of this process. Settings are checked as the app is loaded, so that a bad one stops it with a reason. */
export const service = createService({ settings: readSettings(process.env), environment: process.env });

app.hook.appTerminate(() => service.stop());
