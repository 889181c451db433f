import { cellText } from '../kit/result-table.ts'
import type { Requests } from './answers.gen.ts'
import type { SqlResult } from './draft.ts'
import type { Work } from './task.ts'

export type EarlierAnswer = NonNullable<Requests['POST /api/v1/ask']['earlier']>

/** Limits of the service. */
const maxRows = 5
const maxColumns = 50
const maxCharacters = 200
const maxQuestionCharacters = 4000

/** The earlier answer that the model gets when the user refines it. */
export function earlierAnswer(work: Work, { sql, columns, results }: SqlResult): EarlierAnswer {
  const names = columns.slice(0, maxColumns)
  return {
    question: questionSoFar(work),
    sql,
    columns: names.map((name) => name.slice(0, maxCharacters)),
    rows: results
      .slice(0, maxRows)
      .map((row) => names.map((name) => cellText(row[name] ?? null).slice(0, maxCharacters))),
  }
}

function questionSoFar(work: Work): string {
  const question = work.question?.trim() ?? ''
  if (work.kind !== 'ask' || work.earlier === undefined) return question === '' ? 'Run this statement.' : question
  return `${work.earlier.question}\nThen: ${question}`.slice(-maxQuestionCharacters)
}
