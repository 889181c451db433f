import { z } from 'zod'
import { readAnswer } from './github-client.ts'
import type { GitHubCall } from './github-client.ts'
import { isStatus, wordsOf } from './github-error.ts'
import { asSegments } from './names.ts'
import { ApiError } from '../../../platform/errors.ts'

/** What is read of a repository. Each call is for one repository alone. */
export interface RepositoryName {
  readonly owner: string
  readonly repo: string
}

const entry = z.object({
  name: z.string(),
  path: z.string(),
  type: z.string(),
  sha: z.string(),
  size: z.number().optional(),
  download_url: z.string().nullish(),
})
const file = z.object({
  type: z.literal('file'),
  path: z.string(),
  sha: z.string(),
  size: z.number(),
  encoding: z.string(),
  content: z.string(),
})
const run = z.object({
  id: z.number(),
  run_attempt: z.number().optional(),
  name: z.string().nullish(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  head_branch: z.string().nullish(),
  head_sha: z.string(),
  event: z.string(),
  html_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  path: z.string().optional(),
})
const commit = z.object({
  sha: z.string(),
  html_url: z.string(),
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string().optional(), date: z.string().optional() }).nullish(),
  }),
  author: z.object({ login: z.string() }).nullish(),
})

/** GitHub reports an empty repository only in words, under a status that has other meanings. */
export function isEmptyRepository(error: unknown): boolean {
  return isStatus(error, 404, 409) && /repository is empty|git repository is empty/i.test(wordsOf(error))
}

interface TreeEntry {
  readonly name: string
  readonly path: string
  /** `file`, `dir`, `symlink` or `submodule`. */
  readonly type: string
  readonly sha: string
  readonly size: number | null
}

/** A folder of a repository; empty where the repository is. @throws ApiError 404 `not-on-github`, 422 `not-a-folder` */
export async function readTree(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  path: string,
  ref: string | undefined,
): Promise<readonly TreeEntry[]> {
  try {
    const data = await call(contentsRoute(path), { owner, repo, ...(ref === undefined ? {} : { ref }) })
    if (!Array.isArray(data)) throw new ApiError(422, 'not-a-folder', `${path} is no folder.`, { field: 'path' })
    return readAnswer(z.array(entry), data).map(({ name, path: at, type: told, sha, size, download_url: download }) => {
      // In a list GitHub calls a submodule a file; it is one that cannot be downloaded.
      const type = told === 'file' && download === null ? 'submodule' : told
      return { name, path: at, type, sha, size: type === 'file' ? (size ?? 0) : null }
    })
  } catch (error) {
    if (isEmptyRepository(error) && path === '') return []
    throw error
  }
}

/** A text of a repository. @throws ApiError 404 `not-on-github`, 422 `not-a-file`, `not-text` or `file-too-large` */
export async function readFile(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  path: string,
  ref: string | undefined,
): Promise<{ readonly path: string; readonly content: string; readonly sha: string; readonly size: number }> {
  const data = await call(contentsRoute(path), { owner, repo, ...(ref === undefined ? {} : { ref }) })
  if (Array.isArray(data) || (data as { readonly type?: unknown } | null)?.type !== 'file')
    throw new ApiError(422, 'not-a-file', `${path} is no file.`, { field: 'path' })
  const { sha, size, encoding, content, path: at } = readAnswer(file, data)
  // What GitHub says of files of more than a megabyte.
  if (encoding !== 'base64')
    throw new ApiError(422, 'file-too-large', `${path} has ${size} bytes; files of up to 1,000,000 can be opened.`, {
      field: 'path',
    })
  try {
    return {
      path: at,
      content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(content, 'base64')),
      sha,
      size,
    }
  } catch (error) {
    throw new ApiError(422, 'not-text', `${path} is no text in UTF-8.`, { field: 'path', cause: error })
  }
}

/** The newest runs of a workflow, or of all. @param workflow name of its file */
export async function readRuns(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  workflow: string | undefined,
): Promise<readonly unknown[]> {
  const route =
    workflow === undefined
      ? 'GET /repos/{owner}/{repo}/actions/runs'
      : 'GET /repos/{owner}/{repo}/actions/workflows/{workflow}/runs'
  const { workflow_runs: runs } = readAnswer(
    z.object({ workflow_runs: z.array(run) }),
    await call(route, { owner, repo, per_page: 20, ...(workflow === undefined ? {} : { workflow }) }),
  )
  return runs
}

/** The newest commits of a branch, or of a path in it; none where the repository is empty. */
export async function readCommits(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  query: { readonly branch: string | undefined; readonly path: string | undefined; readonly perPage: number },
): Promise<readonly unknown[]> {
  const { branch, path, perPage } = query
  try {
    const data = await call('GET /repos/{owner}/{repo}/commits', {
      owner,
      repo,
      per_page: perPage,
      ...(branch === undefined ? {} : { sha: branch }),
      ...(path === undefined || path === '' ? {} : { path }),
    })
    return readAnswer(z.array(commit), data).map(
      ({ sha, html_url: url, commit: { message, author }, author: person }) => ({
        sha,
        url,
        message,
        author: person?.login ?? author?.name ?? null,
        date: author?.date ?? null,
      }),
    )
  } catch (error) {
    if (isEmptyRepository(error)) return []
    throw error
  }
}

/** Parts of the path are encoded one by one: a nested path keeps its slashes, and nothing else of it means anything. */
function contentsRoute(path: string): string {
  return `GET /repos/{owner}/{repo}/contents${path === '' ? '' : `/${asSegments(path)}`}`
}
