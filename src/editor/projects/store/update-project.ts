import { isDeepStrictEqual } from 'node:util'
import type { PoolClient } from 'pg'
import { query } from '../../../platform/db/pool.ts'
import type { ApiError } from '../../../platform/errors.ts'
import { pathKey } from '../paths/path-key.ts'
import { noSuchProject, saveIdReused, projectError } from '../project-error.ts'
import type { ProjectQuotas } from '../project-quotas.ts'
import { planSave } from '../save/plan-save.ts'
import type { SavePlan, StoredFile } from '../save/plan-save.ts'
import type { SaveRequest, GivenFile } from '../save/save-request.ts'
import { openTabs } from './create-project.ts'
import { findEarlierSave } from './earlier-save.ts'
import type { NamedSave } from './earlier-save.ts'
import { fileArrays } from './file-arrays.ts'
import { projectColumns } from './project-row.ts'
import type { ProjectRow, SavedProject } from './project-row.ts'

/**
 * Saves into a project that is there. Whoever saves it at the same time waits for the end of the transaction, and finds the version changed.
 * A save that changes nothing leaves the version as it is.
 * @throws ApiError 404, 409 `CONFLICT` with what there is now, 422 for paths, quotas and a `save_id` that was used for something else
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

/** The user's project, which nobody else changes until the end of the transaction. @throws ApiError 404 */
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

type Fields = Pick<ProjectRow, 'name' | 'network' | 'is_public' | 'active_file' | 'open_files' | 'folders'>

function changedFields(project: ProjectRow, { fields }: SaveRequest, plan: SavePlan): Fields {
  const { name = project.name, network = project.network, is_public: isPublic = project.is_public } = fields
  const active = fields.active_file === undefined ? project.active_file : fields.active_file
  const tabs = { active_file: active, open_files: fields.open_files ?? project.open_files }
  const { activeFile, openFiles } = openTabs(tabs, plan)
  return {
    name,
    network,
    is_public: isPublic,
    active_file: activeFile,
    open_files: openFiles,
    folders: [...plan.folders],
  }
}

/** One statement: its parts see the tables as they were before, and no file is both deleted and written. */
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
       set path = excluded.path, content = excluded.content, hash = excluded.hash, byte_count = excluded.byte_count, version = excluded.version
     ), changed as (
       update projects.projects set name = $2, network = $3, is_public = $4, active_file = $5, open_files = $6, folders = $7, file_count = $8, byte_count = $9,
         version = $10, updated_at = case when version = $10 then updated_at else greatest(updated_at, clock_timestamp()) end
       where id = $1
       returning id, slug, version, updated_at, file_count, byte_count::float8 as byte_count
     ), noted as (
       insert into projects.saves (user_id, save_id, project_id, version, digest, saved_at)
       select $17::uuid, $18::uuid, id, version, $19::bytea, case when $20 then updated_at else clock_timestamp() end from changed where $18 is not null
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
    ],
  )
  if (row === undefined) throw noSuchProject()
  const { is_noted: isNoted, ...saved } = row
  if (isNoted) return saved
  // Only a save that has changed nothing finds itself here: it is done as before, and the name of another save is refused.
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
 * The answer to a save of a stale version, with both: `current` is the project as it is, each file with the version that last changed it, and with its
 * content where the save names it; `yours` is what the save would have written over it.
 * @param project locked, so that its files are of this version
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
  const { version, updated_at, name, network, is_public, active_file, open_files, folders } = project
  const text =
    `The project has changed: it has version ${version}, and this save was made from version ${existing?.version}. ` +
    'Bring the two together, and save that with the current version.'
  return projectError('CONFLICT', text, {
    facts: {
      current: {
        version,
        updated_at,
        name,
        network,
        is_public,
        active_file,
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

function isSame(file: GivenFile, there: { readonly path: string; readonly hash: Buffer } | undefined): boolean {
  return there !== undefined && there.path === file.path && there.hash.equals(file.hash)
}
