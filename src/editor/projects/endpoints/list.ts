import { z } from 'zod'
import { query } from '../../../platform/db/pool.ts'
import { projectError } from '../project-error.ts'
import { originColumn, originJoin } from '../store/project-row.ts'
import type { Origin, ProjectRow } from '../store/project-row.ts'
import type { SessionCall } from './endpoint.ts'
import { readData } from './read-data.ts'

const schema = z.strictObject({
  cursor: z.string().max(200).nullable().optional(),
  limit: z.number().int('has to be a whole number').min(1).max(200).default(50),
})

/** What a list tells of a project: not what is in it. */
export interface ListedProject extends Omit<ProjectRow, 'open_files' | 'folders'> {
  readonly forked_from: Origin | null
}

interface ProjectPage {
  readonly projects: readonly ListedProject[]
  /** For the next page; null: this is the last. */
  readonly next_cursor: string | null
}

/** `/projects/list`: the user's own, what was saved last first. One that is saved while pages are read moves to the first page. */
export async function list({ userId, data, parts: { pool } }: SessionCall): Promise<ProjectPage> {
  const { cursor, limit } = readData(schema, data)
  const after = cursor === undefined || cursor === null ? [null, null] : readCursor(cursor)
  const { rows } = await query<ListedProject & { micros: string }>(
    pool,
    `select (extract(epoch from p.updated_at) * 1000000)::bigint::text as micros,
       p.id, p.slug, p.name, p.network, p.is_public, p.active_file, p.version, p.file_count, p.byte_count::float8 as byte_count, p.created_at, p.updated_at,
       ${originColumn}
     from projects.projects p ${originJoin('$1')}
     where p.user_id = $1 and ($2::float8 is null or (p.updated_at, p.id) < (timestamptz 'epoch' + $2::float8 * interval '1 microsecond', $3::uuid))
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

/** Where a page ends: microseconds since 1970, which numbers count exactly until 2255, and the id. */
function writeCursor(micros: string, id: string): string {
  return Buffer.from(`${micros} ${id}`).toString('base64url')
}

function readCursor(cursor: string): [micros: number, id: string] {
  const [, micros, id] =
    /^(\d{1,16}) ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (micros !== undefined && id !== undefined && Number.isSafeInteger(Number(micros))) return [Number(micros), id]
  throw projectError('INVALID_INPUT', 'Field "cursor" is none of a list here; leave it out to begin anew.', {
    field: 'cursor',
    facts: { field: 'cursor' },
  })
}
