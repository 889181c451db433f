import { join } from 'node:path'
import { expect } from 'chai'
import { examplePairs } from '../../src/assistant/query/example-pairs.ts'
import { runAsk } from '../assistant/query/support/running-ask.ts'
import type { RunningAsk } from '../assistant/query/support/running-ask.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { clientFolder, hasPython, runPython, testArguments } from './python-run.ts'

/** Runs the client's own tests from the repository. */
async function runTests(file: string, variables: Record<string, string>): Promise<string> {
  return runPython(testArguments(file), { variables: { PYTHONPATH: join(clientFolder, 'src'), ...variables } })
}

describe('Python client', () => {
  let database: TestDatabase
  let ask: RunningAsk | undefined

  before(async function (this: Mocha.Context) {
    if (!(await hasPython())) {
      process.stderr.write('    skipped: no Python 3.9 here\n')
      this.skip()
    }
    database = await createTestDatabase()
  })
  afterEach(async () => {
    await ask?.stop()
    ask = undefined
  })
  after(() => database?.drop())

  it('passes its own tests', async () => {
    expect(await runTests('test_client.py', {})).to.match(/\nOK\n/)
  })

  it('works with a service that has a token and a model', async () => {
    ask = await runAsk(database, { API_TOKEN: 'secret', LLM_PROVIDER: 'scripted' })
    const question = examplePairs('indexer', 'mainnet')[0]?.questions[0] ?? ''
    expect(
      await runTests('test_service.py', {
        FLOWFARM_URL: ask.origin,
        FLOWFARM_TOKEN: 'secret',
        FLOWFARM_QUESTION: question,
      }),
    ).to.match(/Ran 6 tests[^]*\nOK\n/)
  })

  it('reports the setting if the service has no model', async () => {
    ask = await runAsk(database)
    expect(await runTests('test_service.py', { FLOWFARM_URL: ask.origin })).to.include('OK (skipped=1)')
  })
})
