import { addresses, integer, text } from '../setting.ts'
import type { Setting } from '../setting.ts'

const group = 'Serving'

/** Where the servers of a process listen. */
export const servingSettings = {
  PORT: integer({
    group,
    default: 8080,
    min: 0,
    max: 65_535,
    description: 'Port of the explorer API; 0 picks a free one and logs it.',
  }),
  HOST: text({ group, default: '0.0.0.0', description: 'Address that the servers bind.' }),
} satisfies Record<string, Setting<unknown>>

export const proxySettings = {
  TRUSTED_PROXIES: addresses({
    group: 'Access to the API',
    description:
      'Addresses and networks of your own proxies. Only what these add to X-Forwarded-For is believed; without it ' +
      'all who come through one proxy count as one address.',
  }),
} satisfies Record<string, Setting<unknown>>
