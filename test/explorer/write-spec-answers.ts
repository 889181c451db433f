/**
 * Writes `spec-answers.txt`, the API responses on the recorded test chain. Part of `npm run docs`.
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { stopTestServer } from '../support/database.ts'
import { runCleanups } from '../support/cleanups.ts'
import { answerSpecRows, answersText, recordedAnswers } from '../support/spec-answers.ts'

try {
  writeFileSync(resolve(import.meta.dirname, '../..', recordedAnswers), answersText(await answerSpecRows()))
  process.stdout.write(`${recordedAnswers}\n`)
} finally {
  await runCleanups()
  await stopTestServer()
}
