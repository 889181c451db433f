import { z } from 'zod'
import { query } from '../../../platform/db/pool.ts'
import { noSuchProject } from '../project-error.ts'
import { originColumn, originJoin, projectColumns } from '../store/project-row.ts'
import type { Origin, ProjectRow } from '../store/project-row.ts'
import type { OpenCall } from './endpoint.ts'
import { readData, slug as slugSchema } from './read-data.ts'

const schema = z.strictObject({ slug: slugSchema })

interface SeenFile {
  readonly path: string
  readonly content: string
  /** Version of the project that last changed it. */
  readonly version: number
}

/** What of a project is shown. `user_id` is for its owner alone. */
export interface SeenProject extends ProjectRow {
  readonly isOwner: boolean
  readonly forked_from: Origin | null
  readonly user_id?: string
}

/** `/projects/get`: a public project for everybody, a private one for its owner. One statement, so that the files are those of the version. */
export async function get({
  userId,
  data,
  parts: { pool },
}: OpenCall): Promise<{ readonly project: SeenProject; readonly files: readonly SeenFile[] }> {
  const { slug } = readData(schema, data)
  const {
    rows: [row],
  } = await query<ProjectRow & { user_id: string; forked_from: Origin | null; files: SeenFile[] }>(
    pool,
    `select ${projectColumns}, p.user_id, ${originColumn}, (
       select coalesce(json_agg(json_build_object('path', f.path, 'content', f.content, 'version', f.version) order by f.path), '[]')
       from projects.files f where f.project_id = p.id
     ) as files
     from projects.projects p ${originJoin('$2')} where p.slug = $1 and (p.is_public or p.user_id = $2)`,
    [slug, userId ?? null],
  )
  if (row === undefined) throw noSuchProject()
  const { files, user_id: owner, ...project } = row
  const isOwner = owner === userId?.toLowerCase()
  return { project: { ...project, isOwner, ...(isOwner ? { user_id: owner } : {}) }, files }
}
