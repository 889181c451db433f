import { createHash } from 'node:crypto'
import { ApiError } from '../../../platform/errors.ts'
import { presentAnswer } from '../dto.ts'
import type { AnswerFields } from '../dto.ts'
import type { QueryService, QueryTarget } from '../query-service.ts'
import type { SavedQuery } from './saved-queries.ts'
import type { Parameter } from '../sql/parameters.ts'
import type { Tile } from './dashboards.ts'

export interface TileStatement {
  readonly target: QueryTarget
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

export interface TileResult {
  readonly answer: AnswerFields
  /** ms since 1970. */
  readonly computedAt: number
}

export interface TileLimits {
  /** Up to MAX_RESULT_ROWS. */
  readonly maxRows: number
  /** One result, as JSON. */
  readonly maxBytes: number
  readonly maxCachedBytes: number
  readonly maxCached: number
}

export const tileLimits: TileLimits = {
  maxRows: 1000,
  maxBytes: 1_000_000,
  maxCachedBytes: 32_000_000,
  maxCached: 5000,
}

interface Cached {
  readonly outcome: Promise<TileResult>
  /** ms since 1970; undefined while it runs. */
  endedAt: number | undefined
  bytes: number
}

/** A failure, or a statement that runs. */
const minBytes = 1000

/**
 * Results by statement, so that many readers cost one run. Failures are cached too; refusals of a
 * busy service are not.
 */
export class TileResults {
  readonly #service: Pick<QueryService, 'runSql'>
  readonly #limits: TileLimits
  readonly #now: () => number
  /** Least recently used first. */
  readonly #cached = new Map<string, Cached>()
  #bytes = 0

  constructor(service: Pick<QueryService, 'runSql'>, limits = tileLimits, now = Date.now) {
    this.#service = service
    this.#limits = limits
    this.#now = now
  }

  /**
   * @param client pays for the run if there is one
   * @throws as `QueryService.runSql`; ApiError 400 `tile-too-large`
   */
  async read(statement: TileStatement, maxAgeSeconds: number, client: string | undefined): Promise<TileResult> {
    const key = createHash('sha256').update(JSON.stringify(statement)).digest('base64')
    const known = this.#cached.get(key)
    if (known !== undefined) this.#drop(key, known)
    const isCurrent =
      known !== undefined && (known.endedAt === undefined || this.#now() - known.endedAt < maxAgeSeconds * 1000)
    const used = isCurrent ? known : this.#start(key, statement, client)
    this.#add(key, used)
    return await used.outcome
  }

  #start(key: string, statement: TileStatement, client: string | undefined): Cached {
    const started: Cached = {
      outcome: this.#run(statement, client).then(
        ({ result, bytes }) => {
          this.#settle(key, started, bytes)
          return result
        },
        (error: unknown) => {
          this.#settle(key, started, minBytes)
          const isRefusal = error instanceof ApiError && [429, 499, 503].includes(error.status)
          if (isRefusal && this.#cached.get(key) === started) this.#drop(key, started)
          throw error
        },
      ),
      endedAt: undefined,
      bytes: minBytes,
    }
    return started
  }

  async #run(
    { target, sql, parameters }: TileStatement,
    client: string | undefined,
  ): Promise<{ result: TileResult; bytes: number }> {
    const { maxRows, maxBytes } = this.#limits
    const answer = presentAnswer(await this.#service.runSql(target, sql, { client, maxRows, parameters }))
    const bytes = Buffer.byteLength(JSON.stringify(answer))
    if (bytes > maxBytes) {
      const detail =
        `The result of the tile is too large: it has ${bytes} bytes (limit ${maxBytes}). ` +
        'Select fewer columns, or aggregate.'
      throw new ApiError(400, 'tile-too-large', detail)
    }
    return { result: { answer, computedAt: this.#now() }, bytes: bytes + minBytes }
  }

  #settle(key: string, cached: Cached, bytes: number): void {
    cached.endedAt = this.#now()
    if (this.#cached.get(key) !== cached) return
    this.#bytes += bytes - cached.bytes
    cached.bytes = bytes
    this.#evict()
  }

  #add(key: string, cached: Cached): void {
    this.#cached.set(key, cached)
    this.#bytes += cached.bytes
    this.#evict()
  }

  #drop(key: string, { bytes }: Cached): void {
    this.#cached.delete(key)
    this.#bytes -= bytes
  }

  #evict(): void {
    const { maxCached, maxCachedBytes } = this.#limits
    for (const [key, cached] of this.#cached) {
      if (this.#cached.size <= maxCached && this.#bytes <= maxCachedBytes) return
      this.#drop(key, cached)
    }
  }
}

/**
 * Values of the tile, else the defaults of its query.
 * @throws ApiError 409 `query-deleted`, 400 `missing-parameter`
 */
export function tileStatement(tile: Tile, saved: SavedQuery | undefined): TileStatement {
  if (saved === undefined) {
    const detail = 'The saved query of this tile was deleted. Remove the tile, or choose another query.'
    throw new ApiError(409, 'query-deleted', detail)
  }
  const given = new Map(tile.parameters.map((parameter) => [parameter.name, parameter]))
  const parameters = saved.parameters.map((standard) => {
    const own = given.get(standard.name)
    const used = own?.type === standard.type && own.value !== '' ? own : standard
    if (used.value === '' && used.type !== 'text') {
      const detail = `Parameter "${used.name}" has no value. Set it in the tile, or save the query with a default.`
      throw new ApiError(400, 'missing-parameter', detail, { field: 'parameters' })
    }
    return used
  })
  return { target: saved.target, sql: saved.sql, parameters }
}
