/** Names that this app shares with host.json, the infrastructure and the clients: written down once. */

/** Prefix of the settings that say where the Storage account is; see `settings.ts`. */
export const storageConnection = "AutoscaleStorage";
/** Prefix of the settings that say where the Service Bus namespace is. */
export const serviceBusConnection = "ServiceBusConnection";

export const jobDemandQueue = "job-demand";
/** The host moves a message here after `maxDequeueCount` failed attempts. */
export const jobDemandPoisonQueue = "job-demand-poison";
export const planRequestsQueue = "plan-requests";
export const scaleActionsQueue = "scale-actions";

/** App setting with the NCRONTAB schedule of the snapshot timer. */
export const snapshotScheduleSetting = "SNAPSHOT_SCHEDULE";

/** App setting with the NCRONTAB schedule of the timer that reads list prices that are old. */
export const pricesScheduleSetting = "PRICES_SCHEDULE";
/** App setting: address of the price list, Azure's public one by default; `off`: none is read. */
export const priceListSetting = "PRICE_LIST_URL";

/** App setting: where spans and metrics go, `azure` (default where the next setting is there), `console` or `off`. */
export const telemetrySetting = "AUTOSCALE_TELEMETRY";
/** App setting of the platform: the Application Insights component. */
export const insightsConnectionSetting = "APPLICATIONINSIGHTS_CONNECTION_STRING";

/** App setting: how nodes that ask to stop show who they are, `function-key` (default) or `basic`. */
export const autostopLoginSetting = "AUTOSTOP_LOGIN";

/** App setting: what of configurations may be changed through the HTTP API, `off`, `settings` (default) or `all`. */
export const configChangesSetting = "AUTOSCALE_CONFIG_CHANGES";

/** App setting: the memory of an instance in MiB, which bodies are bounded by; by default what the system says. */
export const memorySetting = "AUTOSCALE_MEMORY_MIB";

/** Where the broker puts messages of a queue that it gave up; such a queue has no sessions. */
export const deadPlanRequestsQueue = `${planRequestsQueue}/$DeadLetterQueue`;
export const deadActionsQueue = `${scaleActionsQueue}/$DeadLetterQueue`;

/** App setting: how callers of the HTTP API show who they are, `function-key` (default) or `entra`. */
export const apiLoginSetting = "API_LOGIN";
/** App settings, with `entra`: the tenant, and the application (client) id of the app registration. */
export const apiTenantSetting = "API_TENANT_ID";
export const apiClientSetting = "API_CLIENT_ID";
/** App setting: origin of the cloud's sign-in service, by default that of the public cloud. */
export const apiAuthoritySetting = "API_AUTHORITY";
/** Setting of the platform: `True` where it signs callers in before they reach the app. */
export const platformSignsInSetting = "WEBSITE_AUTH_ENABLED";
