import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { QueryTarget } from '../query-service.ts'
import type { Parameter } from '../sql/parameters.ts'

export interface QueryToSave {
  readonly name: string
  readonly target: QueryTarget
  readonly question: string
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

export interface SavedQuery extends QueryToSave {
  readonly id: string
  readonly updatedAt: Date
}

export const maxSavedQueries = 500

const columns = 'id, name, target, question, sql, parameters, updated_at AS "updatedAt"'

/** Statements of each owner in app.saved_queries. */
export class SavedQueries {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async list(owner: string): Promise<readonly SavedQuery[]> {
    const sql = `SELECT ${columns} FROM app.saved_queries WHERE owner = $1 ORDER BY name LIMIT ${maxSavedQueries}`
    return (await query<SavedQuery & Record<string, unknown>>(this.#pool, sql, [owner])).rows
  }

  async findAll(owner: string, ids: readonly string[]): Promise<readonly SavedQuery[]> {
    const sql = `SELECT ${columns} FROM app.saved_queries WHERE owner = $1 AND id = ANY ($2)`
    return (await query<SavedQuery & Record<string, unknown>>(this.#pool, sql, [owner, ids])).rows
  }

  /** Replaces the query of the same name. @throws ApiError 409 `queries-full` */
  async save(owner: string, { name, target, question, sql, parameters }: QueryToSave): Promise<SavedQuery> {
    return await withTransaction(this.#pool, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('app.saved_queries ' || $1, 0))`, [owner])
      const { rows: counted } = await query<{ others: number }>(
        client,
        'SELECT count(*)::int AS others FROM app.saved_queries WHERE owner = $1 AND name <> $2',
        [owner, name],
      )
      if ((counted[0]?.others ?? 0) >= maxSavedQueries) {
        const detail = `Limit of saved queries reached (${maxSavedQueries}). Delete queries that are not needed.`
        throw new ApiError(409, 'queries-full', detail)
      }
      const { rows } = await query<SavedQuery & Record<string, unknown>>(
        client,
        `INSERT INTO app.saved_queries (id, owner, name, target, question, sql, parameters)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (owner, name) DO UPDATE SET target = excluded.target, question = excluded.question,
           sql = excluded.sql, parameters = excluded.parameters, updated_at = now()
         RETURNING ${columns}`,
        [randomBytes(8).toString('hex'), owner, name, target, question, sql, JSON.stringify(parameters)],
      )
      const [saved] = rows
      if (saved === undefined) throw new TypeError('an upsert returns one row')
      return saved
    })
  }

  async delete(owner: string, id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query('DELETE FROM app.saved_queries WHERE owner = $1 AND id = $2', [
      owner,
      id,
    ])
    return rowCount === 1
  }
}
