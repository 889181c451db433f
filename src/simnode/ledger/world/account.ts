import { addressAtIndex, addressBytes } from '../../../chain/address.ts'

/** An account by its place in the order in which accounts are made; the address follows from it. */
export interface Account {
  readonly index: number
  /** 8 bytes. */
  readonly address: Buffer
  /** 16 hex digits without `0x`: the form in which event types name it. */
  readonly hex: string
}

const known = new Map<number, Account>()
const maxKnown = 100_000

/** The account of an index, on the emulator's network. */
export function accountAt(index: number): Account {
  const found = known.get(index)
  if (found !== undefined) return found
  const text = addressAtIndex(index, 'emulator')
  const account = { index, address: addressBytes(text), hex: text.slice(2) }
  if (known.size >= maxKnown) known.clear()
  known.set(index, account)
  return account
}
