import { addresses, integer, text, urlsByName } from '../setting.ts'
import type { Setting } from '../setting.ts'

const group = 'Serving'

export const servingSettings = {
  PORT: integer({
    group,
    default: 8080,
    min: 0,
    max: 65_535,
    description: 'Port of the explorer API; 0 picks a free port and logs it.',
  }),
  APPLICATION_URLS: urlsByName({
    group,
    names: ['explorer', 'ask', 'chat', 'wallet', 'editor', 'operator'],
    description:
      'Public URLs of the applications for the menu in their headers, e.g. explorer=https://flow.example/,chat=' +
      'https://chat.flow.example/. Default: the ports of services in the same process, unless behind a proxy.',
  }),
  HOST: text({ group, default: '0.0.0.0', description: 'Address to which the servers bind.' }),
} satisfies Record<string, Setting<unknown>>

export const proxySettings = {
  TRUSTED_PROXIES: addresses({
    group: 'Access to the API',
    description:
      'Addresses and networks of your reverse proxies. Only X-Forwarded-For entries added by these are trusted. ' +
      'Without it, all clients behind a proxy count as one address.',
  }),
} satisfies Record<string, Setting<unknown>>
