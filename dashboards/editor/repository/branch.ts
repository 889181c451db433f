import { pathProblem } from '../project/path-problem.ts'
import type { Connection, TreeEntry } from '../answers.gen.ts'
import type { RepositoryClient } from './repository-client.ts'
import type { Files } from '../project/file-changes.ts'

/** A file of a branch. */
interface BranchFile {
  /** As the project has it: below the folder of the connection. */
  readonly path: string
  /** By which Git knows its content. */
  readonly sha: string
}

/** A branch as it was at one commit. */
interface Branch {
  /** The commit; null where there is no such branch yet. */
  readonly head: string | null
  readonly files: readonly BranchFile[]
  /** What a project cannot have, with why. */
  readonly left: readonly { readonly path: string; readonly why: string }[]
}

/** Each folder is a question to GitHub, which counts them. */
const maxFolders = 100
const atOnce = 6

/**
 * Reads which files a branch has, all at one commit.
 * @throws ApiProblem; Error where there are too many folders
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
    if (asked >= maxFolders)
      throw new Error(
        `There are more than ${maxFolders} folders: connect the project with one of them that holds its code.`,
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

/** A file that is not the same in the project and in the branch. */
export interface Difference {
  readonly path: string
  /** In the project alone, in both with other content, or in the branch alone. */
  readonly is: 'here' | 'both' | 'there'
}

/** A project and a branch, as they were compared. */
export interface Differences {
  readonly branch: Branch
  /** The project then. */
  readonly files: Files
  readonly all: readonly Difference[]
}

/**
 * What a project has that a branch has not, and the other way round, by path.
 * @param idOf by which Git knows a content
 */
export async function compareBranch(
  files: Files,
  branch: readonly BranchFile[],
  idOf: (content: string) => Promise<string>,
): Promise<readonly Difference[]> {
  const there = new Map(branch.map(({ path, sha }) => [path, sha]))
  const own = await Promise.all(
    [...files].map(async ([path, content]): Promise<readonly Difference[]> => {
      const sha = there.get(path)
      if (sha === undefined) return [{ path, is: 'here' }]
      return sha === (await idOf(content)) ? [] : [{ path, is: 'both' }]
    }),
  )
  const others = branch.filter(({ path }) => !files.has(path)).map(({ path }): Difference => ({ path, is: 'there' }))
  return [...own.flat(), ...others].sort(({ path: one }, { path: other }) => (one < other ? -1 : 1))
}

const encoder = new TextEncoder()

/**
 * The name that Git has for a text: the SHA-1 of its length and its bytes, 40 hex digits.
 * @throws Error on pages that came over plain HTTP from another machine, which browsers give no hashes
 */
export async function blobId(text: string): Promise<string> {
  if (!isSecureContext)
    throw new Error('Files can be compared only where this page is opened at https:// or localhost.')
  const bytes = encoder.encode(text)
  const head = encoder.encode(`blob ${bytes.length}\0`)
  const all = new Uint8Array(head.length + bytes.length)
  all.set(head)
  all.set(bytes, head.length)
  return [...new Uint8Array(await crypto.subtle.digest('SHA-1', all))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
