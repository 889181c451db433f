import { hash } from 'node:crypto'
import { KeptRecently } from '../../node/kept-recently.ts'
import type { Branch } from '../world/branch.ts'

/** What the ids of a chain's blocks are made of. */
export interface IdSource {
  readonly seed: number
  readonly branch: Branch
  readonly busyness: number
}

/** More than the blocks that one refers to. */
const keptIds = 32
const kept = new WeakMap<IdSource, KeptRecently<number, Buffer>>()

/** The id of the block at a height; the parent of the first one has the id of the height below. */
export function blockId(source: IdSource, height: number): Buffer {
  if (height < 0) return Buffer.alloc(32)
  let ids = kept.get(source)
  if (ids === undefined) kept.set(source, (ids = new KeptRecently(keptIds)))
  return ids.get(height, () => placedId(source, height, 'block'))
}

/** The id of a block's collection. */
export function collectionId(source: IdSource, height: number, index: number): Buffer {
  return placedId(source, height, `collection ${index}`)
}

/** The header's hash of what the block holds. */
export function payloadHash(source: IdSource, height: number): Buffer {
  return placedId(source, height, 'payload')
}

/** The height that an id of a block or a collection belongs to, if it is one of ours: the caller makes sure. */
export function heightInId(id: Buffer): number | undefined {
  if (id.length !== 32) return undefined
  const [high, low] = [
    (id.readUInt32BE(24) ^ id.readUInt32BE(0)) >>> 0,
    (id.readUInt32BE(28) ^ id.readUInt32BE(4)) >>> 0,
  ]
  const height = high * 0x1_0000_0000 + low
  return Number.isSafeInteger(height) ? height : undefined
}

/** An id that carries its height, hidden under its own hash so that it looks like any other. */
function placedId({ seed, branch, busyness }: IdSource, height: number, what: string): Buffer {
  const text = `${seed} ${busyness} ${branch.saltAt(height)} ${height} ${what}`
  const id = Buffer.from(hash('sha3-256', text, 'hex'), 'hex')
  id.writeUInt32BE((id.readUInt32BE(0) ^ Math.floor(height / 0x1_0000_0000)) >>> 0, 24)
  id.writeUInt32BE((id.readUInt32BE(4) ^ height) >>> 0, 28)
  return id
}
