import type pg from 'pg'
import { z } from 'zod'
import type { EditorNetwork } from '../editor-network.ts'
import { noSuchProject, projectError } from './project-error.ts'
import { readData, slug as slugSchema } from './project-requests.ts'
import type { OpenCall, SessionCall } from './project-requests.ts'
import { query } from '../../platform/db/pool.ts'

export interface ProjectRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly network: EditorNetwork
  readonly is_public: boolean
  readonly active_file: string | null
  readonly side_file: string | null
  readonly open_files: string[]
  readonly folders: string[]
  readonly version: number
  readonly file_count: number
  readonly byte_count: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** Project sizes are below 2^53. */
export const projectColumns = `p.id, p.slug, p.name, p.network, p.is_public, p.active_file, p.side_file, p.open_files,
  p.folders, p.version, p.file_count, p.byte_count::float8 as byte_count, p.created_at, p.updated_at`

/** Null viewer: anonymous. */
function originJoin(viewer: string): string {
  return `left join projects.projects o on o.id = p.forked_from and (o.is_public or o.user_id = ${viewer})`
}

const originColumn = `case when o.id is null then null else json_build_object('id', o.id, 'slug', o.slug, 'name',
  o.name) end as forked_from`

interface Origin {
  readonly id: string
  readonly slug: string
  readonly name: string
}

export interface SavedProject {
  readonly id: string
  readonly slug: string
  readonly version: number
  readonly updated_at: Date
  readonly file_count: number
  readonly byte_count: number
}

const getInput = z.strictObject({ slug: slugSchema })

interface SeenFile {
  readonly path: string
  readonly content: string
  /** Version of the project that last changed the file. */
  readonly version: number
}

/** `user_id` only for the owner. */
interface SeenProject extends ProjectRow {
  readonly isOwner: boolean
  readonly forked_from: Origin | null
  readonly user_id?: string
}

/** One statement, so that the files belong to the version. */
export async function get({
  userId,
  data,
  parts: { pool },
}: OpenCall): Promise<{ readonly project: SeenProject; readonly files: readonly SeenFile[] }> {
  const { slug } = readData(getInput, data)
  const {
    rows: [row],
  } = await query<ProjectRow & { user_id: string; forked_from: Origin | null; files: SeenFile[] }>(
    pool,
    `select ${projectColumns}, p.user_id, ${originColumn}, (
       select coalesce(json_agg(json_build_object('path', f.path, 'content', f.content, 'version', f.version)
         order by f.path), '[]')
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

const listInput = z.strictObject({
  cursor: z.string().max(200).nullable().optional(),
  limit: z.number().int('must be a whole number').min(1).max(200).default(50),
})

interface ListedProject extends Omit<ProjectRow, 'open_files' | 'folders'> {
  readonly forked_from: Origin | null
}

interface ProjectPage {
  readonly projects: readonly ListedProject[]
  readonly next_cursor: string | null
}

/** Last saved first. A project saved in the meantime moves to the first page. */
export async function list({ userId, data, parts: { pool } }: SessionCall): Promise<ProjectPage> {
  const { cursor, limit } = readData(listInput, data)
  const after = cursor === undefined || cursor === null ? [null, null] : readCursor(cursor)
  const { rows } = await query<ListedProject & { micros: string }>(
    pool,
    `select (extract(epoch from p.updated_at) * 1000000)::bigint::text as micros,
       p.id, p.slug, p.name, p.network, p.is_public, p.active_file, p.version, p.file_count,
         p.byte_count::float8 as byte_count, p.created_at, p.updated_at,
       ${originColumn}
     from projects.projects p ${originJoin('$1')}
     where p.user_id = $1 and ($2::float8 is null
       or (p.updated_at, p.id) < (timestamptz 'epoch' + $2::float8 * interval '1 microsecond', $3::uuid))
     order by p.updated_at desc, p.id desc limit $4`,
    [userId, ...after, limit + 1],
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    projects: page.map(shown),
    next_cursor: rows.length > limit && last !== undefined ? writeCursor(last.micros, last.id) : null,
  }
}

function shown({ micros: _micros, ...project }: ListedProject & { readonly micros?: string }): ListedProject {
  return project
}

/** A cursor has microseconds since 1970 (exact until 2255) and the id. */
function writeCursor(micros: string, id: string): string {
  return Buffer.from(`${micros} ${id}`).toString('base64url')
}

function readCursor(cursor: string): [micros: number, id: string] {
  const [, micros, id] =
    /^(\d{1,16}) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (micros !== undefined && id !== undefined && Number.isSafeInteger(Number(micros))) return [Number(micros), id]
  throw projectError('INVALID_INPUT', 'Field "cursor" is invalid. Remove it to start from the first page.', {
    field: 'cursor',
    facts: { field: 'cursor' },
  })
}

export interface ProjectAccess {
  /** Undefined: missing or not visible to the user. */
  find(
    projectId: string,
    userId: string | undefined,
  ): Promise<{ readonly id: string; readonly ownerId: string; readonly isPublic: boolean } | undefined>
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Queries the database each time, so that changes of visibility apply at once. */
export function createProjectAccess(pool: pg.Pool): ProjectAccess {
  return {
    find: async (projectId, userId) => {
      if (!uuid.test(projectId)) return undefined
      const {
        rows: [row],
      } = await query<{ id: string; ownerId: string; isPublic: boolean }>(
        pool,
        `select id, user_id as "ownerId", is_public as "isPublic" from projects.projects
          where id = $1 and (is_public or user_id = $2)`,
        [projectId, userId !== undefined && uuid.test(userId) ? userId : null],
      )
      return row
    },
  }
}
