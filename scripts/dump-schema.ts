/**
 * Writes migrations/schema.txt, so that reviews show schema changes. Run by `npm run docs`.
 *
 *     node scripts/dump-schema.ts                       applies the migrations to a temporary server, writes the file
 *     node scripts/dump-schema.ts postgresql://…        prints the schema of that database
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { createPool } from '../src/platform/db/pool.ts'
import { dumpSchema } from '../src/platform/db/dump-schema.ts'

const migrationsFolder = join(import.meta.dirname, '../migrations')
const [, , url] = process.argv

if (url === undefined) {
  const schema = await schemaOfMigrations()
  await writeFile(join(migrationsFolder, 'schema.txt'), schema)
} else {
  const pool = createPool(url, { max: 1 })
  try {
    process.stdout.write(await dumpSchema(pool))
  } finally {
    await pool.end()
  }
}

async function schemaOfMigrations(): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'flowfarm-schema-'))
  try {
    const server = await startEmbeddedPostgres({
      dataFolder,
      log: (line) => process.stderr.write(`${line}\n`),
      settings: { fsync: 'off', shared_buffers: '64MB' },
    })
    const pool = createPool(server.url, { max: 1 })
    try {
      await migrate(pool, migrationsFolder)
      return await dumpSchema(pool)
    } finally {
      await pool.end()
      await server.stop()
    }
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
}
