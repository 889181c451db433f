import { setTimeout as delay } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { pause } from '../../../src/platform/retry.ts'
import { Random } from '../../simulation/random.ts'
import type { Findings } from '../report/findings.ts'
import type { DrivenChain } from '../world/driven-chain.ts'
import type { SupervisedProcess } from '../world/supervised-process.ts'

/** A service that accepts SQL, and its process. */
export interface QueryEndpoint {
  readonly url: string
  readonly process: SupervisedProcess
}

export interface QueryReaderOptions {
  readonly ask: QueryEndpoint
  readonly mcp: QueryEndpoint
  readonly seed: number
  readonly chain: DrivenChain
  readonly findings: Findings
}

/** Outcome of a statement, from either service. */
interface Outcome {
  /** Block ids in hex; undefined without a result. */
  readonly ids: readonly string[] | undefined
  /** Error code. */
  readonly code: string | undefined
}

/** Accepted outcomes while the database is down, restarts or ends sessions. */
const allowedFailures: ReadonlySet<string> = new Set([
  'sql-unavailable',
  'sql-busy',
  'sql-timeout',
  'database-connection-lost',
  'database-starting',
  'database-unreachable',
])

/** Timeout for a response: a statement may queue and run for up to 30 s each. */
const connectTimeoutMs = 90_000
/** Maximum delay between a broken connection and the exit of its process. */
const graceMs = 300
const betweenMs = 200

/**
 * Queries the query service and the MCP server alternately for blocks by SQL. While their processes
 * run, each must return the correct block or an error with the reason.
 */
export class QueryReader {
  readonly #options: QueryReaderOptions
  readonly #random: Random
  readonly #stop = new AbortController()
  readonly counts = { answered: 0, unavailable: 0, unreachable: 0, slowestMs: 0 }
  #running: Promise<void> | undefined

  constructor(options: QueryReaderOptions) {
    this.#options = options
    this.#random = new Random(options.seed + 1)
  }

  start(): void {
    const { ask, mcp } = this.#options
    this.#running = Promise.all([
      this.#read('the query service', ask, (sql) => this.#byRest(sql)),
      this.#read('the MCP server', mcp, (sql) => this.#byMcp(sql)),
    ]).then(() => undefined)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #read(name: string, { process }: QueryEndpoint, run: (sql: string) => Promise<Outcome>): Promise<void> {
    const { chain, findings } = this.#options
    while (!this.#stop.signal.aborted) {
      await pause(betweenMs)
      if (chain.settled < 0) continue
      const height = this.#random.integer(0, chain.settled)
      const expected = chain.blockId(height)
      const startedAt = performance.now()
      try {
        const { ids, code } = await run(`select encode(id, 'hex') as id from raw.blocks where height = ${height}`)
        this.counts.slowestMs = Math.max(this.counts.slowestMs, Math.round(performance.now() - startedAt))
        if (ids !== undefined) {
          this.counts.answered++
          // Otherwise the chain has left the branch meanwhile.
          if (height <= chain.settled && ids.join() !== expected)
            findings.add(
              'queries',
              `${name} returned ${ids.join() || 'nothing'} at ${height}; the chain has ${expected}`,
            )
        } else if (allowedFailures.has(code ?? '')) this.counts.unavailable++
        else findings.add('queries', `${name} refused a block by its height: ${code}`)
      } catch (error) {
        await delay(graceMs)
        this.counts.unreachable++
        const { readySince } = process
        const worked = readySince !== undefined && readySince < startedAt && !this.#stop.signal.aborted
        if (worked)
          findings.add(
            'queries',
            `${name} did not respond within ${Math.round(performance.now() - startedAt)} ms, although its process runs: ${String(error)}`,
          )
      }
    }
  }

  async #byRest(sql: string): Promise<Outcome> {
    const response = await fetch(`${this.#options.ask.url}/api/v1/run_sql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sql }),
      signal: AbortSignal.timeout(connectTimeoutMs),
    })
    const { results, code } = (await response.json()) as {
      readonly results?: readonly { readonly id: string }[]
      readonly code?: string
    }
    return { ids: response.ok ? results?.map(({ id }) => id) : undefined, code }
  }

  async #byMcp(sql: string): Promise<Outcome> {
    const client = new Client({ name: 'chaos', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${this.#options.mcp.url}/mcp`)), {
      timeout: connectTimeoutMs,
    })
    try {
      const { structuredContent } = await client.callTool(
        { name: 'run_indexer_sql', arguments: { sql } },
        { timeout: connectTimeoutMs },
      )
      const { results, error_code: code } = structuredContent as {
        readonly results: readonly { readonly id: string }[]
        readonly error_code: string | null
      }
      return { ids: code === null ? results.map(({ id }) => id) : undefined, code: code ?? undefined }
    } finally {
      await client.close()
    }
  }
}
