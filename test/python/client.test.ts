import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { examplePairs } from '../../src/ask/examples/example-pairs.ts'
import { runAsk } from '../ask/support/running-ask.ts'
import type { RunningAsk } from '../ask/support/running-ask.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { repositoryRoot } from '../support/repository.ts'

const folder = join(repositoryRoot, 'clients/python')
const run = promisify(execFile)

/** Runs the client's own tests; what they print is on stderr. @throws with their output where one fails */
async function runTests(file: string, variables: Record<string, string>): Promise<string> {
  const { stderr } = await run('python3', ['-B', '-W', 'error', '-m', 'unittest', join('tests', file)], {
    cwd: folder, env: { ...bareEnvironment(), PYTHONPATH: join(folder, 'src'), ...variables },
  })
  return stderr
}

describe('the Python client', () => {
  let database: TestDatabase
  let ask: RunningAsk | undefined

  before(async function (this: Mocha.Context) {
    if (!await hasPython()) this.skip()
    database = await createTestDatabase()
  })
  afterEach(async () => {
    await ask?.stop()
    ask = undefined
  })
  after(() => database?.drop())

  it('speaks as it should', async () => {
    expect(await runTests('test_client.py', {})).to.match(/\nOK\n/)
  })

  it('works with the service, which asks for a token and has a model', async () => {
    ask = await runAsk(database, { API_TOKEN: 'secret', LLM_PROVIDER: 'scripted' })
    const question = examplePairs('indexer', 'mainnet')[0]?.questions[0] ?? ''
    expect(await runTests('test_service.py', { FLOWFARM_URL: ask.origin, FLOWFARM_TOKEN: 'secret', FLOWFARM_QUESTION: question })).to.match(/Ran 6 tests[^]*\nOK\n/)
  })

  it('says what to set where the service has no model', async () => {
    ask = await runAsk(database)
    expect(await runTests('test_service.py', { FLOWFARM_URL: ask.origin })).to.include('OK (skipped=1)')
  })
})

async function hasPython(): Promise<boolean> {
  try {
    await run('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)'])
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
