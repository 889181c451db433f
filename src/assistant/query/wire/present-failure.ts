import { z } from 'zod'
import type { QueryFailure } from '../query-service.ts'

/** What a statement failed with, in the names of the wire; problems and answers have these fields. */
export const failureFields = {
  error: z.string().nullable().describe('What went wrong and what to do; null where nothing did.'),
  error_code: z.string().nullable().describe('The same for programs; stable.'),
  sql_state: z
    .string()
    .nullable()
    .describe("PostgreSQL's code of the error, where the database refused the statement."),
  error_position: z.int().nullable().describe('Character of `sql` at which the fault is, from 1.'),
  error_hint: z.string().nullable().describe('What PostgreSQL advises.'),
}

export type FailureFields = z.output<z.ZodObject<typeof failureFields>>

export function presentFailure(failure: QueryFailure | undefined): FailureFields {
  return {
    error: failure?.detail ?? null,
    error_code: failure?.code ?? null,
    sql_state: failure?.sqlState ?? null,
    error_position: failure?.position ?? null,
    error_hint: failure?.hint ?? null,
  }
}
