import { hash } from 'node:crypto'
import { FatalError } from '../../src/platform/errors.ts'
import type { ChainPlace, NodeChain } from '../node/node-view.ts'
import { RecentCache } from '../node/recent-cache.ts'
import { bytesField, numberOf } from '../node/wire.ts'
import type { RecordedBlock, RecordedVersion } from './recording.ts'
import { ReplayBlock } from './replay-block.ts'

/** Equal shapes give equal chains, byte for byte. */
export interface ChainShape {
  /** Repeats from height 1 with new ids, parents and times, without end. Default false. */
  readonly loop?: boolean
  /** The height of recorded block 1; block 0 is then omitted. Default 0: heights as recorded. */
  readonly startHeight?: number
  /** `pastSpacingMs` applies below `height`. Default: times as recorded. */
  readonly clock?: {
    readonly height: number
    readonly time: Date
    readonly spacingMs: number
    readonly pastSpacingMs?: number
  }
  /** Default 512. */
  readonly cachedBlocks?: number
}

/** For calls by id alone. */
const maxRememberedTransactions = 200_000

/**
 * Any height is made on demand: ids of repeated blocks and collections carry their place.
 * Transaction ids are known for recently requested blocks only.
 */
export class ReplayChain implements NodeChain {
  readonly version: RecordedVersion
  readonly lowest: number
  readonly highest: number
  /** Height in the first pass. */
  readonly lastRecorded: number
  readonly #shape: ChainShape
  readonly #shift: number
  /** All blocks but block 0. */
  readonly #length: number
  readonly #passNs: bigint
  readonly #viewsPerPass: number
  readonly #blocks: RecentCache<number, ReplayBlock>
  readonly #recordedHeights = new Map<string, number>()
  readonly #recordedCollections = new Map<string, number>()
  readonly #transactions = new Map<string, ChainPlace>()
  readonly #systemBodies = new Map<string, Buffer>()
  readonly #repeatedTransactions = new RecentCache<string, ChainPlace>(maxRememberedTransactions)

  /** @throws FatalError for a recording without a block after height 0 */
  constructor(version: RecordedVersion, shape: ChainShape = {}) {
    this.version = version
    this.#shape = shape
    this.#blocks = new RecentCache(shape.cachedBlocks ?? 512)
    this.#length = version.blocks.length - 1
    this.lowest = shape.startHeight ?? 0
    this.#shift = Math.max(0, this.lowest - 1)
    this.lastRecorded = this.#length + this.#shift
    this.highest = shape.loop === true ? Number.POSITIVE_INFINITY : this.lastRecorded
    const [first, last] = [version.blocks[1], version.blocks.at(-1)]
    if (first === undefined || last === undefined) {
      throw new FatalError('recording-too-short', 'The recording has no block after height 0')
    }
    const spacings = BigInt(Math.max(1, this.#length - 1))
    const span = last.timestampNs - first.timestampNs
    this.#passNs = span + (span / spacings / 1_000_000n) * 1_000_000n
    this.#viewsPerPass = numberOf(last.header, 6)
    for (const block of version.blocks) this.#index(block)
  }

  get name(): string {
    return this.version.name
  }

  get firstHead(): number {
    return this.lastRecorded
  }

  get metadata(): Buffer {
    return this.version.metadata
  }

  block(height: number): ReplayBlock {
    return this.#blocks.get(height, () => this.#make(height))
  }

  heightOfBlock(id: Buffer): number | undefined {
    const recorded = this.#recordedHeights.get(key(id))
    if (recorded !== undefined) return this.#inChain(recorded + this.#shift)
    const height = this.#placeInFreshId(id)
    return height !== undefined && this.#idAt(height).equals(id) ? height : undefined
  }

  placeOfCollection(id: Buffer): ChainPlace | undefined {
    const recorded = this.#recordedCollections.get(key(id))
    const height = recorded === undefined ? this.#placeInFreshId(id) : this.#inChain(recorded + this.#shift)
    if (height === undefined) return undefined
    const index = this.block(height).identity.collectionIds.findIndex((candidate) => candidate.equals(id))
    return index === -1 ? undefined : { height, index }
  }

  placeOfTransaction(id: Buffer): ChainPlace | undefined {
    return this.#transactions.get(key(id)) ?? this.#repeatedTransactions.peek(key(id))
  }

  systemTransaction(id: Buffer): Buffer | undefined {
    return this.#systemBodies.get(key(id))
  }

  #index(block: RecordedBlock): void {
    this.#recordedHeights.set(key(block.id), block.height)
    for (const id of block.collectionIds) this.#recordedCollections.set(key(id), block.height)
    block.transactionIds.forEach((id, index) => {
      if (index >= block.userTransactionCount) this.#systemBodies.set(key(id), block.transactions[index] as Buffer)
      else this.#transactions.set(key(id), { height: block.height + this.#shift, index })
    })
  }

  #inChain(height: number): number | undefined {
    return height >= this.lowest && height <= this.highest ? height : undefined
  }

  #origin(height: number): { recorded: RecordedBlock; pass: number } {
    const position = height - this.#shift
    const pass = position <= this.#length ? 0 : Math.floor((position - 1) / this.#length)
    const recorded = this.version.blocks[position - pass * this.#length]
    if (recorded === undefined || height < this.lowest || height > this.highest) {
      throw new RangeError(`No block at height ${height}`)
    }
    return { recorded, pass }
  }

  #idAt(height: number): Buffer {
    const { recorded, pass } = this.#origin(height)
    return pass === 0 ? recorded.id : freshId(recorded.id, pass, recorded.height)
  }

  /** The caller verifies the id. */
  #placeInFreshId(id: Buffer): number | undefined {
    if (id.length !== 32 || this.#shape.loop !== true) return undefined
    const pass = (id.readUInt32BE(24) ^ id.readUInt32BE(0)) >>> 0
    const recordedHeight = (id.readUInt32BE(28) ^ id.readUInt32BE(4)) >>> 0
    if (pass === 0 || recordedHeight === 0 || recordedHeight > this.#length) return undefined
    return this.#shift + pass * this.#length + recordedHeight
  }

  #make(height: number): ReplayBlock {
    const { recorded, pass } = this.#origin(height)
    const isFirstPass = pass === 0
    const block = new ReplayBlock(this.version, recorded, {
      height,
      id: this.#idAt(height),
      parentId: isFirstPass ? recorded.parentId : this.#idAt(height - 1),
      timestampNs: this.#timestampNs(recorded, pass, height),
      viewShift: pass * this.#viewsPerPass,
      collectionIds: isFirstPass
        ? recorded.collectionIds
        : recorded.collectionIds.map((id) => freshId(id, pass, recorded.height)),
      referenceIdOf: (recordedId) => {
        const referenceHeight = this.#recordedHeights.get(key(recordedId))
        return referenceHeight === undefined ? recordedId : this.#idAt(height - (recorded.height - referenceHeight))
      },
    })
    if (!isFirstPass) this.#remember(block)
    return block
  }

  #timestampNs(recorded: RecordedBlock, pass: number, height: number): bigint {
    const { clock } = this.#shape
    if (clock === undefined) return recorded.timestampNs + BigInt(pass) * this.#passNs
    const spacingMs = height < clock.height ? (clock.pastSpacingMs ?? clock.spacingMs) : clock.spacingMs
    return BigInt(Math.round(clock.time.getTime() + (height - clock.height) * spacingMs)) * 1_000_000n
  }

  #remember({ recorded, transactionIds, height }: ReplayBlock): void {
    for (const [index, id] of transactionIds.slice(0, recorded.userTransactionCount).entries()) {
      this.#repeatedTransactions.get(key(id), () => ({ height, index }))
    }
  }
}

/** Carries its place, masked by its own hash. */
function freshId(recordedId: Buffer, pass: number, recordedHeight: number): Buffer {
  const id = hash('sha3-256', Buffer.concat([recordedId, bytesField(1, Buffer.from(String(pass)))]), 'buffer')
  id.writeUInt32BE((id.readUInt32BE(0) ^ pass) >>> 0, 24)
  id.writeUInt32BE((id.readUInt32BE(4) ^ recordedHeight) >>> 0, 28)
  return id
}

function key(id: Buffer): string {
  return id.toString('latin1')
}
