import { addressAtIndex, addressBytes } from '../../../src/flow/address.ts'

/** An account by its place in the order in which accounts are made; the address follows from it. */
export interface Account {
  readonly index: number
  /** 8 bytes. */
  readonly address: Buffer
  /** 16 hex digits without `0x`: the form in which event types name it. */
  readonly hex: string
}

const addressLength = 8
const known = new Map<number, Account>()
const maxKnown = 100_000
/** Those below are the same objects for ever, so that they can be told by identity. */
const firstForgotten = 8192

/** The account of an index, on the emulator's network. */
export function accountAt(index: number): Account {
  const found = known.get(index)
  if (found !== undefined) return found
  const text = addressAtIndex(index, 'emulator')
  // Memory of its own: a slice would keep all of the piece that Node shares out to small buffers.
  const address = Buffer.alloc(addressLength)
  addressBytes(text).copy(address)
  const account = { index, address, hex: text.slice(2) }
  if (index >= firstForgotten && known.size >= maxKnown) {
    for (const other of known.keys()) if (other >= firstForgotten) known.delete(other)
  }
  known.set(index, account)
  return account
}

/** @param address 8 bytes @returns undefined for what is no address of the emulator's network */
export function accountOfAddress(address: Uint8Array): Account | undefined {
  if (address.length !== addressLength) return undefined
  let rest = BigInt(`0x${Buffer.from(address).toString('hex')}`) ^ networkWord
  let index = 0n
  for (const row of reducedRows) {
    if ((rest & row.pivot) === 0n) continue
    rest ^= row.word
    index ^= row.index
  }
  return rest === 0n && index > 0n ? accountAt(Number(index)) : undefined
}

const networkWord = BigInt(addressAtIndex(0, 'emulator'))
const indexBits = 45

/** The code's rows, each with one bit that no later row has, and with the index whose word it is. */
const reducedRows = reduceRows()

function reduceRows(): Array<{ word: bigint; index: bigint; pivot: bigint }> {
  const rows = Array.from({ length: indexBits }, (_, bit) => ({
    word: BigInt(addressAtIndex(2 ** bit, 'emulator')) ^ networkWord,
    index: 1n << BigInt(bit),
    pivot: 0n,
  }))
  rows.forEach((row, at) => {
    row.pivot = row.word & -row.word
    for (const later of rows.slice(at + 1)) {
      if ((later.word & row.pivot) === 0n) continue
      later.word ^= row.word
      later.index ^= row.index
    }
  })
  return rows
}
