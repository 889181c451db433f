import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPairs } from '../../src/assistant/query/example-pairs.ts'
import type { QueryTarget } from '../../src/assistant/query/query-service.ts'
import type { SqlAnswer } from '../../src/assistant/query/sql/sql-runner.ts'
import type { Network } from '../../src/flow/network.ts'

export interface GoldQuestion {
  readonly id: string
  readonly target: QueryTarget
  readonly question: string
  readonly accepted: readonly [string, ...string[]]
  readonly order?: readonly number[]
  readonly tolerance?: number
}

export function goldQuestions(network: Network): GoldQuestion[] {
  return readPairs(new URL('./gold-questions.yaml', import.meta.url), network)
}

/** Rows in the known database, by question id. */
export type KnownAnswers = Readonly<Record<string, SqlAnswer['rows']>>

const file = join(import.meta.dirname, 'known-answers.json')

/** @throws Error for a missing file or invalid JSON */
export async function readKnownAnswers(): Promise<KnownAnswers> {
  return JSON.parse(await readFile(file, 'utf8')) as KnownAnswers
}

export async function writeKnownAnswers(answers: KnownAnswers): Promise<void> {
  const lines = Object.entries(answers).map(([id, rows]) => `  ${JSON.stringify(id)}: ${JSON.stringify(rows)}`)
  await writeFile(file, `{\n${lines.join(',\n')}\n}\n`)
}
