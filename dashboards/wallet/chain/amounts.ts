import { amountText, amountUnits } from '../../../clients/signing/transactions/cadence-arguments.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'

/** Reserve for storage and fees, 10^-8 FLOW; the chain rejects transfers of more than the rest. */
export const reserveUnits = 1_000_000n

/** Limit of UFix64: 2^64 units of 10^-8. */
const maxFlow = 184_467_440_737
const maxCharacters = 21

/** `1234.50000000` → `1,234.5`. */
export function plainAmount(text: string): string {
  const [whole = '0', part = ''] = text.split('.')
  const rest = part.replace(/0+$/, '')
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return rest === '' ? grouped : `${grouped}.${rest}`
}

/** From units of 10^-8. */
export function plainUnits(units: bigint): string {
  return plainAmount(amountText(units))
}

/** @param reserve other tokens need none */
export function maxToSend(balance: string, reserve = reserveUnits): bigint {
  const units = amountUnits(balance, 'balance')
  return units > reserve ? units - reserve : 0n
}

export function amountProblem(
  text: string,
  balance: string | undefined,
  { symbol = 'FLOW', reserve = reserveUnits }: { readonly symbol?: string; readonly reserve?: bigint } = {},
): string | undefined {
  if (!/^\d+(?:\.\d{1,8})?$/.test(text)) return 'Enter a number such as 12 or 12.5, with at most 8 decimals.'
  if (text.length > maxCharacters || Number(text) > maxFlow) return 'The amount is too large.'
  const units = amountUnits(text)
  if (units === 0n) return 'The amount must be greater than 0.'
  if (balance !== undefined && units > maxToSend(balance, reserve))
    return (
      `You can send at most ${plainUnits(maxToSend(balance, reserve))} ${symbol}.` +
      (reserve > 0n ? ' The rest is reserved for storage and fees.' : '')
    )
  return undefined
}

/** In the smallest unit; undefined for other texts and more decimals. */
export function erc20Units(text: string, decimals: number): bigint | undefined {
  const [, whole, part = ''] = /^(\d{1,78})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || part.length > decimals) return undefined
  const units = BigInt(whole + part.padEnd(decimals, '0'))
  return units < 2n ** 256n ? units : undefined
}

/** Exact, without grouping. */
export function erc20Amount(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 || part === '' ? whole : `${whole}.${part}`
}

export function erc20Problem(
  text: string,
  { decimals, value, symbol }: { readonly decimals: number; readonly value: bigint; readonly symbol: string },
): string | undefined {
  const units = erc20Units(text, decimals)
  if (units === undefined)
    return decimals === 0
      ? 'Enter a whole number.'
      : `Enter a number such as 12 or 12.5, with at most ${decimals} decimals.`
  if (units === 0n) return 'The amount must be greater than 0.'
  if (units > value) return `You can send at most ${plainAmount(erc20Amount(value, decimals))} ${symbol}.`
  return undefined
}

/** Source: onflow/flow-go `model/flow/chain.go`. */
const addressOffsets: Readonly<Record<FlowChain, bigint>> = {
  mainnet: 0n,
  testnet: 0x6834ba37b3980209n,
  emulator: 0x1cb159857af02018n,
}

/**
 * Parity checks of the [64,45,7] code, lowest bit first. Source: flow-go `model/flow/address.go`.
 */
const columns = [
  0x00001, 0x00002, 0x00004, 0x00008, 0x00010, 0x00020, 0x00040, 0x00080, 0x00100, 0x00200, 0x00400, 0x00800, 0x01000,
  0x02000, 0x04000, 0x08000, 0x10000, 0x20000, 0x40000, 0x7328d, 0x6689a, 0x6112f, 0x6084b, 0x433fd, 0x42aab, 0x41951,
  0x233ce, 0x22a81, 0x21948, 0x1ef60, 0x1deca, 0x1c639, 0x1bdd8, 0x1a535, 0x194ac, 0x18c46, 0x1632b, 0x1529b, 0x14a43,
  0x13184, 0x12942, 0x118c1, 0x0f812, 0x0e027, 0x0d00e, 0x0c83c, 0x0b01d, 0x0a831, 0x0982b, 0x07034, 0x0682a, 0x05819,
  0x03807, 0x007d2, 0x00727, 0x0068e, 0x0067c, 0x0059d, 0x004eb, 0x003b4, 0x0036a, 0x002d9, 0x001c7, 0x0003f,
] as const

/** `0x` and 16 lower-case hex digits; shorter forms are undefined. */
export function readAddress(text: string): string | undefined {
  const digits = /^\s*(?:0x)?([0-9a-f]{16})\s*$/i.exec(text)?.[1]
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`
}

/** Detects up to two wrong digits. @param address from `readAddress` */
export function isAddressOf(address: string, chain: FlowChain): boolean {
  const word = BigInt(address) ^ addressOffsets[chain]
  let parity = 0
  for (const [bit, column] of columns.entries()) {
    if (((word >> BigInt(bit)) & 1n) === 1n) parity ^= column
  }
  return word !== 0n && parity === 0
}

/** Addresses of the chains are disjoint. */
export function chainOfAddress(address: string): FlowChain | undefined {
  return (Object.keys(addressOffsets) as FlowChain[]).find((chain) => isAddressOf(address, chain))
}
