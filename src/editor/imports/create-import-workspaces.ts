import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, realpath, rm, readlink } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EditorNetwork } from '../editor-network.ts'
import { AccountCache } from './account-cache.ts'
import type { ContractSource } from './account-cache.ts'
import { ConnectionWorkspace, makeProjectFolder } from './connection-workspace.ts'
import { ContractLibrary } from './contract-library.ts'
import { hasCode, FileStore } from './file-store.ts'
import type { ImportWorkspaces } from './import-workspace.ts'
import { asError, FatalError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { makeFolder } from '../../platform/make-folder.ts'

/** Contracts that no open connection uses. */
const maxStoredBytes = 256_000_000

export interface ImportWorkspacesOptions {
  /** Default: the system's temporary folder. Processes may share it. */
  readonly root?: string | undefined
  readonly source: ContractSource
  readonly log: Logger
  /** Default 600,000 ms. */
  readonly freshMs?: number
  /** For missing contracts. Default 30,000 ms. */
  readonly absentMs?: number
  readonly now?: () => number
}

export interface ContractWorkspaces extends ImportWorkspaces {
  open(network: EditorNetwork): Promise<ConnectionWorkspace>
}

/** Folders of dead processes are deleted. @throws FatalError if the folder cannot be used */
export async function createImportWorkspaces(options: ImportWorkspacesOptions): Promise<ContractWorkspaces> {
  const { root = tmpdir(), source, log, freshMs = 600_000, absentMs = 30_000, now = Date.now } = options
  const run = await makeRunFolder(root, log)
  const store = new FileStore(join(run, 'contracts'), maxStoredBytes)
  const accounts = new AccountCache({ source, freshMs, absentMs, now })
  const library = new ContractLibrary({ accounts, freshMs, absentMs, now })
  const open = new Set<ConnectionWorkspace>()
  let isClosed = false
  return {
    async open(network) {
      if (isClosed) throw new Error('the workspaces are closed')
      const folder = join(run, randomBytes(16).toString('hex'))
      await makeProjectFolder(folder)
      const workspace = new ConnectionWorkspace({
        folder,
        network,
        library,
        store,
        onClose: () => open.delete(workspace),
      })
      open.add(workspace)
      return workspace
    },
    async close() {
      isClosed = true
      await Promise.all([...open].map((workspace) => workspace.close()))
      await rm(run, { recursive: true, force: true })
    },
  }
}

const prefix = 'flowfarm-editor'

async function makeRunFolder(root: string, log: Logger): Promise<string> {
  try {
    await makeFolder(root)
    // Servers compare paths without links.
    const real = await realpath(root)
    if (/[@%:]/.test(real)) throw new Error('Cadence checkers misread "@", "%" and ":" in paths')
    const host = hostname().replaceAll(/[^\w.-]/g, '_')
    await removeLeftOvers(real, `${prefix}-${host}-`, log)
    return await mkdtemp(join(real, `${prefix}-${host}-${process.pid}-`))
  } catch (thrown) {
    const error = asError(thrown)
    throw new FatalError(
      'editor-folder',
      `cannot use the folder ${root} for language servers: ${error.message}. Set EDITOR_FOLDER to a folder that ` +
        'this process can write to.',
      { cause: error },
    )
  }
}

async function removeLeftOvers(root: string, start: string, log: Logger): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = name.startsWith(start) ? Number(/^(\d+)-\w{6}$/.exec(name.slice(start.length))?.[1]) : Number.NaN
    if (Number.isNaN(pid) || isAlive(pid)) continue
    log.info({ folder: name }, 'Deleting the folder of a dead process')
    await endProcessesIn(join(root, name), log)
    await rm(join(root, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

/** Kills orphaned language servers that hang. Linux only. @param folder used by nothing else */
async function endProcessesIn(folder: string, log: Logger): Promise<void> {
  const names = await readdir('/proc').catch(() => [])
  for (const name of names) {
    const pid = /^\d+$/.test(name) ? Number(name) : process.pid
    if (pid === process.pid) continue
    // Unreadable for processes of other users.
    const place = await readlink(`/proc/${name}/cwd`).catch(() => '')
    if (place !== folder && !place.startsWith(`${folder}/`)) continue
    log.warn({ pid }, 'Ending an orphaned language server')
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      log.warn({ err: error, pid }, 'Could not end the process')
    }
  }
}
