import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { transactionId } from '../flow/transactions/transaction-id.ts'
import type {
  EventMessage,
  FetchedBlock,
  SignatureMessage,
  TransactionMessage,
  TransactionResultMessage,
} from '../access/messages.ts'
import { appendBlock } from './append-block.ts'
import { BatchWriter } from './batch-writer.ts'
import type { CommittedBatch } from './batch-writer.ts'
import { readRawCoverage } from './checkpoints.ts'
import type { IngesterName } from './checkpoints.ts'
import { ScriptCache, ShapeCache } from './caches.ts'

/** Blocks as a node would give them, made of nothing but what a test names. */

const none = Buffer.alloc(0)

/** 32 bytes that are the same for the same parts. */
export function idOf(...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(parts.join('/')).digest()
}

/** Id of the block at a height of a chain; `fork` names the chain. */
export function blockIdOf(height: number, fork = 'main'): Buffer {
  return idOf('block', fork, height)
}

export interface TransactionParts {
  readonly body?: Partial<TransactionMessage>
  /** Undefined where no node has the result. */
  readonly result?: Partial<TransactionResultMessage> | undefined
}

export interface BlockParts {
  readonly fork?: string
  readonly transactions?: readonly TransactionParts[]
  readonly fetched?: Partial<FetchedBlock>
}

/** A block that follows the one below of the same chain. Its first collection is `idOf('collection')`. */
export function blockOf(height: number, parts: BlockParts = {}): FetchedBlock {
  const { fork = 'main', transactions = [], fetched = {} } = parts
  const bodies = transactions.map(({ body = {} }) => bodyOf(body))
  return {
    block: {
      id: blockIdOf(height, fork),
      parentId: blockIdOf(height - 1, fork),
      height,
      timestampUs: 1_700_000_000_000_000 + height,
      collectionIds: [idOf('collection')],
    },
    transactions: bodies,
    transactionIds: bodies.map(transactionId),
    results: transactions.map((made, i) => {
      const isMissing = 'result' in made && made.result === undefined
      return isMissing ? undefined : resultOf(bodies[i] as TransactionMessage, made.result)
    }),
    missing: [],
    byteLength: 1000,
    endpoint: 'test:1',
    ...fetched,
  }
}

function bodyOf(parts: Partial<TransactionMessage>): TransactionMessage {
  return {
    script: Buffer.from('transaction {}'),
    arguments: [],
    referenceBlockId: idOf('reference'),
    gasLimit: 9999n,
    proposerAddress: Buffer.from('18eb4ee6b3c026d2', 'hex'),
    proposerKeyId: 1,
    proposerSequenceNumber: 7n,
    payer: Buffer.from('7c8995e83c4b1843', 'hex'),
    authorizers: [Buffer.from('18eb4ee6b3c026d2', 'hex')],
    payloadSignatures: [],
    envelopeSignatures: [signatureOf()],
    ...parts,
  }
}

export function signatureOf(parts: Partial<SignatureMessage> = {}): SignatureMessage {
  const address = Buffer.from('7c8995e83c4b1843', 'hex')
  return { address, keyId: 0, signature: Buffer.alloc(64, 5), extensionData: none, ...parts }
}

function resultOf(body: TransactionMessage, parts: Partial<TransactionResultMessage> = {}): TransactionResultMessage {
  return {
    transactionId: transactionId(body),
    status: 'SEALED',
    statusCode: 0,
    errorMessage: '',
    events: [],
    collectionId: idOf('collection'),
    computationUsage: 12n,
    ...parts,
  }
}

/** An event with the fields in JSON-CDC, or with exactly these bytes. */
export function eventOf(
  type: string,
  content: Record<string, { type: string; value: unknown }> | Buffer,
  eventIndex = 0,
): EventMessage {
  const payload = Buffer.isBuffer(content) ? content : jsonCdcEvent(type, content)
  return { type, transactionIndex: 0, eventIndex, payload }
}

function jsonCdcEvent(id: string, content: Record<string, { type: string; value: unknown }>): Buffer {
  const fields = Object.entries(content).map(([name, value]) => ({ name, value }))
  return Buffer.from(JSON.stringify({ type: 'Event', value: { id, fields } }))
}

/** Stores blocks as an ingester does, in batches of `batchBlocks`, in the order given; heights are neighbours. */
export async function storeBlocks(
  pool: Pool,
  blocks: readonly FetchedBlock[],
  { name = 'main_ingester', batchBlocks = 100 }: { name?: IngesterName; batchBlocks?: number } = {},
): Promise<CommittedBatch[]> {
  const { forward, backward } = await readRawCoverage(pool)
  const committed: CommittedBatch[] = []
  const writer = new BatchWriter({
    pool,
    name,
    generation: (name === 'main_ingester' ? forward : backward).generation,
    lockLost: new AbortController().signal,
    scripts: new ScriptCache(),
    shapes: new ShapeCache(),
    onCommitted: (batch) => committed.push(batch),
  })
  for (let at = 0; at < blocks.length; at += batchBlocks) {
    const batch = writer.takeBatch()
    for (const block of blocks.slice(at, at + batchBlocks)) appendBlock(batch, block)
    await writer.store(batch)
  }
  await writer.drain()
  return committed
}
