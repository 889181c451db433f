import { SettingError, words } from './setting.ts'
import type { Setting } from './setting.ts'

/** Variables of the explorer page. */

const group = 'Explorer page'

const gateways = words({
  group,
  default: ['https://ipfs.io/ipfs/', 'https://dweb.link/ipfs/'],
  description:
    'Gateways that the page has pictures on IPFS from, the first one first and the next where it fails: https addresses to which the content id is appended.',
})

export const pageSettings = {
  IPFS_GATEWAYS: {
    ...gateways,
    read: (text) => {
      const given = gateways.read(text)
      const wrong = given.find((address) => !URL.canParse(address) || new URL(address).protocol !== 'https:')
      if (wrong !== undefined) throw new SettingError(`must be addresses such as https://ipfs.io/ipfs/, not "${wrong}"`)
      return given.map((address) => (address.endsWith('/') ? address : `${address}/`))
    },
  },
} satisfies Record<string, Setting<unknown>>
