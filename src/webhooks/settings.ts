import { addresses, boolean, integer, optionalText, optionalUrl } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

const group = 'Webhooks'

export const webhookSettings = {
  ENABLE_WEBHOOKS: boolean({
    group,
    default: true,
    description: 'Dispatch and send webhooks. Processes without it still serve webhook management.',
  }),
  WEBHOOK_SERVER_URL: optionalUrl({
    group,
    schemes: ['http', 'https'],
    description:
      'External delivery service. Every signed delivery is posted to it with its target in the header ' +
      'Webhook-Target; a 2xx response means accepted. Unset: deliver directly.',
  }),
  WEBHOOK_AUTH_TOKEN: optionalText({
    group,
    secret: true,
    description: 'Bearer token for WEBHOOK_SERVER_URL.',
  }),
  WEBHOOK_ALLOWED_NETWORKS: addresses({
    group,
    description:
      'Private networks that webhooks may target, also by http and on any port, such as 127.0.0.0/8 for tests.',
  }),
  WEBHOOK_CONCURRENCY: integer({
    group,
    default: 500,
    min: 1,
    max: 10_000,
    unit: 'subscriptions',
    description: 'Subscriptions served concurrently per process. Deliveries of one subscription are sequential.',
  }),
  WEBHOOK_TIMEOUT_MS: integer({
    group,
    default: 10_000,
    min: 100,
    max: 60_000,
    unit: 'ms',
    description: 'Timeout of an attempt, from connecting to the end of the response.',
  }),
  WEBHOOK_MAX_TRIES: integer({
    group,
    default: 12,
    min: 1,
    max: 100,
    description:
      'Attempts after which a delivery is dead and the next one is sent; about three hours with the default delays.',
  }),
  WEBHOOK_RETRY_BASE_MS: integer({
    group,
    default: 5000,
    min: 10,
    max: 3_600_000,
    unit: 'ms',
    description: 'Maximum delay after the first failed attempt; doubles with each attempt up to WEBHOOK_RETRY_CAP_MS.',
  }),
  WEBHOOK_RETRY_CAP_MS: integer({
    group,
    default: 3_600_000,
    min: 10,
    max: 86_400_000,
    unit: 'ms',
    description: 'Maximum delay between attempts.',
  }),
  WEBHOOK_PAUSE_AFTER: integer({
    group,
    default: 50,
    min: 1,
    description:
      'Consecutive failed attempts after which an endpoint is paused until its owner resumes it; no event is lost. A ' +
      '410 response pauses it immediately.',
  }),
  WEBHOOK_LOG_DAYS: integer({
    group,
    default: 7,
    min: 1,
    max: 3650,
    unit: 'days',
    description: 'Retention of finished deliveries.',
  }),
} satisfies Record<string, Setting<unknown>>
