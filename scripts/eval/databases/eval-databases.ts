import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { createPool } from '../../../src/db/pool.ts'
import { withDatabase } from '../../../src/db/socket-url.ts'
import { fillEvmExplorer } from './fill-evm-explorer.ts'
import { fillIndexer, knownChain, otherChain } from './fill-indexer.ts'
import { perturbIndexer } from './perturb-indexer.ts'

/** The addresses of the databases that the evaluation asks, on a server of its own. */
export interface EvalDatabases extends AsyncDisposable {
  readonly indexer: Readonly<Record<'known' | 'other', string>>
  readonly evm: Readonly<Record<'known' | 'other', string>>
}

const chains = { known: knownChain, other: otherChain } as const
const migrations = resolve(import.meta.dirname, '../../../migrations')

/** Makes all four, in less than a minute; they go away with the block of its `await using`. */
export async function openEvalDatabases(): Promise<EvalDatabases> {
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-eval-'))
  const server = await startEmbeddedPostgres({
    dataFolder: folder,
    log: () => undefined,
    settings: { fsync: 'off', shared_buffers: '64MB' },
  })
  const close = async (): Promise<void> => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const administer = createPool(server.url, { max: 1, applicationName: 'eval' })
  const create = async (name: string): Promise<string> => {
    await administer.query(`create database ${name}`)
    return withDatabase(server.url, name)
  }
  const makeBoth = async (rows: 'known' | 'other'): Promise<{ indexer: string; evm: string }> => {
    const [indexer, evm] = [await create(`indexer_${rows}`), await create(`evm_${rows}`)]
    await withPool(indexer, async (pool) => {
      await migrate(pool, migrations)
      await fillIndexer({ url: indexer, pool }, chains[rows])
      if (rows === 'other') await perturbIndexer(pool)
    })
    await withPool(evm, (pool) => fillEvmExplorer(pool, rows))
    return { indexer, evm }
  }
  try {
    const known = await makeBoth('known')
    const other = await makeBoth('other')
    return {
      indexer: { known: known.indexer, other: other.indexer },
      evm: { known: known.evm, other: other.evm },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  } finally {
    await administer.end()
  }
}

async function withPool(url: string, use: (pool: ReturnType<typeof createPool>) => Promise<void>): Promise<void> {
  const pool = createPool(url, { applicationName: 'eval' })
  try {
    await use(pool)
  } finally {
    await pool.end()
  }
}
