import { createInterface } from 'node:readline/promises'
import { removeOwnWorker } from '../../src/own-tables/registry.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'
import { withDatabase } from '../cli/open-database.ts'
import { print } from '../cli/texts.ts'

export function remove(given: string | undefined, isConfirmed: boolean): Promise<number> {
  const name = workerName(given)
  return withDatabase(
    async ({ pool }) => {
      if (!isConfirmed && !(await confirm(`Delete ${name} with all tables of the schema ${name}?`))) {
        print('Not deleted.')
        return exitCodes.success
      }
      const isRemoved = await withTransaction(pool, (client) => removeOwnWorker(client, name))
      if (!isRemoved)
        throw new FatalError('unknown-worker', `The database has no worker ${name}. See npm run worker -- list.`)
      print(`${name} and its tables are deleted. Its folder is not: a flowfarm that loads it adds the worker again.`)
      return exitCodes.success
    },
    { acceptsDemo: true },
  )
}

/** Also accepts the name of the folder. @throws FatalError `bad-argument` */
function workerName(given: string | undefined): string {
  if (given === undefined) {
    throw new FatalError('bad-argument', 'Worker missing: npm run worker -- remove <name>. See npm run worker -- list.')
  }
  const name = given.replaceAll('-', '_')
  return name.startsWith('own_') ? name : `own_${name}`
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new FatalError('not-confirmed', `${question} Confirm with --yes.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}
