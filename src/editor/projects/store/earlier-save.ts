import type { PoolClient } from 'pg'
import { query } from '../../../platform/db/pool.ts'
import { noSuchProject, saveIdReused } from '../project-error.ts'
import type { SavedProject } from './project-row.ts'

/** A request that a client may send again: of whom, its name, and what it asks for. */
export interface NamedSave {
  readonly userId: string
  readonly saveId: string | undefined
  readonly digest: Buffer
}

/**
 * What this very save has made before, when its answer was lost.
 * @returns undefined where it was never done
 * @throws ApiError 422 `SAVE_ID_REUSED` where another save had this name, 404 where the project is gone since
 */
export async function findEarlierSave(
  client: PoolClient,
  { userId, saveId, digest }: NamedSave,
): Promise<SavedProject | undefined> {
  if (saveId === undefined) return undefined
  const {
    rows: [row],
  } = await query<SavedProject & { digest: Buffer; slug: string | null }>(
    client,
    `select s.project_id as id, s.version, s.saved_at as updated_at, s.digest, p.slug, p.file_count, p.byte_count::float8 as byte_count
     from projects.saves s left join projects.projects p on p.id = s.project_id and p.user_id = s.user_id where s.user_id = $1 and s.save_id = $2`,
    [userId, saveId],
  )
  if (row === undefined) return undefined
  const { digest: earlier, ...saved } = row
  if (!earlier.equals(digest)) throw saveIdReused()
  if (row.slug === null) throw noSuchProject()
  return saved
}
