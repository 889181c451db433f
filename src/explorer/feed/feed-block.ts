import type { FeedBlock } from './reader.ts'
import { TimeSlices } from './time-slices.ts'
import { textFrame } from './feed-clients.ts'

/** A transaction by what filters ask for. */
export interface ToldTransaction {
  readonly addresses: readonly string[]
  readonly tags: readonly string[]
  readonly contracts: readonly string[]
  /** Category, name and hash of its script. */
  readonly templates: readonly string[]
}

/**
 * How messages are written: `plain` as `{type, payload}`, for clients that never said anything; `marked` with `seq`,
 * by which a client resumes; `batch` as an array of marked messages in one frame.
 */
export type FeedForm = 'plain' | 'marked' | 'batch'

/** A message as text. */
export function messageText(type: string, payload: unknown, seq?: string): string {
  return JSON.stringify(seq === undefined ? { type, payload } : { type, seq, payload })
}

/** One message in a frame of its form. */
export function messageFrame(form: FeedForm, type: string, payload: unknown, seq: string): Buffer {
  const text = messageText(type, payload, form === 'plain' ? undefined : seq)
  return textFrame(form === 'batch' ? `[${text}]` : text)
}

/**
 * A block with the messages that tell of it: number 0 the block, number i + 1 its transaction i. Each payload is made
 * into text once, and into a frame once for each form that somebody reads.
 */
export class ToldBlock {
  readonly height: number
  readonly id: string
  readonly parentId: string
  readonly transactions: readonly ToldTransaction[]
  /** What its messages are as text, without what is around each. */
  readonly textBytes: number
  /** Roughly what it holds in memory. */
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

  /** Messages that tell of it. */
  get length(): number {
    return this.#payloads.length
  }

  /** The mark of its last message. */
  get endMark(): string {
    return markOf(this.height, this.length - 1, this.id)
  }

  /** What some of its messages are as text, without what is around each. */
  textBytesOf(numbers: readonly number[]): number {
    if (numbers.length === this.length) return this.textBytes
    return numbers.reduce((sum, number) => sum + (this.#payloads[number]?.length ?? 0), 0)
  }

  /**
   * Some of its messages, ready to be sent.
   * @param numbers ascending, not empty
   */
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

/** Shared by all feeds of the process. */
const slices = new TimeSlices()

/** Makes the text of blocks, without keeping the event loop from everything else. */
export async function toldBlocks(blocks: readonly FeedBlock[]): Promise<readonly ToldBlock[]> {
  const told: ToldBlock[] = []
  for (const block of blocks) {
    await slices.take()
    told.push(new ToldBlock(block))
  }
  return told
}

/**
 * A place in the feed, where a client may go on. As text, `<height>`: before all messages of this height, or
 * `<height>.<number>.<fork>`: after message `number` of the block of this height whose id begins with `fork`.
 */
export interface Mark {
  readonly height: number
  /** Undefined: nothing of this height was had yet. */
  readonly had: { readonly number: number; readonly fork: string } | undefined
}

const markForm = /^(\d{1,15})(?:\.(\d{1,9})\.([0-9a-f]{16}))?$/

/** @param blockId 64 hex digits */
export function markOf(height: number, number: number, blockId: string): string {
  return `${height}.${number}.${forkOf(blockId)}`
}

/** As much of a block's id as tells it from others of its height. */
export function forkOf(blockId: string): string {
  return blockId.slice(0, 16)
}

/** Undefined where the text is none. */
export function parseMark(text: string): Mark | undefined {
  const [, height, number, fork] = markForm.exec(text) ?? []
  if (height === undefined) return undefined
  const had = number === undefined || fork === undefined ? undefined : { number: Number(number), fork }
  return { height: Number(height), had }
}
