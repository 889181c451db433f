import { z } from 'zod'
import { readAnswer } from './github-client.ts'
import type { GitHubCall } from './github-client.ts'
import { isStatus } from './github-error.ts'
import { asSegments, below } from './names.ts'
import { isEmptyRepository } from './read-repository.ts'
import type { RepositoryName } from './read-repository.ts'
import { ApiError } from '../../../platform/errors.ts'

interface FileChange {
  readonly path: string
  /** Undefined for deleted files. */
  readonly content: string | undefined
  readonly action: 'create' | 'update' | 'delete' | 'put'
}

interface CommitRequest extends RepositoryName {
  readonly branch: string
  readonly message: string
  readonly files: readonly FileChange[]
  /** The expected commit of the branch; null: the branch must not exist; undefined: not checked. */
  readonly expectedHead: string | null | undefined
}

interface Committed {
  readonly sha: string
  readonly message: string
  readonly url: string
}

const reference = z.object({ object: z.object({ sha: z.string(), type: z.string() }) })
const commit = z.object({ sha: z.string(), html_url: z.string(), tree: z.object({ sha: z.string() }) })
const tree = z.object({
  sha: z.string(),
  truncated: z.boolean().optional(),
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string() })),
})
type Tree = z.output<typeof tree>
const emptyRepository = Symbol('empty repository')
const modes = { file: '100644', symlink: '120000', submodule: '160000' }

/**
 * Commits all changes or none. A missing branch starts at the default branch. @throws ApiError 409
 * `branch-moved`, `file-exists`, `file-missing`, `path-clash`
 */
export async function commitFiles(call: GitHubCall, request: CommitRequest): Promise<Committed> {
  const { owner, repo, branch, expectedHead } = request
  const head = await headOf(call, request, branch)
  if (head === emptyRepository) {
    if (typeof expectedHead === 'string') throw moved(undefined)
    return beginRepository(call, request)
  }
  if (expectedHead !== undefined && (head ?? null) !== expectedHead) throw moved(head)
  const base = head ?? (await defaultHead(call, request))
  const made = await makeCommit(call, request, base)
  try {
    if (head === undefined)
      await call('POST /repos/{owner}/{repo}/git/refs', { owner, repo, ref: `refs/heads/${branch}`, sha: made.sha })
    else
      await call(`PATCH /repos/{owner}/{repo}/git/refs/heads/${asSegments(branch)}`, {
        owner,
        repo,
        sha: made.sha,
        force: false,
      })
  } catch (error) {
    // Another commit was faster. Git cleans up the unreferenced objects.
    if (isStatus(error, 409) || isStatus(error, 422)) {
      const now = await headOf(call, request, branch)
      if (now !== head) throw moved(now === emptyRepository ? undefined : now)
    }
    throw error
  }
  return made
}

/** Undefined: no such branch; `emptyRepository`: no commits. */
async function headOf(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  branch: string,
): Promise<string | typeof emptyRepository | undefined> {
  try {
    return readAnswer(
      reference,
      await call(`GET /repos/{owner}/{repo}/git/ref/heads/${asSegments(branch)}`, { owner, repo }),
    ).object.sha
  } catch (error) {
    if (isEmptyRepository(error)) return emptyRepository
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

async function defaultHead(call: GitHubCall, { owner, repo }: RepositoryName): Promise<string> {
  const { default_branch: branch } = readAnswer(
    z.object({ default_branch: z.string() }),
    await call('GET /repos/{owner}/{repo}', { owner, repo }),
  )
  const head = await headOf(call, { owner, repo }, branch)
  if (head === undefined || head === emptyRepository)
    throw new ApiError(409, 'github-conflict', `The default branch ${branch} of the repository has no commits.`)
  return head
}

async function makeCommit(
  call: GitHubCall,
  { owner, repo, message, files }: CommitRequest,
  parent: string,
): Promise<Committed> {
  const name = { owner, repo }
  const {
    tree: { sha: baseTree },
  } = readAnswer(
    commit.pick({ tree: true }),
    await call('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { ...name, commit_sha: parent }),
  )
  const all = readAnswer(
    tree,
    await call('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', { ...name, tree_sha: baseTree, recursive: '1' }),
  )
  const modeOf = checkChanges(files, all.truncated === true ? await treeAlong(call, name, baseTree, files) : all)
  const entries = files.map(({ path, content }) =>
    content === undefined
      ? { path, mode: modeOf(path), type: 'blob', sha: null }
      : { path, mode: modeOf(path), type: 'blob', content },
  )
  const { sha: newTree } = readAnswer(
    z.object({ sha: z.string() }),
    await call('POST /repos/{owner}/{repo}/git/trees', { ...name, base_tree: baseTree, tree: entries }),
  )
  const { sha, html_url: url } = readAnswer(
    commit.pick({ sha: true, html_url: true }),
    await call('POST /repos/{owner}/{repo}/git/commits', { ...name, message, tree: newTree, parents: [parent] }),
  )
  return { sha, message, url }
}

async function treeAlong(
  call: GitHubCall,
  name: RepositoryName,
  root: string,
  files: readonly FileChange[],
): Promise<Tree> {
  const folders = new Set(files.flatMap(({ path }) => path.split('/').map((_, at, all) => all.slice(0, at).join('/'))))
  const shas = new Map([['', root]])
  const found: Tree['tree'] = []
  let truncated = false
  for (const folder of [...folders].toSorted((a, b) => a.length - b.length)) {
    const sha = shas.get(folder)
    if (sha === undefined) continue
    const one = readAnswer(
      tree,
      await call('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
        owner: name.owner,
        repo: name.repo,
        tree_sha: sha,
      }),
    )
    truncated ||= one.truncated === true
    for (const entry of one.tree) {
      const path = below(folder, entry.path)
      found.push({ ...entry, path })
      if (entry.type === 'tree') shas.set(path, entry.sha)
    }
  }
  return { sha: root, truncated, tree: found }
}

/**
 * @returns modes of files. GitHub truncates large folders; missing files in them are not reported.
 */
function checkChanges(
  files: readonly FileChange[],
  { tree: entries, truncated = false }: Tree,
): (path: string) => string {
  const known = new Map(entries.map((one) => [one.path, one]))
  for (const { path, action } of files) {
    const there = known.get(path)
    const folders = path
      .split('/')
      .slice(0, -1)
      .map((_, at, all) => all.slice(0, at + 1).join('/'))
    const clash = folders.find((folder) => known.get(folder) !== undefined && known.get(folder)?.type !== 'tree')
    if (clash !== undefined || there?.type === 'tree')
      throw new ApiError(
        409,
        'path-clash',
        `${clash ?? path} is ${clash === undefined ? 'a folder' : 'a file'} in the repository. Choose another ` +
          `name than ${path}.`,
        { details: { path } },
      )
    if (there?.mode === modes.symlink || there?.mode === modes.submodule)
      throw new ApiError(409, 'path-clash', `${path} is a symbolic link in the repository and is not overwritten.`, {
        details: { path },
      })
    if (action === 'create' && there !== undefined)
      throw new ApiError(409, 'file-exists', `${path} is in the repository already: read it first, and update it.`, {
        details: { path },
      })
    if ((action === 'update' || action === 'delete') && there === undefined && !truncated)
      throw new ApiError(409, 'file-missing', `${path} no longer exists in the repository.`, { details: { path } })
  }
  return (path) => known.get(path)?.mode ?? modes.file
}

/**
 * GitHub creates no trees in an empty repository: the first file makes a commit, the rest follow.
 */
async function beginRepository(call: GitHubCall, request: CommitRequest): Promise<Committed> {
  const { owner, repo, branch, message, files } = request
  const missing = files.find(({ content }) => content === undefined)
  if (missing !== undefined)
    throw new ApiError(409, 'file-missing', `${missing.path} does not exist: the repository is empty.`, {
      details: { path: missing.path },
    })
  const [first, ...others] = files
  if (first === undefined)
    throw new ApiError(400, 'invalid-field', 'Field "files" must contain a file.', { field: 'files' })
  const answer = await call(`PUT /repos/{owner}/{repo}/contents/${asSegments(first.path)}`, {
    owner,
    repo,
    branch,
    message,
    content: Buffer.from(first.content ?? '').toString('base64'),
  })
  const {
    commit: { sha, html_url: url },
  } = readAnswer(z.object({ commit: z.object({ sha: z.string(), html_url: z.string() }) }), answer)
  return others.length === 0
    ? { sha, message, url }
    : commitFiles(call, { ...request, files: others, expectedHead: sha })
}

function moved(head: string | undefined): ApiError {
  return new ApiError(
    409,
    'branch-moved',
    head === undefined
      ? 'The branch no longer exists.'
      : `The branch has moved to ${head}. Review the changes there and commit again.`,
    { details: { head: head ?? null } },
  )
}
