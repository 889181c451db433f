import { z } from 'zod'
import type { GeneratedSql } from '../query-service.ts'
import { targetField } from './input-fields.ts'

/** A statement of the model and how it came about, in the names of the wire. */
export const generatedFields = {
  target: targetField,
  question: z.string(),
  sql: z.string().describe('The last statement of the model, without fences and prose.'),
  attempts: z
    .array(z.strictObject({ sql: z.string(), error: z.string().nullable() }))
    .describe('Every statement that the model wrote for this question, with why the next one was asked for.'),
  model: z.string().describe('Who wrote it.'),
  prompt_version: z.string().describe('Names the text that the model was given: tables, notes, examples, rules.'),
  duration_ms: z.number().describe('From the question to the answer, with all turns of the model.'),
}

export type GeneratedFields = z.output<z.ZodObject<typeof generatedFields>>

export const attemptsExample = {
  attempts: [{ sql: 'SELECT max(height) AS height FROM raw.blocks', error: null }],
  model: 'anthropic/claude-sonnet-4-6',
  prompt_version: '3f9c2a17be04',
  duration_ms: 2140.5,
}

export function presentGenerated({
  target,
  question,
  sql,
  attempts,
  model,
  promptVersion,
  durationMs,
}: GeneratedSql): GeneratedFields {
  return {
    target,
    question,
    sql,
    model,
    attempts: attempts.map((attempt) => ({ sql: attempt.sql, error: attempt.failure?.detail ?? null })),
    prompt_version: promptVersion,
    duration_ms: durationMs,
  }
}
