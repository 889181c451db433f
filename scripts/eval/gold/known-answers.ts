import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SqlAnswer } from '../../../src/assistant/query/sql/sql-runner.ts'

/**
 * The rows that answer each question in the known databases, by the question's id, as its first accepted statement
 * gave them.
 */
export type KnownAnswers = Readonly<Record<string, SqlAnswer['rows']>>

const file = join(import.meta.dirname, 'known-answers.json')

/** @throws Error when the file is not there or is no JSON */
export async function readKnownAnswers(): Promise<KnownAnswers> {
  return JSON.parse(await readFile(file, 'utf8')) as KnownAnswers
}

/** One line for each question, so that a change is easy to see. */
export async function writeKnownAnswers(answers: KnownAnswers): Promise<void> {
  const lines = Object.entries(answers).map(([id, rows]) => `  ${JSON.stringify(id)}: ${JSON.stringify(rows)}`)
  await writeFile(file, `{\n${lines.join(',\n')}\n}\n`)
}
