import { setTimeout as delay } from 'node:timers/promises'
import { pause } from '../../../src/platform/retry.ts'
import { Random } from '../../simulation/random.ts'
import type { Findings } from '../report/findings.ts'
import type { DrivenChain } from '../world/driven-chain.ts'
import type { SupervisedProcess } from '../world/supervised-process.ts'

export interface RestReaderOptions {
  readonly url: string
  readonly seed: number
  readonly chain: DrivenChain
  readonly web: SupervisedProcess
  readonly findings: Findings
}

interface Block {
  readonly height: number
  readonly id: string
  readonly parent_id: string
  /** System transactions are excluded, as their ids may repeat in each block. */
  readonly collections?: readonly { readonly transaction_ids: readonly string[] }[]
}
interface Answer {
  readonly status: number
  readonly body: { readonly data?: unknown }
}

/** Lists and summaries, available in any state of the database. */
const plainPaths = [
  '/status',
  '/flow/transaction?limit=10',
  '/flow/account?limit=10',
  '/flow/ft?limit=10',
  '/flow/ft/transfer?limit=20',
  '/flow/nft?limit=10',
  '/flow/nft/transfer?limit=20',
  '/flow/contract?limit=10',
  '/flow/evm/transaction?limit=10',
  '/staking/delegator?limit=10',
  '/defi/pair',
  '/insights/daily',
]

/** Timeout for a response. */
const connectTimeoutMs = 20_000
/** Maximum delay between a broken connection and the exit of its process. */
const graceMs = 300
const betweenMs = 25

/**
 * Reads the API continuously. While its process runs, every request must return 200, or a 503
 * problem while the database is down. Blocks far enough below the head must match the chain.
 */
export class RestReader {
  readonly #options: RestReaderOptions
  readonly #random: Random
  readonly #stop = new AbortController()
  readonly counts = { answered: 0, unavailable: 0, unreachable: 0, slowestMs: 0 }
  #running: Promise<void> | undefined

  constructor(options: RestReaderOptions) {
    this.#options = options
    this.#random = new Random(options.seed)
  }

  start(): void {
    this.#running = this.#read()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #read(): Promise<void> {
    const reads = [() => this.#readBlock(), () => this.#readList(), () => this.#readBlock(), () => this.#readPlain()]
    for (let turn = 0; !this.#stop.signal.aborted; turn++) {
      await reads[turn % reads.length]?.()
      await pause(betweenMs)
    }
  }

  /** A block with known contents, and one of its transactions. */
  async #readBlock(): Promise<void> {
    const { chain } = this.#options
    if (chain.settled < 0) return
    const height = this.#random.integer(0, chain.settled)
    const expected = chain.blockId(height)
    const answer = await this.#ask(`/flow/block/${height}`)
    // Otherwise the chain has left the branch meanwhile.
    if (answer?.status !== 200 || height > chain.settled) return this.#refuse(answer, `/flow/block/${height}`, height)
    const [block] = answer.body.data as [Block | undefined]
    if (block?.height !== height || block.id !== expected) {
      return this.#complain(`/flow/block/${height} returned ${block?.height} ${block?.id}; the chain has ${expected}`)
    }
    const id = this.#pick((block.collections ?? []).flatMap(({ transaction_ids }) => transaction_ids))
    if (id === undefined) return
    const path = `/flow/transaction/${id}`
    const found = await this.#ask(path)
    if (found?.status !== 200 || height > chain.settled) return this.#refuse(found, path, height)
    const [newest] = found.body.data as [{ readonly id: string; readonly block_height: number } | undefined]
    if (newest?.id !== id || newest.block_height !== height)
      this.#complain(`${path} returned ${newest?.id} in block ${newest?.block_height}, not in ${height}`)
  }

  /** The newest blocks must form one chain. */
  async #readList(): Promise<void> {
    const answer = await this.#ask('/flow/block?limit=20')
    if (answer?.status !== 200) return this.#refuse(answer, '/flow/block', -1)
    const blocks = answer.body.data as readonly Block[]
    for (const [i, block] of blocks.entries()) {
      const below = blocks[i + 1]
      if (below === undefined) continue
      if (below.height !== block.height - 1 || below.id !== block.parent_id) {
        this.#complain(
          `/flow/block returned ${block.height} (parent ${block.parent_id}), then ${below.height} ${below.id}`,
        )
      }
    }
  }

  async #readPlain(): Promise<void> {
    const path = this.#pick(plainPaths) ?? '/status'
    const answer = await this.#ask(path)
    if (answer?.status !== 200) this.#refuse(answer, path, -1)
  }

  /** One request. @returns undefined if a response neither arrived nor could be expected */
  async #ask(path: string): Promise<Answer | undefined> {
    const startedAt = performance.now()
    try {
      const response = await fetch(`${this.#options.url}${path}`, { signal: AbortSignal.timeout(connectTimeoutMs) })
      const text = await response.text()
      this.counts.slowestMs = Math.max(this.counts.slowestMs, Math.round(performance.now() - startedAt))
      if (response.status === 200) this.counts.answered++
      if (response.status === 503) {
        this.counts.unavailable++
        const type = response.headers.get('content-type') ?? 'none'
        if (!type.startsWith('application/problem+json'))
          this.#complain(`${path}: a 503 with content type ${type}: ${text.slice(0, 200)}`)
      }
      return { status: response.status, body: JSON.parse(text) as Answer['body'] }
    } catch (error) {
      await delay(graceMs)
      this.counts.unreachable++
      const { readySince } = this.#options.web
      const worked = readySince !== undefined && readySince < startedAt && !this.#stop.signal.aborted
      if (worked)
        this.#complain(
          `${path}: no answer after ${Math.round(performance.now() - startedAt)} ms from a process that works: ${causeOf(error)}`,
        )
      return undefined
    }
  }

  /**
   * Other statuses than 200: only 503 is allowed, and 404 for a block that was just rolled back.
   */
  #refuse(answer: Answer | undefined, path: string, height: number): void {
    if (answer === undefined || answer.status === 200 || answer.status === 503) return
    if (answer.status === 404 && height > this.#options.chain.settled) return
    this.#complain(`${path} was answered with ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`)
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : this.#random.pick(items)
  }

  #complain(text: string): void {
    this.#options.findings.add('API', text)
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? `${String(error)} (${cause.message})` : String(error)
}
