import type { PoolClient } from 'pg'
import type { HoldUser } from '../../../platform/auth/hold-user.ts'
import { RetryableError } from '../../../platform/errors.ts'
import { query } from '../../../platform/db/pool.ts'
import { newSlug } from '../new-slug.ts'
import { notSignedIn } from '../project-error.ts'
import { requireRoom } from '../project-quotas.ts'
import type { ProjectQuotas } from '../project-quotas.ts'
import type { SavePlan } from '../save/plan-save.ts'
import type { GivenFields, SaveRequest } from '../save/save-request.ts'
import type { NamedSave } from './earlier-save.ts'
import { fileArrays } from './file-arrays.ts'
import type { SavedProject } from './project-row.ts'

/** Slugs that are tried: the second is never needed but by whoever breaks the generator. */
const mostTries = 5

/**
 * Waits until no other project is made for the user, until the end of the transaction: only so the count is right, and a request that is sent
 * twice at once is done once. Until then nobody removes the user either: a project that is made at that moment would be nobody's for ever.
 * @throws ApiError 401 `UNAUTHORIZED` where the user is gone
 */
export async function lockAccount(client: PoolClient, userId: string, holdUser: HoldUser): Promise<void> {
  await query(client, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`projects of ${userId.toLowerCase()}`])
  if (!(await holdUser(client, userId))) throw notSignedIn()
}

/** To be called under `lockAccount`. @throws ApiError 422 `QUOTA_EXCEEDED` */
export async function requireRoomForOne(client: PoolClient, userId: string, quotas: ProjectQuotas): Promise<void> {
  const {
    rows: [row],
  } = await query<{ count: number }>(
    client,
    'select count(*)::int as count from projects.projects where user_id = $1',
    [userId],
  )
  requireRoom(quotas, 'projects', (row?.count ?? 0) + 1)
}

/** Makes a project with its files. To be called under `lockAccount`. What it is a copy of is noted where the user may see that. */
export async function createProject(
  client: PoolClient,
  save: NamedSave,
  { fields, forkedFrom }: Pick<SaveRequest, 'fields' | 'forkedFrom'>,
  plan: SavePlan,
): Promise<SavedProject> {
  const { name = '', network = 'mainnet', is_public: isPublic = false } = fields
  const { activeFile, openFiles } = openTabs(fields, plan)
  const project = [
    save.userId,
    name,
    network,
    isPublic,
    activeFile,
    openFiles,
    plan.folders,
    plan.fileCount,
    plan.byteCount,
  ]
  return await withNewSlug(name, async (slug) => {
    const {
      rows: [made],
    } = await query<SavedProject>(
      client,
      `with made as (
         insert into projects.projects (user_id, name, network, is_public, active_file, open_files, folders, file_count, byte_count, version, slug, forked_from)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, (select o.id from projects.projects o where o.slug = $18 and (o.is_public or o.user_id = $1)))
         on conflict (slug) do nothing
         returning id, slug, version, updated_at, file_count, byte_count::float8 as byte_count
       ), written as (
         insert into projects.files (project_id, path_key, path, content, hash, byte_count, version)
         select made.id, f.*, 1 from made, unnest($11::text[], $12::text[], $13::text[], $14::bytea[], $15::int[]) f
       ), noted as (
         insert into projects.saves (user_id, save_id, project_id, version, digest, saved_at)
         select $1, $16::uuid, id, version, $17::bytea, updated_at from made where $16 is not null on conflict (user_id, save_id) do nothing
       )
       select * from made`,
      [...project, slug, ...fileArrays(plan.written), save.saveId ?? null, save.digest, forkedFrom ?? null],
    )
    return made
  })
}

/** Tries slugs until one is free. @param make gives undefined where the slug is taken */
export async function withNewSlug<Made>(
  name: string,
  make: (slug: string) => Promise<Made | undefined>,
): Promise<Made> {
  for (let tries = 0; tries < mostTries; tries++) {
    const made = await make(newSlug(name))
    if (made !== undefined) return made
  }
  throw new RetryableError('slugs-taken', `${mostTries} random slugs in a row were taken`)
}

/** The tabs that lead to files of the project. */
export function openTabs(
  fields: Pick<GivenFields, 'active_file' | 'open_files'>,
  { paths }: Pick<SavePlan, 'paths'>,
): { activeFile: string | null; openFiles: string[] } {
  const { active_file: active, open_files: open = [] } = fields
  return {
    activeFile: active !== undefined && active !== null && paths.has(active) ? active : null,
    openFiles: [...new Set(open)].filter((path) => paths.has(path)),
  }
}
