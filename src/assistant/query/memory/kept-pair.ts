import { createHash } from 'node:crypto'
import { z } from 'zod'
import { queryTargets } from '../query-service.ts'

/** A question with the statement that a user approved as its answer, as it is kept on disk and exported. */
export const keptPairSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  target: z.enum(queryTargets),
  question: z.string(),
  sql: z.string(),
  kept_at: z.iso.datetime().describe('When it was approved, ISO 8601 in UTC.'),
})

export type KeptPair = z.output<typeof keptPairSchema>

export type GivenPair = Pick<KeptPair, 'target' | 'question' | 'sql'>

/** The same for the same target and question however they are spaced, so that a second approval takes the place of the first. */
export function pairId({ target, question }: GivenPair): string {
  const plain = question.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/gu, ' ')
  return createHash('sha256').update(`${target}\0${plain}`).digest('hex').slice(0, 16)
}
