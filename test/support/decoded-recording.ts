import type {
  EventEncoding,
  EventMessage,
  TransactionMessage,
  TransactionResultMessage,
} from '../../src/access/messages.ts'
import { readTransactionResultsResponse } from '../../src/access/wire/read-results.ts'
import { readTransactionsResponse } from '../../src/access/wire/read-transactions.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { addressText } from '../../src/flow/address.ts'
import type { DecodedBlock, DecodedEvent, DecodedRange, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import { decodePayload } from '../../src/flow/payload.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import { importsEvm, scriptHash } from '../../src/flow/code/script-imports.ts'
import { transactionId } from '../../src/flow/transactions/transaction-id.ts'
import type { RecordedBlock } from '../../simnode/replay/recording.ts'
import { bytesField } from '../../simnode/node/wire.ts'
import { recording } from './replay.ts'
import type { RecordingName } from './replay.ts'

/**
 * The blocks of a recording as workers see them, by height. Each call reads the recording again, so
 * that nothing is decoded yet.
 *
 * @param version '' for `calls.jsonl.gz`, `a` for `calls-a.jsonl.gz`
 */
export async function decodedRecording(
  name: RecordingName,
  { version = '', encoding = 'ccf' }: { version?: string; encoding?: EventEncoding } = {},
): Promise<readonly DecodedBlock[]> {
  const recorded = (await recording(name)).versions.get(version)
  if (recorded === undefined) throw new RangeError(`the recording ${name} has no version '${version}'`)
  return recorded.blocks.map((block) => decodedBlock(block, encoding))
}

/** The blocks of a range. Their heights must be consecutive from 0. */
export function rangeOf(blocks: readonly DecodedBlock[], { from, to }: HeightRange): DecodedRange {
  return { from, to, blocks: blocks.slice(from, to) }
}

function decodedBlock(block: RecordedBlock, encoding: EventEncoding): DecodedBlock {
  const bodies = readTransactionsResponse(answerOf(block.transactions))
  const results = readTransactionResultsResponse(answerOf(block.results[encoding]))
  return {
    height: block.height,
    id: block.id,
    timestampUs: Number(block.timestampNs / 1000n),
    transactions: bodies.map((body, index) => decodedTransaction(body, index, results[index])),
  }
}

function answerOf(messages: readonly Buffer[]): Buffer {
  return Buffer.concat(messages.map((message) => bytesField(1, message)))
}

function decodedTransaction(
  body: TransactionMessage,
  index: number,
  result: TransactionResultMessage | undefined,
): DecodedTransaction {
  const hasPayer = !isZero(body.payer)
  return {
    index,
    id: transactionId(body),
    isSystem: result === undefined || isZero(result.collectionId),
    payer: hasPayer ? addressText(body.payer) : undefined,
    proposer: hasPayer ? addressText(body.proposerAddress) : undefined,
    authorizers: body.authorizers.map(addressText),
    scriptHash: scriptHash(body.script),
    script: body.script.toString('utf8'),
    statusCode: result?.statusCode,
    isEvm: importsEvm(body.script),
    gasUsed: result?.computationUsage,
    events: (result?.events ?? []).map((event) => new RecordedEvent(event)),
  }
}

class RecordedEvent implements DecodedEvent {
  readonly type: string
  readonly index: number
  readonly #payload: Buffer
  #fields: PayloadFields | undefined

  constructor({ type, eventIndex, payload }: EventMessage) {
    this.type = type
    this.index = eventIndex
    this.#payload = payload
  }

  get fields(): PayloadFields {
    return (this.#fields ??= decodePayload(this.type, this.#payload))
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0)
}
