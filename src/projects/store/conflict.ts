import type { PoolClient } from 'pg'
import { query } from '../../db/pool.ts'
import type { ApiError } from '../../base/errors.ts'
import { pathKey } from '../paths/path-key.ts'
import { projectError } from '../project-error.ts'
import type { GivenFile, SaveRequest } from '../save/save-request.ts'
import type { ProjectRow } from './project-row.ts'

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
export async function conflict(
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
