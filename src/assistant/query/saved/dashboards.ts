import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { Parameter } from '../sql/parameters.ts'

export const tileViews = ['table', 'chart'] as const

export interface Tile {
  /** 8 hex digits, unique in the dashboard. */
  readonly id: string
  readonly queryId: string
  /** Empty: the name of the query. */
  readonly title: string
  /** Instead of the defaults of the query. */
  readonly parameters: readonly Parameter[]
  readonly view: (typeof tileViews)[number]
  /** Columns of the grid, 1 to 3. */
  readonly width: number
}

export interface DashboardContent {
  readonly name: string
  readonly refreshSeconds: number
  readonly tiles: readonly Tile[]
}

export interface Dashboard extends DashboardContent {
  readonly id: string
  readonly link: string | null
  readonly updatedAt: Date
}

export type DashboardSummary = Omit<Dashboard, 'tiles'> & { readonly tileCount: number }

export const maxDashboards = 100
export const maxTiles = 24
export const minRefreshSeconds = 30
export const maxRefreshSeconds = 86_400

const facts = 'id, name, refresh_seconds AS "refreshSeconds", link, updated_at AS "updatedAt"'
const columns = `${facts}, tiles`

/** Dashboards of each owner in app.dashboards. Methods throw ApiError 404 `unknown-dashboard`. */
export class Dashboards {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async list(owner: string): Promise<readonly DashboardSummary[]> {
    const { rows } = await query<DashboardSummary & Record<string, unknown>>(
      this.#pool,
      `SELECT ${facts}, jsonb_array_length(tiles) AS "tileCount"
       FROM app.dashboards WHERE owner = $1 ORDER BY name, id LIMIT ${maxDashboards}`,
      [owner],
    )
    return rows
  }

  /** @throws ApiError 409 `dashboards-full` */
  async create(owner: string, { name, refreshSeconds, tiles }: DashboardContent): Promise<Dashboard> {
    return await withTransaction(this.#pool, async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('app.dashboards ' || $1, 0))`, [owner])
      const { rows: counted } = await query<{ dashboards: number }>(
        client,
        'SELECT count(*)::int AS dashboards FROM app.dashboards WHERE owner = $1',
        [owner],
      )
      if ((counted[0]?.dashboards ?? 0) >= maxDashboards) {
        const detail = `Limit of dashboards reached (${maxDashboards}). Delete dashboards that are not needed.`
        throw new ApiError(409, 'dashboards-full', detail)
      }
      const { rows } = await query<Dashboard & Record<string, unknown>>(
        client,
        `INSERT INTO app.dashboards (id, owner, name, refresh_seconds, tiles)
         VALUES ($1, $2, $3, $4, $5) RETURNING ${columns}`,
        [randomBytes(8).toString('hex'), owner, name, refreshSeconds, JSON.stringify(tiles)],
      )
      return found(rows)
    })
  }

  async find(owner: string, id: string): Promise<Dashboard> {
    return await this.#one(`SELECT ${columns} FROM app.dashboards WHERE owner = $1 AND id = $2`, [owner, id])
  }

  async findPublished(owner: string, link: string): Promise<Dashboard> {
    return await this.#one(`SELECT ${columns} FROM app.dashboards WHERE owner = $1 AND link = $2`, [owner, link])
  }

  /** @param basis the change that it replaces; default: any. @throws ApiError 409 `dashboard-changed` */
  async update(
    owner: string,
    id: string,
    { name, refreshSeconds, tiles }: DashboardContent,
    basis?: Date,
  ): Promise<Dashboard> {
    const { rows } = await query<Dashboard & Record<string, unknown>>(
      this.#pool,
      // Clients know milliseconds only.
      `UPDATE app.dashboards SET name = $3, refresh_seconds = $4, tiles = $5,
         updated_at = greatest(now(), updated_at + interval '1 ms')
       WHERE owner = $1 AND id = $2 AND ($6::timestamptz IS NULL OR date_trunc('milliseconds', updated_at) = $6)
       RETURNING ${columns}`,
      [owner, id, name, refreshSeconds, JSON.stringify(tiles), basis ?? null],
    )
    if (rows.length > 0) return found(rows)
    const { updatedAt } = await this.find(owner, id)
    throw new ApiError(
      409,
      'dashboard-changed',
      `The dashboard was changed at ${updatedAt.toISOString()}, after you opened it. Load it again, or save without ` +
        '`updated_at`.',
      { field: 'updated_at' },
    )
  }

  async delete(owner: string, id: string): Promise<void> {
    await this.#one(`DELETE FROM app.dashboards WHERE owner = $1 AND id = $2 RETURNING ${columns}`, [owner, id])
  }

  /** Keeps a link that exists. */
  async publish(owner: string, id: string): Promise<Dashboard> {
    return await this.#one(
      `UPDATE app.dashboards SET link = coalesce(link, $3) WHERE owner = $1 AND id = $2 RETURNING ${columns}`,
      [owner, id, randomBytes(16).toString('hex')],
    )
  }

  async revoke(owner: string, id: string): Promise<Dashboard> {
    return await this.#one(`UPDATE app.dashboards SET link = NULL WHERE owner = $1 AND id = $2 RETURNING ${columns}`, [
      owner,
      id,
    ])
  }

  async #one(sql: string, values: readonly unknown[]): Promise<Dashboard> {
    return found((await query<Dashboard & Record<string, unknown>>(this.#pool, sql, [...values])).rows)
  }
}

function found([dashboard]: readonly Dashboard[]): Dashboard {
  if (dashboard !== undefined) return dashboard
  throw new ApiError(404, 'unknown-dashboard', 'The dashboard does not exist: it was deleted, or its link was revoked.')
}
