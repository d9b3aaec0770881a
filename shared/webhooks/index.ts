/** Messages to Teams, Slack and others, behind the port `Notifier`. */
export { contentFor } from "./message-content.ts";
export { createWebhooks, type WebhookOptions } from "./send-webhook.ts";
