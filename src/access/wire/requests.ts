import type { EventEncoding } from '../messages.ts'

const empty = new Uint8Array(0)

/** Ping, GetNetworkParameters, GetNodeVersionInfo. */
export function emptyRequest(): Uint8Array {
  return empty
}

/** `GetBlockByHeight` (light response) and `GetBlockHeaderByHeight`. */
export function heightRequest(height: number): Uint8Array {
  return encode([[1, height]])
}

/** `GetBlockByID`, `GetBlockHeaderByID`, `GetCollectionByID`, `GetFullCollectionByID`. */
export function idRequest(id: Uint8Array): Uint8Array {
  return encode([[1, id]])
}

/** Not sealed: the latest finalized one. */
export function latestRequest(sealed: boolean): Uint8Array {
  return encode([[1, sealed ? 1 : 0]])
}

/** `GetTransactionsByBlockID` and `GetTransactionResultsByBlockID`. */
export function transactionsByBlockRequest(blockId: Uint8Array, encoding: EventEncoding): Uint8Array {
  return encode([
    [1, blockId],
    [2, encodingNumber(encoding)],
  ])
}

/** `index` within the block. */
export function resultByIndexRequest(blockId: Uint8Array, index: number, encoding: EventEncoding): Uint8Array {
  return encode([
    [1, blockId],
    [2, index],
    [3, encodingNumber(encoding)],
  ])
}

/**
 * `GetTransaction` and `GetTransactionResult`. A system transaction requires the id of its block.
 */
export function transactionRequest(
  id: Uint8Array,
  encoding: EventEncoding,
  within: { readonly blockId?: Uint8Array; readonly collectionId?: Uint8Array } = {},
): Uint8Array {
  return encode([
    [1, id],
    [2, within.blockId ?? empty],
    [3, within.collectionId ?? empty],
    [4, encodingNumber(encoding)],
  ])
}

/** JSON-CDC arguments. */
export function scriptRequest(script: Uint8Array, args: readonly Uint8Array[]): Uint8Array {
  return encode([[1, script], ...args.map((argument) => [2, argument] as const)])
}

export function scriptAtHeightRequest(height: number, script: Uint8Array, args: readonly Uint8Array[]): Uint8Array {
  return encode([[1, height], [2, script], ...args.map((argument) => [3, argument] as const)])
}

export function scriptAtBlockIdRequest(
  blockId: Uint8Array,
  script: Uint8Array,
  args: readonly Uint8Array[],
): Uint8Array {
  return encode([[1, blockId], [2, script], ...args.map((argument) => [3, argument] as const)])
}

/** `GetAccountAtLatestBlock`; with a height `GetAccountAtBlockHeight`. */
export function accountRequest(address: Uint8Array, height = 0): Uint8Array {
  return encode([
    [1, address],
    [2, height],
  ])
}

function encodingNumber(encoding: EventEncoding): number {
  return encoding === 'ccf' ? 1 : 0
}

/** Zero and empty values are omitted, as in protobuf's canonical form. */
function encode(fields: readonly (readonly [number, number | Uint8Array])[]): Uint8Array {
  let length = 0
  for (const [, value] of fields) length += typeof value === 'number' ? 9 : 6 + value.length
  const out = Buffer.allocUnsafe(length)
  let position = 0
  for (const [field, value] of fields) {
    if (typeof value === 'number') {
      if (value === 0) continue
      out[position++] = field << 3
      position = putVarint(out, position, value)
    } else if (value.length > 0) {
      out[position++] = (field << 3) | 2
      position = putVarint(out, position, value.length)
      out.set(value, position)
      position += value.length
    }
  }
  return out.subarray(0, position)
}

/** @param value an integer from 0 to 2^53 */
function putVarint(out: Buffer, start: number, value: number): number {
  let position = start
  let rest = value
  while (rest >= 0x80) {
    out[position++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  out[position++] = rest
  return position
}
