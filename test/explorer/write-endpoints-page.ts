/**
 * `node test/explorer/write-endpoints-page.ts`: writes docs/endpoints.md from what the API answers on the recorded chain of the tests. Part
 * of `npm run docs`.
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { stopTestServer } from '../support/database.ts'
import { endSharedThings } from '../support/end-of-tests.ts'
import { endpointsPage } from '../support/endpoints-page.ts'
import { answerSpecRows } from '../support/spec-answers.ts'

const path = 'docs/endpoints.md'
try {
  writeFileSync(resolve(import.meta.dirname, '../..', path), endpointsPage(await answerSpecRows()))
  process.stdout.write(`${path}\n`)
} finally {
  await endSharedThings()
  await stopTestServer()
}
