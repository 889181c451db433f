import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'

/** Excluded from a backup: WAL, which is added at the end, and files of the running server. */
const leftOut: ReadonlySet<string> = new Set([
  'pg_wal',
  'postmaster.pid',
  'postmaster.opts',
  'pg_replslot',
  'pg_stat_tmp',
])

/** Settings of a server that allows such backups: WAL is retained until the backup ends. */
export const backupSettings = { wal_keep_size: '2GB' } as const

/**
 * A base backup of a running embedded server through PostgreSQL's backup functions, as the package
 * lacks `pg_basebackup`. `target` becomes a data folder for `startEmbeddedPostgres`.
 */
export async function takeBaseBackup(url: string, dataFolder: string, target: string): Promise<void> {
  const [from, to] = [join(dataFolder, 'cluster'), join(target, 'cluster')]
  // The session that starts a backup must end it.
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('flowfarm', true)`)
    await mkdir(to, { recursive: true, mode: 0o700 })
    for (const entry of await readdir(from, { withFileTypes: true })) {
      if (leftOut.has(entry.name)) continue
      if (entry.isDirectory()) await copyFolder(join(from, entry.name), join(to, entry.name))
      else await copyIfThere(join(from, entry.name), join(to, entry.name))
    }
    for (const folder of ['pg_replslot', 'pg_stat_tmp']) await mkdir(join(to, folder), { mode: 0o700 })
    const {
      rows: [stopped],
    } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await writeFile(join(to, 'backup_label'), stopped?.labelfile ?? '')
    await copyFolder(join(from, 'pg_wal'), join(to, 'pg_wal'))
  } finally {
    await client.end()
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isDirectory()) await copyFolder(join(from, entry.name), join(to, entry.name))
    else await copyIfThere(join(from, entry.name), join(to, entry.name))
  }
}

/** Files may be created and deleted during the copy; deleted ones are not needed. */
async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
