import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Accounts } from '../../src/platform/auth/accounts.ts'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { FailureLimit } from '../../src/platform/limits/sliding-window.ts'
import { adminOperations } from '../../src/explorer/service.ts'
import { farmOperations } from '../../src/farm/operations.ts'
import { readOwnWorkers } from '../../src/own-tables/registry.ts'
import { webhookStores } from '../../src/webhooks/webhook-stores.ts'
import { stopTestServer } from '../support/database.ts'
import { runCleanups } from '../support/cleanups.ts'
import { repositoryRoot } from '../support/repository.ts'
import { enrichedChain } from '../support/enriched-chain.ts'

const token = 'the-token-of-an-administrator'
/** Prefixes of every path. */
const prefixes = ['', '/chain/v1', '/api/v1/chain/v1']
const programs = [['schemathesis'], ['uvx', 'schemathesis'], ['pipx', 'run', 'schemathesis']] as const

const usage = `Has schemathesis try every operation of the API with good and bad input, and compare the answers with its description.

Usage: npm run test:schemathesis [-- --serve | options of schemathesis run]

  --serve   Only start that API and print its address, for other programs.
  --help    Print this.

About ten minutes. The API is that of the tests, on a derived recording, with an administrator's token.
schemathesis.toml lists the exceptions and why. Example: npm run test:schemathesis -- --seed 7 --max-examples 200
`

const notFound = `schemathesis was not found. It is a Python program:

  python3 -m venv .flowfarm/schemathesis
  .flowfarm/schemathesis/bin/pip install schemathesis
  PATH=$PWD/.flowfarm/schemathesis/bin:$PATH npm run test:schemathesis
`

/** The exit code; undefined if the program is not installed. */
async function run(command: readonly string[], args: readonly string[], quiet = false): Promise<number | undefined> {
  const [program = '', ...first] = command
  const child = spawn(program, [...first, ...args], { stdio: quiet ? 'ignore' : 'inherit', cwd: repositoryRoot })
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  child.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(undefined) : reject(error)))
  child.once('exit', (code) => resolve(code ?? 1))
  return promise
}

async function findProgram(): Promise<readonly string[] | undefined> {
  for (const program of programs) {
    if ((await run(program, ['--version'], true)) === 0) return program
  }
  return undefined
}

async function withApi(use: (host: string) => Promise<void>): Promise<void> {
  try {
    await using reported = await enrichedChain(({ pool }) => ({
      accounts: new Accounts({ pool, keys: new DeveloperKeys(pool), jwtSecret: undefined }),
      webhooks: webhookStores(pool, []),
      admin: {
        credentials: { token, jwtSecret: undefined, allowedRoles: [] },
        operations: adminOperations(pool, () => 'emulator', farmOperations(pool, readOwnWorkers)),
        // It sends invalid credentials on purpose.
        failures: new FailureLimit({ max: Infinity }),
      },
      keys: new DeveloperKeys(pool),
    }))
    await use(reported.api.host)
  } finally {
    await runCleanups()
    await stopTestServer()
  }
}

const given = process.argv.slice(2)
if (given.includes('--help')) process.stdout.write(usage)
else if (given[0] === '--serve') {
  await withApi(async (host) => {
    process.stdout.write(`http://${host}\nAuthorization: Bearer ${token}\n`)
    await once(process, 'SIGINT')
  })
} else {
  const program = await findProgram()
  if (program === undefined) {
    process.stderr.write(notFound)
    process.exitCode = 1
  } else {
    await withApi(async (host) => {
      for (const prefix of prefixes) {
        process.stdout.write(`\nhttp://${host}${prefix}\n`)
        const options = ['--url', `http://${host}${prefix}`, '-H', `Authorization: Bearer ${token}`, ...given]
        if ((await run(program, ['run', `http://${host}/openapi.json`, ...options])) !== 0) process.exitCode = 1
      }
    })
  }
}
