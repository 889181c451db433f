import { list, optionalInteger, optionalNumber, optionalText, optionalUrl } from './setting.ts'
import type { Setting } from './setting.ts'

/**
 * Variables of parts that are not built yet. They are checked like all others, so that a configuration written for
 * the whole program is accepted, and they change nothing until their part exists. A part that is built moves its
 * variables to `config.ts`.
 */

/** Heading of all variables that change nothing yet, those of workers that do not exist among them. */
export const plannedGroup = 'Checked, without effect so far'
const group = plannedGroup

export const plannedSettings = {
  API_RATE_LIMIT_RPS: optionalNumber({ group, min: 0, unit: 'requests per second and client', description: 'Rate limit of the API; 0 is no limit.' }),
  API_RATE_LIMIT_BURST: optionalInteger({ group, min: 1, unit: 'requests', description: 'Requests that a client may make at once.' }),
  API_RATE_LIMIT_TTL_MIN: optionalInteger({ group, min: 1, unit: 'minutes', description: 'How long an idle client is remembered.' }),
  API_RATE_LIMIT_TRUSTED_RPS: optionalNumber({ group, min: 0, unit: 'requests per second and client', description: 'Rate limit for trusted origins.' }),
  API_RATE_LIMIT_TRUSTED_ORIGINS: list({ group, description: 'Origins with the trusted rate limit.' }),

  AUTH_DB_URL: optionalUrl({ group, secret: true, schemes: ['postgres', 'postgresql'], description: 'Database of the authentication service.' }),

  WEBHOOK_AUTH_TOKEN: optionalText({ group, secret: true, description: 'Token toward the webhook delivery service.' }),
  WEBHOOK_SERVER_URL: optionalUrl({ group, schemes: ['http', 'https'], description: 'Address of the webhook delivery service.' }),
} satisfies Record<string, Setting<unknown>>
