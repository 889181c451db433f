import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BenchSize } from './bench-run.ts'
import { openBenchDatabase } from './farm/bench-database.ts'
import type { Conditions } from './report/history.ts'

/** What is measured, and with which settings: read from the server that the parts start too. */
export async function readSettings(size: BenchSize): Promise<Pick<Conditions, 'versions' | 'settings'>> {
  const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string
  }
  const database = await openBenchDatabase()
  const names = ['server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size']
  try {
    const { rows } = await database.pool.query<{ name: string; value: string }>(
      'select name, current_setting(name) as value from pg_settings where name = any($1) order by array_position($1, name)',
      [names],
    )
    const { server_version: postgresql = 'unknown', ...settings } = Object.fromEntries(
      rows.map(({ name, value }) => [name, value]),
    )
    return {
      versions: { flowfarm: manifest.version, Node: process.versions.node, PostgreSQL: postgresql },
      settings: {
        ...settings,
        'blocks of the whole program': size.manyBlocks,
        'clients of the feed': size.feedClients,
      },
    }
  } finally {
    await database.close()
  }
}
