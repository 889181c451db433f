import { createHash } from 'node:crypto'
import { z } from 'zod'
import { query } from '../../../platform/db/pool.ts'
import { withRetriedTransaction } from '../../../platform/db/retried-transaction.ts'
import { noSuchProject } from '../project-error.ts'
import { requireRoom } from '../project-quotas.ts'
import { lockAccount, requireRoomForOne, withNewSlug } from '../store/create-project.ts'
import { findEarlierSave } from '../store/earlier-save.ts'
import type { SavedProject } from '../store/project-row.ts'
import type { SessionCall } from './endpoint.ts'
import { readData, saveId, slug as slugSchema } from './read-data.ts'

const schema = z.strictObject({ slug: slugSchema, save_id: saveId.optional() })

/** `/projects/fork`: a private copy of a project that is public, or one's own. It remembers what it is a copy of. */
export async function fork({ userId, data, parts: { pool, quotas, holdUser } }: SessionCall): Promise<SavedProject> {
  const { slug: from, save_id: named } = readData(schema, data)
  const save = { userId, saveId: named, digest: createHash('sha256').update(`fork ${from}`).digest() }
  return await withRetriedTransaction(pool, async (client) => {
    await lockAccount(client, userId, holdUser)
    const earlier = await findEarlierSave(client, save)
    if (earlier !== undefined) return earlier
    const {
      rows: [origin],
    } = await query<{ id: string; name: string; file_count: number; folder_count: number; byte_count: number }>(
      client,
      // Nobody makes it private, changes or deletes it until the copy is made.
      `select id, name, file_count, cardinality(folders) as folder_count, byte_count::float8 as byte_count from projects.projects
       where slug = $1 and (is_public or user_id = $2) for share`,
      [from, userId],
    )
    if (origin === undefined) throw noSuchProject()
    await requireRoomForOne(client, userId, quotas)
    requireRoom(quotas, 'files', origin.file_count)
    requireRoom(quotas, 'folders', origin.folder_count)
    requireRoom(quotas, 'projectBytes', origin.byte_count)
    const name = forkName(origin.name)
    return await withNewSlug(name, async (slug) => {
      const {
        rows: [made],
      } = await query<SavedProject>(
        client,
        `with made as (
           insert into projects.projects (user_id, slug, name, network, is_public, active_file, open_files, folders, version, file_count, byte_count, forked_from)
           select $2, $3, $4, network, false, active_file, open_files, folders, 1, file_count, byte_count, id from projects.projects where id = $1
           on conflict (slug) do nothing returning id, slug, version, updated_at, file_count, byte_count::float8 as byte_count
         ), copied as (
           insert into projects.files (project_id, path_key, path, content, hash, byte_count, version)
           select made.id, f.path_key, f.path, f.content, f.hash, f.byte_count, 1 from made, projects.files f where f.project_id = $1
         ), noted as (
           insert into projects.saves (user_id, save_id, project_id, version, digest, saved_at)
           select $2, $5::uuid, id, version, $6::bytea, updated_at from made where $5 is not null on conflict (user_id, save_id) do nothing
         )
         select * from made`,
        [origin.id, userId, slug, name, named ?? null, save.digest],
      )
      return made
    })
  })
}

/** At most 100 units of UTF-16, and no half characters. */
export function forkName(name: string): string {
  let whole = ''
  for (const character of `Fork of ${name}`) {
    if (whole.length + character.length > 100) break
    whole += character
  }
  return whole.trimEnd()
}
