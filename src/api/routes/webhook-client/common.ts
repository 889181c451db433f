import { z } from 'zod'
import { idParameter } from '../../admin/id-parameter.ts'
import { integerParameter } from '../../parameters/parameters.ts'
import { ownerProblems } from '../webhook-owner.ts'

/** What the routes of clients of the Flow explorer's webhooks have in common. */

export const tag = 'Webhooks for existing clients'
export const params = z.object({ id: idParameter('Its number.') })
export const problems = { ...ownerProblems, 404: 'You have no such thing.' } as const
export const limitProblems = { ...ownerProblems, 403: 'Your tier allows no more of them.' } as const

/** `limit` and `offset`, as these clients page. */
export const pageParameters = z.object({
  limit: integerParameter(1, 200).default(50).describe('Most items of the answer.'),
  offset: integerParameter(0, 1000).default(0).describe('So many items are skipped.'),
})

/** The body of what was removed: none. */
export const nothing = z.string().max(0)

/** Numbers of rows come back as the text that they were given as, or as numbers. */
export const idField = z
  .union(
    [z.string().regex(/^[1-9][0-9]{0,14}$/), z.int().min(1).max(999_999_999_999_999)],
    'must be a number of at least 1',
  )
  .transform(Number)
