import { createHash } from 'node:crypto'

/** A file of a commit. */
export interface Blob {
  readonly mode: string
  readonly bytes: Buffer
}

/** A repository with its commits, as far as the editor reads them. */
export interface FakeRepository {
  readonly id: number
  owner: string
  name: string
  isPrivate: boolean
  readonly defaultBranch: string
  /** Commit of each branch. */
  readonly refs: Map<string, string>
  readonly commits: Map<
    string,
    { readonly tree: string; readonly parents: readonly string[]; readonly message: string }
  >
  /** All paths of each tree. */
  readonly trees: Map<string, ReadonlyMap<string, Blob>>
  /** Maximum entries of a recursive tree response. GitHub's limit is 100,000. */
  maxEntries: number
  /** `admin`, `write`, `read`. Others have `read` on public repositories, and otherwise `none`. */
  readonly collaborators: Map<string, string>
  /** Sealed, base64. */
  readonly secrets: Map<string, string>
  readonly secretKeys: { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array }
  readonly protectedBranches: Set<string>
  readonly pulls: { readonly number: number; readonly head: string; readonly base: string; readonly title: string }[]
  readonly dispatches: unknown[]
}

export function treeOf(repo: FakeRepository, commit: string): ReadonlyMap<string, Blob> {
  return repo.trees.get(repo.commits.get(commit)?.tree ?? '') ?? new Map<string, Blob>()
}

/** The entries of a folder of a tree. */
export function within(tree: ReadonlyMap<string, Blob>, folder: string): ReadonlyMap<string, Blob> {
  return new Map(
    [...tree]
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([path, blob]) => [path.slice(folder.length + 1), blob]),
  )
}

/** Symbolic links are written with their modes. @returns the commit, on top of the branch */
export function pushWithModes(
  repo: FakeRepository,
  branch: string,
  files: Readonly<Record<string, readonly [mode: string, text: string]>>,
): string {
  const parent = repo.refs.get(branch)
  const before = parent === undefined ? new Map<string, Blob>() : treeOf(repo, parent)
  const tree = addTree(
    repo,
    new Map([
      ...before,
      ...Object.entries(files).map(([path, [mode, text]]) => [path, { mode, bytes: Buffer.from(text) }] as const),
    ]),
  )
  const sha = addCommit(repo, tree, parent === undefined ? [] : [parent], 'A commit of another user')
  repo.refs.set(branch, sha)
  return sha
}

export function addTree(repo: FakeRepository, tree: ReadonlyMap<string, Blob>): string {
  const sha = createHash('sha1')
    .update(JSON.stringify([...tree].map(([path, { mode, bytes }]) => [path, mode, blobSha(bytes)])))
    .digest('hex')
  repo.trees.set(sha, tree)
  return sha
}

export function addCommit(repo: FakeRepository, tree: string, parents: readonly string[], message: string): string {
  const sha = createHash('sha1')
    .update(JSON.stringify([tree, parents, message, repo.commits.size]))
    .digest('hex')
  repo.commits.set(sha, { tree, parents, message })
  return sha
}

export function blobSha(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
