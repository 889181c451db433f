import type pg from 'pg'
import { query } from '../../platform/db/pool.ts'

/** What the other rooms may know of projects. */
export interface ProjectAccess {
  /** Undefined: there is no such project, or this user may not see it. */
  find(
    projectId: string,
    userId: string | undefined,
  ): Promise<{ readonly id: string; readonly ownerId: string; readonly isPublic: boolean } | undefined>
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Asks the database each time: what its owner has just made private is private. Ids may be any text. */
export function createProjectAccess(pool: pg.Pool): ProjectAccess {
  return {
    find: async (projectId, userId) => {
      if (!uuid.test(projectId)) return undefined
      const {
        rows: [row],
      } = await query<{ id: string; ownerId: string; isPublic: boolean }>(
        pool,
        'select id, user_id as "ownerId", is_public as "isPublic" from projects.projects where id = $1 and (is_public or user_id = $2)',
        [projectId, userId !== undefined && uuid.test(userId) ? userId : null],
      )
      return row
    },
  }
}
