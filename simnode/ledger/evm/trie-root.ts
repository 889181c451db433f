import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { encodeRlp, rlpHash } from './encode-rlp.ts'
import type { RlpItem } from './encode-rlp.ts'

interface Leaf {
  /** The key's half bytes. */
  readonly path: readonly number[]
  readonly value: Uint8Array
}

const empty = Buffer.alloc(0)

/** Of the keys of all indexes that there have been. */
const paths: Array<readonly number[]> = []

/** The root of a trie without leaves. */
export const emptyRoot = rlpHash(empty)

/**
 * The root of the Merkle Patricia trie that holds a list, each item under the RLP of its index: what Ethereum commits
 * to a block's transactions and receipts with.
 * Source: Ethereum yellow paper, appendix D.
 * @param items an item without bytes is as good as none
 */
export function listRoot(items: readonly Uint8Array[]): Buffer {
  const leaves: Leaf[] = []
  for (const [index, value] of items.entries()) {
    if (value.length > 0) leaves.push({ path: (paths[index] ??= halves(encodeRlp(index))), value })
  }
  return leaves.length === 0 ? emptyRoot : rlpHash(nodeOf(leaves, 0))
}

/** The node of the leaves that have the same path up to `depth`. No path is the beginning of another one. */
function nodeOf(leaves: readonly Leaf[], depth: number): RlpItem {
  const [first] = leaves as [Leaf, ...Leaf[]]
  if (leaves.length === 1) return [packed(first.path.slice(depth), true), first.value]
  const common = commonDepth(leaves, depth)
  if (common > depth) return [packed(first.path.slice(depth, common), false), reference(nodeOf(leaves, common))]
  const below: Array<[Leaf, ...Leaf[]] | undefined> = []
  for (const leaf of leaves) {
    const half = leaf.path[depth] as number
    const others = below[half]
    if (others === undefined) below[half] = [leaf]
    else others.push(leaf)
  }
  const branch = Array.from({ length: 16 }, (_, half): RlpItem => {
    const some = below[half]
    return some === undefined ? empty : reference(nodeOf(some, depth + 1))
  })
  branch.push(empty)
  return branch
}

function commonDepth(leaves: readonly Leaf[], depth: number): number {
  const [first] = leaves as [Leaf, ...Leaf[]]
  let common = depth
  while (leaves.every(({ path }) => path[common] === first.path[common])) common++
  return common
}

/** A node within another one: itself where it is short, else its hash. */
function reference(node: RlpItem): RlpItem {
  const encoded = encodeRlp(node)
  return encoded.length < 32 ? node : keccak256(encoded)
}

/** Half bytes with a mark in front: whether they end a path, and whether they are odd in number. */
function packed(path: readonly number[], isLeaf: boolean): Buffer {
  const mark = (isLeaf ? 2 : 0) + (path.length % 2)
  const padded = path.length % 2 === 0 ? [mark, 0, ...path] : [mark, ...path]
  const bytes = Buffer.alloc(padded.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = ((padded[2 * i] as number) << 4) | (padded[2 * i + 1] as number)
  return bytes
}

function halves(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15])
}
