import { addresses, boolean, integer, optionalText, optionalUrl } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

/** Variables of webhooks. */

const group = 'Webhooks'

export const webhookSettings = {
  ENABLE_WEBHOOKS: boolean({
    group,
    default: true,
    description: 'Make and send webhooks. Processes without it still take their management, and others send.',
  }),
  WEBHOOK_SERVER_URL: optionalUrl({
    group,
    schemes: ['http', 'https'],
    description:
      'A delivery service of your own. Every delivery is posted to it, signed, with its target in the ' +
      'header Webhook-Target; a 2xx says that it took it over. Without it flowfarm sends to the ' +
      'targets itself.',
  }),
  WEBHOOK_AUTH_TOKEN: optionalText({
    group,
    secret: true,
    description: 'Sent to WEBHOOK_SERVER_URL as `Authorization: Bearer`.',
  }),
  WEBHOOK_ALLOWED_NETWORKS: addresses({
    group,
    description:
      'Networks that webhooks may be sent to although they are not the public internet, such as ' +
      '127.0.0.0/8 for trials; there also by http and on any port.',
  }),
  WEBHOOK_CONCURRENCY: integer({
    group,
    default: 500,
    min: 1,
    max: 10_000,
    unit: 'subscriptions',
    description:
      'Subscriptions that a process sends to at the same time. The deliveries of one go one after the other.',
  }),
  WEBHOOK_TIMEOUT_MS: integer({
    group,
    default: 10_000,
    min: 100,
    max: 60_000,
    unit: 'ms',
    description: 'Longest wait for a receiver, from the connection to the end of its answer.',
  }),
  WEBHOOK_MAX_TRIES: integer({
    group,
    default: 12,
    min: 1,
    max: 100,
    description:
      'A delivery that failed so often is given up (dead), and the next one has its turn. With the ' +
      'defaults below after some three hours.',
  }),
  WEBHOOK_RETRY_BASE_MS: integer({
    group,
    default: 5000,
    min: 10,
    max: 3_600_000,
    unit: 'ms',
    description: 'Longest pause after the first failed attempt; it doubles with each up to WEBHOOK_RETRY_CAP_MS.',
  }),
  WEBHOOK_RETRY_CAP_MS: integer({
    group,
    default: 3_600_000,
    min: 10,
    max: 86_400_000,
    unit: 'ms',
    description: 'Longest pause between two attempts.',
  }),
  WEBHOOK_PAUSE_AFTER: integer({
    group,
    default: 50,
    min: 1,
    description:
      'An endpoint is paused after so many failed attempts in a row, until its owner lets it go on; ' +
      'nothing is lost by that. One that answers 410 is paused at once.',
  }),
  WEBHOOK_LOG_DAYS: integer({
    group,
    default: 7,
    min: 1,
    max: 3650,
    unit: 'days',
    description: 'How long deliveries that are done are kept.',
  }),
} satisfies Record<string, Setting<unknown>>
