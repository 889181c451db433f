import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type {
  ContractName,
  ImportWorkspace,
  ImportWorkspaces,
  ResolvedContract,
} from '../../../../src/editor/imports/import-workspace.ts'

/**
 * Workspaces that write documents unchanged. `import X from 0x…` in a text is a missing import
 * until X is fetched.
 */
export interface PlainWorkspaces extends ImportWorkspaces {
  readonly root: string
  /** Open folders. */
  readonly folders: ReadonlySet<string>
  /** Number of folders opened since the start. */
  readonly opened: number
  /** Resolves at `count` open folders. */
  untilFolders(count: number): Promise<void>
}

/** @param fetch returns a contract, or undefined if missing */
export async function plainWorkspaces(
  fetch: (contract: ContractName) => Promise<ResolvedContract | undefined> = () => Promise.resolve(undefined),
): Promise<PlainWorkspaces> {
  const root = await mkdtemp(join(tmpdir(), 'flowfarm-lsp-test-'))
  const folders = new Set<string>()
  const changed = new EventEmitter()
  let opened = 0

  async function open(): Promise<ImportWorkspace> {
    const folder = join(root, randomUUID().replaceAll('-', ''))
    opened++
    await mkdir(folder)
    folders.add(folder)
    const there = new Set<string>()
    return {
      folder,
      prepare: async (path, text) => {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
        const names = [...text.matchAll(/import (\w+) from 0x(\w{16})/g)].map(([, name = '', address = '']) => ({
          address,
          name,
        }))
        return { text, missing: names.filter(({ address, name }) => !there.has(`${address}.${name}`)) }
      },
      fetch: async (contract) => {
        const found = await fetch(contract)
        if (found !== undefined) there.add(`${contract.address}.${contract.name}`)
        return found
      },
      remove: (path) => rm(join(folder, path), { force: true }),
      close: async () => {
        await rm(folder, { recursive: true, force: true })
        folders.delete(folder)
        changed.emit('closed')
      },
    }
  }

  async function untilFolders(count: number): Promise<void> {
    while (folders.size !== count) await once(changed, 'closed')
  }

  return {
    root,
    folders,
    open,
    untilFolders,
    close: () => rm(root, { recursive: true, force: true }),
    get opened() {
      return opened
    },
  }
}
