import { z } from 'zod'
import { queryTargets } from '../query-service.ts'

/** What callers send, over REST and MCP alike, with words that say what would be right. */

/** Longest question, in characters: a page of text. */
const mostQuestionCharacters = 4000

export const targetField = z
  .enum(queryTargets, `must be ${queryTargets.join(' or ')}`)
  .describe(
    'The database that is asked: `indexer` is that of flowfarm, `evm` that of the EVM explorer. Default: indexer.',
  )

export const questionField = z
  .string('must be a text')
  .refine((text) => text.trim() !== '', 'must be a question in words')
  .max(mostQuestionCharacters, `must have at most ${mostQuestionCharacters} characters`)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must hold neither NUL nor half of a surrogate pair')
  .describe('In English or Chinese.')

export const sqlField = z
  .string('must be a text')
  .refine((text) => text.trim() !== '', 'must be a SELECT statement')
  .describe('One SELECT statement of PostgreSQL, which may begin with WITH.')
