import type { FeedBlock } from './reader.ts'
import { TimeSlices } from './time-slices.ts'
import { textFrame } from './feed-clients.ts'

export interface FilterableTransaction {
  readonly addresses: readonly string[]
  readonly tags: readonly string[]
  readonly contracts: readonly string[]
  readonly templates: readonly string[]
}

/**
 * `plain`: without `seq`, for clients that never sent a message. `marked`: with `seq`, by which
 * clients resume. `batch`: an array of marked messages per frame.
 */
export type FeedForm = 'plain' | 'marked' | 'batch'

export function messageText(type: string, payload: unknown, seq?: string): string {
  return JSON.stringify(seq === undefined ? { type, payload } : { type, seq, payload })
}

export function messageFrame(form: FeedForm, type: string, payload: unknown, seq: string): Buffer {
  const text = messageText(type, payload, form === 'plain' ? undefined : seq)
  return textFrame(form === 'batch' ? `[${text}]` : text)
}

/**
 * Number 0 is the block, number i + 1 its transaction i. Payloads are serialized once, and framed
 * once per format.
 */
export class BlockMessages {
  readonly height: number
  readonly id: string
  readonly parentId: string
  readonly transactions: readonly FilterableTransaction[]
  readonly textBytes: number
  /** Approximate memory use. */
  readonly bytes: number
  readonly #payloads: readonly string[]
  readonly #frames: Record<'plain' | 'marked', Buffer[]> = { plain: [], marked: [] }
  readonly #whole: Partial<Record<FeedForm, Buffer>> = {}

  constructor({ block, transactions }: FeedBlock) {
    this.height = block.height
    this.id = block.id
    this.parentId = block.parent_id
    this.transactions = transactions.map(({ summary, accounts, contracts }) => ({
      addresses: accounts,
      tags: summary.tags,
      contracts,
      templates: [summary.template_category, summary.template_label, summary.script_hash].filter((word) => word !== ''),
    }))
    this.#payloads = [JSON.stringify(block), ...transactions.map(({ summary }) => JSON.stringify(summary))]
    this.textBytes = this.#payloads.reduce((sum, payload) => sum + payload.length, 0)
    this.bytes = 1000 + this.textBytes * 5 + transactions.length * 1000
  }

  get length(): number {
    return this.#payloads.length
  }

  get endMark(): string {
    return markOf(this.height, this.length - 1, this.id)
  }

  /** Without envelopes. */
  textBytesOf(numbers: readonly number[]): number {
    if (numbers.length === this.length) return this.textBytes
    return numbers.reduce((sum, number) => sum + (this.#payloads[number]?.length ?? 0), 0)
  }

  /** Ascending, not empty. */
  frames(form: FeedForm, numbers: readonly number[]): Buffer {
    if (numbers.length === this.length) return (this.#whole[form] ??= this.#join(form, numbers))
    return this.#join(form, numbers)
  }

  #join(form: FeedForm, numbers: readonly number[]): Buffer {
    if (form === 'batch') return textFrame(`[${numbers.map((number) => this.#text('marked', number)).join(',')}]`)
    const [first = 0] = numbers
    if (numbers.length === 1) return this.#frame(form, first)
    return Buffer.concat(numbers.map((number) => this.#frame(form, number)))
  }

  #frame(form: 'plain' | 'marked', number: number): Buffer {
    return (this.#frames[form][number] ??= textFrame(this.#text(form, number)))
  }

  #text(form: 'plain' | 'marked', number: number): string {
    const type = number === 0 ? 'new_block' : 'new_transaction'
    const seq = form === 'plain' ? '' : `"seq":"${markOf(this.height, number, this.id)}",`
    return `{"type":"${type}",${seq}"payload":${this.#payloads[number] ?? ''}}`
  }
}

const slices = new TimeSlices()

export async function encodeBlocks(blocks: readonly FeedBlock[]): Promise<readonly BlockMessages[]> {
  const encoded: BlockMessages[] = []
  for (const block of blocks) {
    await slices.take()
    encoded.push(new BlockMessages(block))
  }
  return encoded
}

/**
 * As text: `<height>`, before all messages of the height; or `<height>.<number>.<fork>`, after
 * message `number` of the block whose id starts with `fork`.
 */
export interface Mark {
  readonly height: number
  /** Undefined: before all messages. */
  readonly had: { readonly number: number; readonly fork: string } | undefined
}

const markForm = /^(\d{1,15})(?:\.(\d{1,9})\.([0-9a-f]{16}))?$/

export function markOf(height: number, number: number, blockId: string): string {
  return `${height}.${number}.${forkOf(blockId)}`
}

export function forkOf(blockId: string): string {
  return blockId.slice(0, 16)
}

export function parseMark(text: string): Mark | undefined {
  const [, height, number, fork] = markForm.exec(text) ?? []
  if (height === undefined) return undefined
  const had = number === undefined || fork === undefined ? undefined : { number: Number(number), fork }
  return { height: Number(height), had }
}
