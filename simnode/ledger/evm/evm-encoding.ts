import { BackwardRlp } from '../../../src/flow/transactions/transaction-id.ts'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import type { LogParts } from './evm-block.ts'

export type RlpItem = Uint8Array | number | bigint | readonly RlpItem[]

const maxRetainedBytes = 4 * 1024 * 1024

let writer = new BackwardRlp()

/** @param prefix bytes in front of the RLP */
export function encodeRlp(item: RlpItem, ...prefix: readonly number[]): Buffer {
  const encoded = written(item)
  const bytes = Buffer.allocUnsafe(prefix.length + encoded.length)
  bytes.set(prefix)
  bytes.set(encoded, prefix.length)
  return bytes
}

export function rlpHash(item: RlpItem): Buffer {
  return keccak256(written(item))
}

/** Valid until the next item. */
function written(item: RlpItem): Buffer {
  if (writer.length > maxRetainedBytes) writer = new BackwardRlp()
  writer.clear()
  write(item)
  return writer.view()
}

function write(item: RlpItem): void {
  if (item instanceof Uint8Array) writer.string(item)
  else if (typeof item === 'number') writer.uint(item)
  else if (typeof item === 'bigint') writer.string(bytesOf(item))
  else {
    const before = writer.length
    for (let i = item.length - 1; i >= 0; i--) write(item[i] as RlpItem)
    writer.list(before)
  }
}

function bytesOf(value: bigint): Buffer {
  const digits = value === 0n ? '' : value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** 20 bytes, or 256 bits. */
type AbiWord = Buffer | bigint | number

const wordBytes = 32
const hashes = new Map<string, Buffer>()
const transfer = signatureHash('Transfer(address,address,uint256)')
const transferBatch = signatureHash('TransferBatch(address,address,address,uint256[],uint256[])')
const transferSingle = signatureHash('TransferSingle(address,address,address,uint256,uint256)')

export function abiWord(value: AbiWord): Buffer {
  const word = Buffer.alloc(wordBytes)
  if (Buffer.isBuffer(value)) value.copy(word, wordBytes - value.length)
  else Buffer.from(value.toString(16).padStart(2 * wordBytes, '0'), 'hex').copy(word)
  return word
}

export function callInput(signature: string, ...values: readonly AbiWord[]): Buffer {
  return Buffer.concat([signatureHash(signature).subarray(0, 4), ...values.map(abiWord)])
}

export function erc20Transfer(contract: Buffer, from: Buffer, to: Buffer, amount: bigint): LogParts {
  return { address: contract, topics: [transfer, abiWord(from), abiWord(to)], data: abiWord(amount) }
}

export function erc721Transfer(contract: Buffer, from: Buffer, to: Buffer, id: number): LogParts {
  return { address: contract, topics: [transfer, abiWord(from), abiWord(to), abiWord(id)], data: Buffer.alloc(0) }
}

export function erc1155Transfer(
  contract: Buffer,
  operator: Buffer,
  from: Buffer,
  to: Buffer,
  id: number,
  amount: bigint,
): LogParts {
  return {
    address: contract,
    topics: [transferSingle, abiWord(operator), abiWord(from), abiWord(to)],
    data: Buffer.concat([abiWord(id), abiWord(amount)]),
  }
}

export function erc1155BatchTransfer(
  contract: Buffer,
  operator: Buffer,
  from: Buffer,
  to: Buffer,
  amounts: ReadonlyArray<readonly [id: number, amount: bigint]>,
): LogParts {
  const idsAt = 2 * wordBytes
  const words = [
    idsAt,
    idsAt + wordBytes * (1 + amounts.length),
    amounts.length,
    ...amounts.map(([id]) => id),
    amounts.length,
    ...amounts.map(([, amount]) => amount),
  ]
  return {
    address: contract,
    topics: [transferBatch, abiWord(operator), abiWord(from), abiWord(to)],
    data: Buffer.concat(words.map(abiWord)),
  }
}

function signatureHash(signature: string): Buffer {
  const known = hashes.get(signature) ?? keccak256(Buffer.from(signature))
  hashes.set(signature, known)
  return known
}
