import { formatNumber } from '../kit/formats.ts'

/**
 * `0xe03daebed8ca0615` → `0xe03d…0615`; short IDs are unchanged. Leading zeros are dropped:
 * `0x000000000000000000000002fd4ffeccbbaa9977` → `0x0…2fd4…9977`.
 */
export function shorten(id: string, head = 6, tail = 4): string {
  const rest = /^0x0{12,}([1-9a-f].*)$/.exec(id)?.[1]
  if (rest !== undefined) return `0x0…${shorten(rest, 4, tail)}`
  return id.length <= head + tail + 3 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`
}

/** `4000.00500000` → `4,000.005`. */
export function formatAmount(amount: string): string {
  const [match, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (match === undefined) return amount
  const digits = fraction.replace(/0+$/, '')
  return `${sign}${whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')}${digits === '' ? '' : `.${digits}`}`
}

/** `1234.56789`, 2 → `1234.56`. Amounts below one keep all digits. */
export function truncateAmount(amount: string, decimals: number): string {
  const [whole = '', fraction = ''] = amount.split('.')
  if (/^-?0*$/.test(whole)) return amount
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction.slice(0, decimals)}`
}

/** Truncated: only 1 is 100%, only 0 is 0%. */
export function formatFraction(part: number): string {
  if (part > 0 && part < 0.0001) return '<0.01%'
  return `${(Math.floor(part * 10_000 + 1e-9) / 100).toFixed(2).replace(/\.?0+$/, '')}%`
}

/** `0.1`, `0.20` → `0.30`. */
export function sumAmounts(amounts: readonly string[]): string {
  const decimals = Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
  const sum = amounts.reduce((total, amount) => {
    const [whole = '0', fraction = ''] = amount.split('.')
    return total + BigInt(`${whole}${fraction.padEnd(decimals, '0')}`)
  }, 0n)
  return decimalOf(sum, decimals)
}

export function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`
}

export function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount)
}

function decimalOf(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const whole = `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}`
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
}

/** `1500000000000000000`, 18 → `1.5`. */
export function formatUnits(value: string, decimals: number): string {
  if (!/^\d+$/.test(value) || decimals === 0) return formatAmount(value)
  const padded = value.padStart(decimals + 1, '0')
  return formatAmount(`${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`)
}

interface EvmUnits {
  readonly type: 'ERC-20' | 'ERC-721' | 'ERC-1155'
  readonly decimals: number | null
}

/** ERC-20 amounts with unknown decimals are labelled as raw units. */
export function formatEvmAmount(value: string, { type, decimals }: EvmUnits, name: string): string {
  if (type === 'ERC-20' && decimals === null) {
    return `${formatAmount(value)} raw ${value === '1' ? 'unit' : 'units'}${name === '' ? '' : ` of ${name}`}`
  }
  return `${formatUnits(value, type === 'ERC-20' ? (decimals ?? 0) : 0)} ${name}`.trim()
}

/** Rounded: `$1,234.50`, `-$0.0021`. */
export function formatDollars(amount: string): string {
  const [match, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (match === undefined) return amount
  if (isZero(amount)) return '$0'
  const isSmall = isZero(whole)
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  if (isSmall && zeros >= 7) return `<${sign}$0.0000001`
  const decimals = isSmall ? zeros + 2 : 2
  const rest = fraction.slice(decimals)
  const units = BigInt(`${whole}${fraction.slice(0, decimals).padEnd(decimals, '0')}`) + (/^[5-9]/.test(rest) ? 1n : 0n)
  const [dollars = '', cents = ''] = decimalOf(units, decimals).split('.')
  const shown = formatAmount(dollars)
  return isSmall ? `${sign}$${formatAmount(`${dollars}.${cents}`)}` : `${sign}$${shown}.${cents}`
}

/** `A.0ae53cb6e3f42a79.FlowToken.Vault` → `FlowToken`. */
export function contractNameOf(type: string): string {
  return type.split('.')[2] ?? type
}

/** `A.0ae53cb6e3f42a79.FlowToken`. */
export function contractOf(type: string): string {
  return type.split('.').slice(0, 3).join('.')
}

const maxNameLength = 60

/** Removes control and direction characters, limits combining marks, and truncates. */
export function sanitizeName(name: string, fallback = 'Unnamed'): string {
  const visible = name
    .slice(0, maxNameLength * 20)
    .replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replaceAll(/(\p{M}{3})\p{M}+/gu, '$1')
    .trim()
  const letters = [...new Intl.Segmenter().segment(visible)].map(({ segment }) => segment)
  if (letters.length === 0) return fallback
  return letters.length <= maxNameLength ? visible : `${letters.slice(0, maxNameLength).join('')}…`
}

export function initialOf(name: string): string {
  return [...new Intl.Segmenter().segment(sanitizeName(name, '?'))][0]?.segment.toUpperCase() ?? '?'
}

export function symbolOf(token: string, symbol: string | null): string {
  const name = contractNameOf(token)
  return sanitizeName(symbol ?? '', name === 'FlowToken' ? 'FLOW' : name)
}

/** `NFT_TRANSFER` → `NFT transfer` */
export function humanize(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .toLowerCase()
    .replaceAll(/\b(?:nfts?|evm|tx)\b/g, (word) =>
      word.toUpperCase().replace('NFTS', 'NFTs').replace('TX', 'transaction'),
    )
    .replaceAll(/\bft\b/g, 'token')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `3.1 MB` */
export function formatBytes(bytes: number): string {
  const steps = [
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ] as const
  for (const [size, unit] of steps) if (bytes >= size) return `${(bytes / size).toFixed(1)} ${unit}`
  return `${formatNumber(bytes)} B`
}

export const paths = {
  block: (height: number | string): string => `/block/${height}`,
  blocksOfDay: (day: string): string => `/blocks?from=${day}&to=${day}`,
  /** System transactions have the same ID in several blocks. */
  transaction: (id: string, height?: number | null): string =>
    `/transaction/${encodeURIComponent(id)}${typeof height === 'number' ? `?height=${height}` : ''}`,
  account: (address: string): string => `/account/${encodeURIComponent(withPrefix(address))}`,
  token: (id: string): string => `/token/${encodeURIComponent(id)}`,
  collection: (type: string): string => `/nft/${encodeURIComponent(type)}`,
  item: (type: string, id: string): string => `/nft/${encodeURIComponent(type)}/item/${encodeURIComponent(id)}`,
  contract: (identifier: string): string => `/contract/${encodeURIComponent(identifier)}`,
  evmBlock: (number: number | string): string => `/evm/block/${number}`,
  evmTransaction: (hash: string): string => `/evm/transaction/${encodeURIComponent(hash)}`,
  evmAddress: (address: string): string => `/evm/address/${encodeURIComponent(address)}`,
  evmToken: (address: string): string => `/evm/token/${encodeURIComponent(address)}`,
  publicKey: (digits: string): string => `/key/${encodeURIComponent(digits)}`,
  events: (type: string): string => `/events?name=${encodeURIComponent(type)}`,
  pair: (id: string): string => `/pair/${encodeURIComponent(id)}`,
  node: (id: string): string => `/node/${encodeURIComponent(id)}`,
  scheduled: (id: number | string): string => `/scheduled/${id}`,
  script: (hash: string): string => `/script/${encodeURIComponent(hash)}`,
  ownWorker: (worker: string): string => `/tables/${encodeURIComponent(worker)}`,
  ownTable: (worker: string, table: string): string =>
    `/tables/${encodeURIComponent(worker)}/${encodeURIComponent(table)}`,
  search: (text: string): string => `/search?q=${encodeURIComponent(text)}`,
}

function withPrefix(address: string): string {
  return address.startsWith('0x') ? address : `0x${address}`
}
