import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'

/** What a backup leaves out: WAL is added in the end, and the rest is of the server that runs. */
const leftOut: ReadonlySet<string> = new Set([
  'pg_wal',
  'postmaster.pid',
  'postmaster.opts',
  'pg_replslot',
  'pg_stat_tmp',
])

/** Settings of a server of which such backups are taken: the WAL of a backup is still there when it ends. */
export const backupSettings = { wal_keep_size: '2GB' } as const

/**
 * A base backup of a running embedded server, by the functions of PostgreSQL for it: `pg_basebackup` is not in the
 * package. `target` becomes the data folder of a server that can be started with `startEmbeddedPostgres`.
 */
export async function takeBaseBackup(url: string, dataFolder: string, target: string): Promise<void> {
  const [from, to] = [join(dataFolder, 'cluster'), join(target, 'cluster')]
  // The session that begins a backup has to end it.
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

/** Files come and go while they are copied; what has gone is not needed. */
async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
