import { DatabaseError } from 'pg'
import type { Pool } from 'pg'
import type { EditorNetwork } from '../../editor-network.ts'
import type { Queryable } from './connection-store.ts'
import { withTransaction, query } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'

export interface DeployEnvironment {
  readonly name: string
  readonly branch: string
  readonly network: EditorNetwork
  /** `0x` and 16 hex digits. */
  readonly flowAddress: string | null
  readonly keyIndex: number | null
  readonly hasSecrets: boolean
  readonly isDefault: boolean
}

const columns = `name, branch, network, flow_address as "flowAddress", key_index as "keyIndex",
  has_secrets as "hasSecrets", is_default as "isDefault"`
const maxEnvironments = 20

/** Account keys are not stored. */
export class EnvironmentStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async list(connectionId: string, db: Queryable = this.#pool): Promise<readonly DeployEnvironment[]> {
    return (
      await query<DeployEnvironment>(
        db,
        `select ${columns} from editor.environments where connection_id = $1 order by is_default desc, name`,
        [connectionId],
      )
    ).rows
  }

  /** @throws ApiError 409 `environment-taken` (branch or secrets), 422 `too-many-environments` */
  async put(
    connectionId: string,
    { name, branch, network, isDefault }: Pick<DeployEnvironment, 'name' | 'branch' | 'network' | 'isDefault'>,
  ): Promise<void> {
    try {
      await withTransaction(this.#pool, async (db) => {
        // Serialized: only one environment may be the default.
        await query(db, 'select 1 from editor.connections where id = $1 for update', [connectionId])
        const { rows } = await query<{ name: string }>(
          db,
          'select name from editor.environments where connection_id = $1',
          [connectionId],
        )
        if (rows.length >= maxEnvironments && !rows.some((row) => row.name === name))
          throw new ApiError(
            422,
            'too-many-environments',
            `Too many environments (limit ${maxEnvironments} per project).`,
          )
        if (isDefault)
          await query(
            db,
            'update editor.environments set is_default = false where connection_id = $1 and is_default and name <> $2',
            [connectionId, name],
          )
        await query(
          db,
          `insert into editor.environments (connection_id, name, branch, network, is_default)
            values ($1, $2, $3, $4, $5)
           on conflict (connection_id, name) do update
             set branch = excluded.branch, network = excluded.network, is_default = excluded.is_default,
             changed_at = now()`,
          [connectionId, name, branch, network, isDefault],
        )
      })
    } catch (error) {
      const constraint = violated(error)
      if (constraint === 'environments_branch')
        throw new ApiError(409, 'environment-taken', 'Another environment of the project uses this branch.', {
          field: 'branch',
        })
      if (constraint === 'environments_secrets')
        throw new ApiError(
          409,
          'environment-taken',
          'Another environment of the project has a similar name: its secrets would have the same names.',
          { field: 'name' },
        )
      throw error
    }
  }

  async noteSecrets(connectionId: string, name: string, flowAddress: string, keyIndex: number): Promise<void> {
    await query(
      this.#pool,
      'update editor.environments set flow_address = $3, key_index = $4, has_secrets = true, changed_at = now() ' +
        'where connection_id = $1 and name = $2',
      [connectionId, name, flowAddress, keyIndex],
    )
  }

  async remove(connectionId: string, name: string): Promise<boolean> {
    return (
      (
        await query(this.#pool, 'delete from editor.environments where connection_id = $1 and name = $2', [
          connectionId,
          name,
        ])
      ).rowCount === 1
    )
  }
}

function violated(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof DatabaseError && at.code === '23505') return at.constraint
  }
  return undefined
}
