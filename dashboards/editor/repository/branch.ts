import { pathProblem } from '../project/path-problem.ts'
import type { Connection, TreeEntry } from '../answers.gen.ts'
import type { RepositoryClient } from './repository-client.ts'
import type { Files } from '../project/file-changes.ts'

interface BranchFile {
  /** Relative to the folder of the connection. */
  readonly path: string
  /** Git blob id. */
  readonly sha: string
}

interface Branch {
  readonly head: string | null
  readonly files: readonly BranchFile[]
  readonly left: readonly { readonly path: string; readonly why: string }[]
}

/** Each folder is one GitHub request, which counts against its rate limit. */
const maxFolders = 100
const concurrency = 6

/** @throws ApiProblem; Error if there are too many folders */
export async function readBranch(
  client: Pick<RepositoryClient, 'head' | 'folder'>,
  connection: Connection,
): Promise<Branch> {
  const head = await client.head(connection)
  if (head === null) return { head, files: [], left: [] }
  const entries: TreeEntry[] = []
  const waiting = [connection.path]
  for (let requested = 0; waiting.length > 0; requested += concurrency) {
    if (requested >= maxFolders)
      throw new Error(
        `The repository has more than ${maxFolders} folders. Connect the project to the folder with its code.`,
      )
    const levels = await Promise.all(
      waiting.splice(0, concurrency).map((path) => client.folder(connection, path, head)),
    )
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
    const why =
      type === 'dir'
        ? 'Folders below .github are edited at GitHub.'
        : type === 'file'
          ? pathProblem(path)
          : 'Links are not supported.'
    if (why === undefined) files.push({ path, sha })
    else left.push({ path, why })
  }
  return { files: files.sort(byPath), left: left.sort(byPath) }
}

function byPath({ path: one }: { readonly path: string }, { path: other }: { readonly path: string }): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export interface Difference {
  readonly path: string
  readonly is: 'here' | 'both' | 'there'
}

export interface Differences {
  readonly branch: Branch
  readonly files: Files
  readonly all: readonly Difference[]
}

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
 * Git blob id: SHA-1 of the header and the bytes. @throws Error without HTTPS, where browsers
 * provide no hashes
 */
export async function blobId(text: string): Promise<string> {
  if (!isSecureContext) throw new Error('Could not compare files: open this page over HTTPS or at localhost.')
  const bytes = encoder.encode(text)
  const head = encoder.encode(`blob ${bytes.length}\0`)
  const all = new Uint8Array(head.length + bytes.length)
  all.set(head)
  all.set(bytes, head.length)
  return [...new Uint8Array(await crypto.subtle.digest('SHA-1', all))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
