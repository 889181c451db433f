import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, realpath, rm, readlink } from 'node:fs/promises'
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

export interface ImportWorkspacesOptions {
  /** Where folders are made; without it the system's for temporary files. Several processes may share it. */
  readonly root?: string | undefined
  readonly source: ContractSource
  readonly log: Logger
  /** How long a contract holds before it is looked up again. Default 600,000 ms. */
  readonly freshMs?: number
  /** The same for one that is not there. Default 30,000 ms. */
  readonly absentMs?: number
  /** Most bytes of contracts that are kept on the disk beside those of open connections. Default 256 MB. */
  readonly maxStoredBytes?: number
  readonly now?: () => number
}

/** What is made here; its workspaces can do all that `ImportWorkspace` has. */
export interface ContractWorkspaces extends ImportWorkspaces {
  open(network: EditorNetwork): Promise<ConnectionWorkspace>
}

/**
 * Folders for connections below one folder of this process; folders of dead processes are deleted.
 * @throws FatalError if the folder cannot be used
 */
export async function createImportWorkspaces(options: ImportWorkspacesOptions): Promise<ContractWorkspaces> {
  const {
    root = tmpdir(),
    source,
    log,
    freshMs = 600_000,
    absentMs = 30_000,
    maxStoredBytes = 256_000_000,
    now = Date.now,
  } = options
  const run = await makeRunFolder(root, log)
  const store = new FileStore(join(run, 'contracts'), maxStoredBytes)
  const accounts = new AccountCache({ source, freshMs, absentMs, now })
  const library = new ContractLibrary({ accounts, freshMs, absentMs, now })
  const open = new Set<ConnectionWorkspace>()
  let isClosed = false
  return {
    async open(network) {
      if (isClosed) throw new Error('the folders of the language servers are closed')
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
    await mkdir(root, { recursive: true })
    // Servers compare paths without links.
    const real = await realpath(root)
    if (/[@%:]/.test(real))
      throw new Error('the checkers of Cadence take "@", "%" and ":" in a path for something else')
    const host = hostname().replaceAll(/[^\w.-]/g, '_')
    await removeLeftOvers(real, `${prefix}-${host}-`, log)
    return await mkdtemp(join(real, `${prefix}-${host}-${process.pid}-`))
  } catch (thrown) {
    const error = asError(thrown)
    throw new FatalError(
      'editor-folder',
      `the folder ${root} cannot hold what language servers read: ${error.message}. Set EDITOR_FOLDER to one that ` +
        'this process may write to.',
      { cause: error },
    )
  }
}

/** Of processes of this machine that are no more. */
async function removeLeftOvers(root: string, start: string, log: Logger): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = name.startsWith(start) ? Number(/^(\d+)-\w{6}$/.exec(name.slice(start.length))?.[1]) : Number.NaN
    if (Number.isNaN(pid) || isAlive(pid)) continue
    log.info({ folder: name }, 'the folder of a process that has ended is taken away')
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

/**
 * Kills processes that work in a folder: language servers whose parent was killed and that hang. Linux only.
 * @param folder absolute, without links; nothing else may work there
 */
async function endProcessesIn(folder: string, log: Logger): Promise<void> {
  const names = await readdir('/proc').catch(() => [])
  for (const name of names) {
    const pid = /^\d+$/.test(name) ? Number(name) : process.pid
    if (pid === process.pid) continue
    // Of processes that are gone, or of others, the system tells nothing.
    const place = await readlink(`/proc/${name}/cwd`).catch(() => '')
    if (place !== folder && !place.startsWith(`${folder}/`)) continue
    log.warn({ pid }, 'a language server that a killed process has left is ended')
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      log.warn({ err: error, pid }, 'it could not be ended')
    }
  }
}
