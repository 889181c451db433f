import { randomInt, createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ClientBase, PoolClient } from 'pg'
import { z } from 'zod'
import { planSave } from './plan-save.ts'
import type { SavePlan, StoredFile } from './plan-save.ts'
import { noSuchProject, saveIdReused, notSignedIn, projectError } from './project-error.ts'
import { pathKey } from './project-paths.ts'
import { requireQuota } from './project-quotas.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import { readData, saveId, slug as slugSchema } from './project-requests.ts'
import type { ProjectInput, SaveRequest, FileInput, SessionCall } from './project-requests.ts'
import { projectColumns } from './read-projects.ts'
import type { SavedProject, ProjectRow } from './read-projects.ts'
import type { LockUser } from '../../platform/auth/authenticate.ts'
import { query, withRetriedTransaction } from '../../platform/db/pool.ts'
import { RetryableError } from '../../platform/errors.ts'
import type { ApiError } from '../../platform/errors.ts'

export interface NamedSave {
  readonly userId: string
  readonly saveId: string | undefined
  readonly digest: Buffer
}

/**
 * The result of an identical save, whose response was lost. @throws ApiError 422 `SAVE_ID_REUSED`, 404 if the
 * project was deleted
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
    `select s.project_id as id, s.version, s.saved_at as updated_at, s.digest, p.slug, p.file_count,
      p.byte_count::float8 as byte_count
     from projects.saves s left join projects.projects p on p.id = s.project_id and p.user_id = s.user_id
       where s.user_id = $1 and s.save_id = $2`,
    [userId, saveId],
  )
  if (row === undefined) return undefined
  const { digest: earlier, ...saved } = row
  if (!earlier.equals(digest)) throw saveIdReused()
  if (row.slug === null) throw noSuchProject()
  return saved
}

const maxTries = 5

/**
 * Serializes until the end of the transaction, for the quota and repeated requests. @throws ApiError 401
 * `UNAUTHORIZED` if the user was deleted
 */
export async function lockAccount(client: PoolClient, userId: string, lockUser: LockUser): Promise<void> {
  await query(client, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`projects of ${userId.toLowerCase()}`])
  if (!(await lockUser(client, userId))) throw notSignedIn()
}

/** Requires `lockAccount`. @throws ApiError 422 `QUOTA_EXCEEDED` */
export async function requireProjectQuota(client: PoolClient, userId: string, quotas: ProjectQuotas): Promise<void> {
  const {
    rows: [row],
  } = await query<{ count: number }>(
    client,
    'select count(*)::int as count from projects.projects where user_id = $1',
    [userId],
  )
  requireQuota(quotas, 'projects', (row?.count ?? 0) + 1)
}

/** Requires `lockAccount`. */
export async function createProject(
  client: PoolClient,
  save: NamedSave,
  { fields, forkedFrom }: Pick<SaveRequest, 'fields' | 'forkedFrom'>,
  plan: SavePlan,
): Promise<SavedProject> {
  const { name = '', network = 'mainnet', is_public: isPublic = false } = fields
  const tabs = openTabs(fields, plan)
  const project = [
    save.userId,
    name,
    network,
    isPublic,
    tabs.active_file,
    tabs.open_files,
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
         insert into projects.projects (user_id, name, network, is_public, active_file, open_files, folders,
           file_count, byte_count, version, slug, side_file, forked_from)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $19, (select o.id from projects.projects o
           where o.slug = $18 and (o.is_public or o.user_id = $1)))
         on conflict (slug) do nothing
         returning id, slug, version, updated_at, file_count, byte_count::float8 as byte_count
       ), written as (
         insert into projects.files (project_id, path_key, path, content, hash, byte_count, version)
         select made.id, f.*, 1 from made, unnest($11::text[], $12::text[], $13::text[], $14::bytea[], $15::int[]) f
       ), noted as (
         insert into projects.saves (user_id, save_id, project_id, version, digest, saved_at)
         select $1, $16::uuid, id, version, $17::bytea, updated_at from made where $16 is not null
           on conflict (user_id, save_id) do nothing
       )
       select * from made`,
      [
        ...project,
        slug,
        ...fileArrays(plan.written),
        save.saveId ?? null,
        save.digest,
        forkedFrom ?? null,
        tabs.side_file,
      ],
    )
    return made
  })
}

async function withNewSlug<Made>(name: string, make: (slug: string) => Promise<Made | undefined>): Promise<Made> {
  for (let tries = 0; tries < maxTries; tries++) {
    const made = await make(newSlug(name))
    if (made !== undefined) return made
  }
  throw new RetryableError('slugs-taken', `${maxTries} random slugs in a row were taken`)
}

type Tabs = Pick<ProjectRow, 'active_file' | 'side_file' | 'open_files'>

function openTabs(fields: Pick<ProjectInput, keyof Tabs>, { paths }: Pick<SavePlan, 'paths'>): Tabs {
  const { active_file: active, side_file: side, open_files: open = [] } = fields
  const existing = (path: string | null | undefined): string | null =>
    path !== undefined && path !== null && paths.has(path) ? path : null
  return {
    active_file: existing(active),
    side_file: existing(side),
    open_files: [...new Set(open)].filter((path) => paths.has(path)),
  }
}

const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** 32^10 per name, without look-alike letters. */
const randomLength = 10

/** At most 51 characters of a-z, 0-9 and dashes. */
export function newSlug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const words = plain.replaceAll(/^-|-$/g, '').slice(0, 40).replace(/-$/, '')
  const random = Array.from({ length: randomLength }, () => letters[randomInt(letters.length)]).join('')
  return `${words === '' ? 'project' : words}-${random}`
}

/**
 * Concurrent saves wait and then find a conflict. A save without changes does not increase the
 * version. @throws ApiError 404, 409 `CONFLICT`, 422 for paths, quotas and a reused `save_id`
 */
export async function updateProject(
  client: PoolClient,
  save: NamedSave,
  request: SaveRequest & { readonly existing: { readonly id: string; readonly version: number } },
  quotas: ProjectQuotas,
): Promise<SavedProject> {
  const { id, version } = request.existing
  const project = await lockProject(client, id, save.userId)
  if (project.version !== version) {
    const earlier = await findEarlierSave(client, save)
    if (earlier !== undefined) return earlier
    throw await conflict(client, project, request)
  }
  const plan = planSave({ files: await storedFiles(client, id), folders: project.folders }, request, quotas)
  const after = {
    ...project,
    ...changedFields(project, request, plan),
    file_count: plan.fileCount,
    byte_count: plan.byteCount,
  }
  const isChanged = plan.written.length > 0 || plan.deletedKeys.length > 0 || !isDeepStrictEqual(after, project)
  if (!isChanged && save.saveId === undefined) return savedOf(project)
  return await write(client, save, { ...after, version: isChanged ? version + 1 : version }, { ...plan, isChanged })
}

/** @throws ApiError 404 */
export async function lockProject(client: PoolClient, id: string, userId: string): Promise<ProjectRow> {
  const {
    rows: [project],
  } = await query<ProjectRow>(
    client,
    `select ${projectColumns} from projects.projects p where p.id = $1 and p.user_id = $2 for no key update`,
    [id, userId],
  )
  if (project === undefined) throw noSuchProject()
  return project
}

async function storedFiles(client: PoolClient, id: string): Promise<StoredFile[]> {
  const { rows } = await query<StoredFile>(
    client,
    'select path, path_key as key, hash, byte_count as bytes from projects.files where project_id = $1',
    [id],
  )
  return rows
}

type Fields = Pick<ProjectRow, 'name' | 'network' | 'is_public' | 'folders'> & Tabs

function changedFields(project: ProjectRow, { fields }: SaveRequest, plan: SavePlan): Fields {
  const { name = project.name, network = project.network, is_public: isPublic = project.is_public } = fields
  const tabs = {
    active_file: fields.active_file === undefined ? project.active_file : fields.active_file,
    side_file: fields.side_file === undefined ? project.side_file : fields.side_file,
    open_files: fields.open_files ?? project.open_files,
  }
  return {
    name,
    network,
    is_public: isPublic,
    ...openTabs(tabs, plan),
    folders: [...plan.folders],
  }
}

/** One statement: its parts see the tables before it, and no file is both deleted and written. */
async function write(
  client: PoolClient,
  save: NamedSave,
  after: ProjectRow,
  { deletedKeys, written, isChanged }: SavePlan & { readonly isChanged: boolean },
): Promise<SavedProject> {
  const {
    rows: [row],
  } = await query<SavedProject & { is_noted: boolean }>(
    client,
    `with gone as (
       delete from projects.files where project_id = $1 and path_key = any($11::text[])
     ), written as (
       insert into projects.files (project_id, path_key, path, content, hash, byte_count, version)
       select $1, f.*, $10 from unnest($12::text[], $13::text[], $14::text[], $15::bytea[], $16::int[]) f
       on conflict (project_id, path_key) do update
       set path = excluded.path, content = excluded.content, hash = excluded.hash, byte_count = excluded.byte_count,
         version = excluded.version
     ), changed as (
       update projects.projects
         set name = $2, network = $3, is_public = $4, active_file = $5, open_files = $6, folders = $7, side_file = $21,
         file_count = $8, byte_count = $9,
         version = $10, updated_at = case when version = $10 then updated_at else greatest(updated_at,
           clock_timestamp()) end
       where id = $1
       returning id, slug, version, updated_at, file_count, byte_count::float8 as byte_count
     ), noted as (
       insert into projects.saves (user_id, save_id, project_id, version, digest, saved_at)
       select $17::uuid, $18::uuid, id, version, $19::bytea, case when $20 then updated_at else clock_timestamp() end
         from changed where $18 is not null
       on conflict (user_id, save_id) do nothing returning 1
     )
     select changed.*, $18 is null or exists (select from noted) as is_noted from changed`,
    [
      after.id,
      after.name,
      after.network,
      after.is_public,
      after.active_file,
      after.open_files,
      after.folders,
      after.file_count,
      after.byte_count,
      after.version,
      deletedKeys,
      ...fileArrays(written),
      save.userId,
      save.saveId ?? null,
      save.digest,
      isChanged,
      after.side_file,
    ],
  )
  if (row === undefined) throw noSuchProject()
  const { is_noted: isNoted, ...saved } = row
  if (isNoted) return saved
  // A repeated save succeeds; the id of another save is rejected.
  const earlier = await findEarlierSave(client, save)
  if (earlier === undefined || earlier.version !== saved.version) throw saveIdReused()
  return saved
}

function savedOf({ id, slug, version, updated_at, file_count, byte_count }: ProjectRow): SavedProject {
  return { id, slug, version, updated_at, file_count, byte_count }
}

interface CurrentFile {
  readonly path: string
  readonly version: number
  readonly content?: string | null
}

/**
 * `current` has the contents of the files that the save names; `yours` is the content it would have
 * overwritten. @param project locked
 */
async function conflict(
  client: PoolClient,
  project: ProjectRow,
  { existing, files, deletedFiles }: SaveRequest,
): Promise<ApiError> {
  const keys = [...files.map(({ key }) => key), ...deletedFiles.map(pathKey)]
  const { rows } = await query<CurrentFile & { key: string; hash: Buffer }>(
    client,
    `select path, version, path_key as key, hash, case when path_key = any($2::text[]) then content end as content
     from projects.files where project_id = $1 order by path`,
    [project.id, keys],
  )
  const there = new Map(rows.map((row) => [row.key, row]))
  const { version, updated_at, name, network, is_public, active_file, side_file, open_files, folders } = project
  const text =
    `The project has changed: its version is ${version}, but the save is based on version ${existing?.version}. ` +
    'Merge the changes and save with the current version.'
  return projectError('CONFLICT', text, {
    facts: {
      current: {
        version,
        updated_at,
        name,
        network,
        is_public,
        active_file,
        side_file,
        open_files,
        folders,
        files: rows.map((row): CurrentFile => ({
          path: row.path,
          version: row.version,
          ...(typeof row.content === 'string' ? { content: row.content } : {}),
        })),
      },
      yours: {
        version: existing?.version,
        files: files
          .filter((file) => !isSame(file, there.get(file.key)))
          .map(({ path, content }) => ({ path, content })),
        deleted_files: deletedFiles,
      },
    },
  })
}

function isSame(file: FileInput, there: { readonly path: string; readonly hash: Buffer } | undefined): boolean {
  return there !== undefined && there.path === file.path && there.hash.equals(file.hash)
}

/** Arguments of `unnest($::text[], $::text[], $::text[], $::bytea[], $::int[])`. */
function fileArrays(
  files: readonly FileInput[],
): [keys: string[], paths: string[], contents: string[], hashes: Buffer[], bytes: number[]] {
  return [
    files.map(({ key }) => key),
    files.map(({ path }) => path),
    files.map(({ content }) => content),
    files.map(({ hash }) => hash),
    files.map(({ bytes }) => bytes),
  ]
}

const forkInput = z.strictObject({ slug: slugSchema, save_id: saveId.optional() })

export async function fork({ userId, data, parts: { pool, quotas, lockUser } }: SessionCall): Promise<SavedProject> {
  const { slug: from, save_id: named } = readData(forkInput, data)
  const save = { userId, saveId: named, digest: createHash('sha256').update(`fork ${from}`).digest() }
  return await withRetriedTransaction(pool, async (client) => {
    await lockAccount(client, userId, lockUser)
    const earlier = await findEarlierSave(client, save)
    if (earlier !== undefined) return earlier
    const {
      rows: [origin],
    } = await query<{ id: string; name: string; file_count: number; folder_count: number; byte_count: number }>(
      client,
      // Locked until the copy is complete.
      `select id, name, file_count, cardinality(folders) as folder_count, byte_count::float8 as byte_count
        from projects.projects
       where slug = $1 and (is_public or user_id = $2) for share`,
      [from, userId],
    )
    if (origin === undefined) throw noSuchProject()
    await requireProjectQuota(client, userId, quotas)
    requireQuota(quotas, 'files', origin.file_count)
    requireQuota(quotas, 'folders', origin.folder_count)
    requireQuota(quotas, 'projectBytes', origin.byte_count)
    const name = forkName(origin.name)
    return await withNewSlug(name, async (slug) => {
      const {
        rows: [made],
      } = await query<SavedProject>(
        client,
        `with made as (
           insert into projects.projects (user_id, slug, name, network, is_public, active_file, side_file, open_files,
             folders, version, file_count, byte_count, forked_from)
           select $2, $3, $4, network, false, active_file, side_file, open_files, folders, 1, file_count, byte_count, id
             from projects.projects where id = $1
           on conflict (slug) do nothing
             returning id, slug, version, updated_at, file_count, byte_count::float8 as byte_count
         ), copied as (
           insert into projects.files (project_id, path_key, path, content, hash, byte_count, version)
           select made.id, f.path_key, f.path, f.content, f.hash, f.byte_count, 1 from made, projects.files f
             where f.project_id = $1
         ), noted as (
           insert into projects.saves (user_id, save_id, project_id, version, digest, saved_at)
           select $2, $5::uuid, id, version, $6::bytea, updated_at from made where $5 is not null
             on conflict (user_id, save_id) do nothing
         )
         select * from made`,
        [origin.id, userId, slug, name, named ?? null, save.digest],
      )
      return made
    })
  })
}

/** At most 100 UTF-16 units, without lone surrogates. */
export function forkName(name: string): string {
  let whole = ''
  for (const character of `Fork of ${name}`) {
    if (whole.length + character.length > 100) break
    whole += character
  }
  return whole.trimEnd()
}

/** Follows the lock order of saves, to avoid deadlocks. */
const statements = ['delete from projects.projects where user_id = $1', 'delete from projects.saves where user_id = $1']

/**
 * Call in the transaction that deletes the user. Copies of others stay. @param userId sub of the
 * auth server
 */
export async function deleteProjects(client: ClientBase, userId: string): Promise<void> {
  for (const statement of statements) await query(client, statement, [userId])
}
