import { pathProblem } from '../paths/path-problem.ts'
import type { Connection, TreeEntry } from './contract.ts'
import type { RepositoryClient } from './repository-client.ts'

/** A file of a branch. */
export interface BranchFile {
  /** As the project has it: below the folder of the connection. */
  readonly path: string
  /** By which Git knows its content. */
  readonly sha: string
}

/** A branch as it was at one commit. */
export interface Branch {
  /** The commit; null where there is no such branch yet. */
  readonly head: string | null
  readonly files: readonly BranchFile[]
  /** What a project cannot have, with why. */
  readonly left: readonly { readonly path: string; readonly why: string }[]
}

/** Each folder is a question to GitHub, which counts them. */
const mostFolders = 100
const atOnce = 6

/**
 * Reads which files a branch has, all at one commit.
 * @throws WalletProblem; Error where there are too many folders
 */
export async function readBranch(
  client: Pick<RepositoryClient, 'head' | 'folder'>,
  connection: Connection,
): Promise<Branch> {
  const head = await client.head(connection)
  if (head === null) return { head, files: [], left: [] }
  const entries: TreeEntry[] = []
  const waiting = [connection.path]
  for (let asked = 0; waiting.length > 0; asked += atOnce) {
    if (asked >= mostFolders)
      throw new Error(
        `There are more than ${mostFolders} folders: connect the project with one of them that holds its code.`,
      )
    const levels = await Promise.all(waiting.splice(0, atOnce).map((path) => client.folder(connection, path, head)))
    for (const entry of levels.flat()) {
      if (entry.type === 'dir' && entry.path !== '.github') waiting.push(entry.path)
      else entries.push(entry)
    }
  }
  return { head, ...sorted(entries, connection.path) }
}

function sorted(entries: readonly TreeEntry[], folder: string): Pick<Branch, 'files' | 'left'> {
  const files: BranchFile[] = []
  const left: { path: string; why: string }[] = []
  for (const { path: at, type, sha } of entries) {
    const path = folder === '' ? at : at.slice(folder.length + 1)
    const why = type === 'dir' ? 'It is changed at GitHub.' : type === 'file' ? pathProblem(path) : 'It is a link.'
    if (why === undefined) files.push({ path, sha })
    else left.push({ path, why })
  }
  return { files: files.sort(byPath), left: left.sort(byPath) }
}

function byPath({ path: one }: { readonly path: string }, { path: other }: { readonly path: string }): number {
  return one < other ? -1 : one > other ? 1 : 0
}
