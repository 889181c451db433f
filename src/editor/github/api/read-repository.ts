import { z } from 'zod'
import { readAnswer } from './github-client.ts'
import type { GitHubCall } from './github-client.ts'
import { isStatus, wordsOf } from './github-error.ts'
import { asSegments } from './names.ts'
import { ApiError } from '../../../platform/errors.ts'

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
export const workflowRun = z.object({
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

/** GitHub reports an empty repository only in the message, with an ambiguous status. */
export function isEmptyRepository(error: unknown): boolean {
  return isStatus(error, 404, 409) && /repository is empty|git repository is empty/i.test(wordsOf(error))
}

export const treeEntry = z
  .strictObject({
    name: z.string(),
    path: z.string(),
    type: z.string().describe('file, dir, symlink or submodule'),
    sha: z.string(),
    size: z.number().nullable(),
  })
  .meta({ id: 'TreeEntry' })

export const fileSchema = z
  .strictObject({ path: z.string(), content: z.string(), sha: z.string(), size: z.number() })
  .meta({ id: 'RepositoryFile' })

export const commitSchema = z
  .strictObject({
    sha: z.string(),
    url: z.string(),
    message: z.string(),
    author: z.string().nullable(),
    date: z.string().nullable(),
  })
  .meta({ id: 'RepositoryCommit' })

/** @throws ApiError 404 `not-on-github`, 422 `not-a-folder` */
export async function readTree(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  path: string,
  ref: string | undefined,
): Promise<z.output<typeof treeEntry>[]> {
  try {
    const data = await call(contentsRoute(path), { owner, repo, ...(ref === undefined ? {} : { ref }) })
    if (!Array.isArray(data)) throw new ApiError(422, 'not-a-folder', `${path} is not a folder.`, { field: 'path' })
    return readAnswer(z.array(entry), data).map(
      ({ name, path: at, type: entryType, sha, size, download_url: download }) => {
        // GitHub lists a submodule as a file without a download URL.
        const type = entryType === 'file' && download === null ? 'submodule' : entryType
        return { name, path: at, type, sha, size: type === 'file' ? (size ?? 0) : null }
      },
    )
  } catch (error) {
    if (isEmptyRepository(error) && path === '') return []
    throw error
  }
}

/** @throws ApiError 404 `not-on-github`, 422 `not-a-file`, `not-text` or `file-too-large` */
export async function readFile(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  path: string,
  ref: string | undefined,
): Promise<z.output<typeof fileSchema>> {
  const data = await call(contentsRoute(path), { owner, repo, ...(ref === undefined ? {} : { ref }) })
  if (Array.isArray(data) || (data as { readonly type?: unknown } | null)?.type !== 'file')
    throw new ApiError(422, 'not-a-file', `${path} is not a file.`, { field: 'path' })
  const { sha, size, encoding, content, path: at } = readAnswer(file, data)
  // GitHub's encoding of files above 1 MB.
  if (encoding !== 'base64')
    throw new ApiError(422, 'file-too-large', `${path} is too large: ${size} bytes (limit 1,000,000).`, {
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
    throw new ApiError(422, 'not-text', `${path} is not UTF-8 text.`, { field: 'path', cause: error })
  }
}

/** The latest 20 runs. */
export async function readRuns(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  workflow: string | undefined,
): Promise<z.output<typeof workflowRun>[]> {
  const route =
    workflow === undefined
      ? 'GET /repos/{owner}/{repo}/actions/runs'
      : 'GET /repos/{owner}/{repo}/actions/workflows/{workflow}/runs'
  const { workflow_runs: runs } = readAnswer(
    z.object({ workflow_runs: z.array(workflowRun) }),
    await call(route, { owner, repo, per_page: 20, ...(workflow === undefined ? {} : { workflow }) }),
  )
  return runs
}

export async function readCommits(
  call: GitHubCall,
  { owner, repo }: RepositoryName,
  query: { readonly branch: string | undefined; readonly path: string | undefined; readonly perPage: number },
): Promise<z.output<typeof commitSchema>[]> {
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
      ({ sha, html_url: url, commit: { message, author }, author: account }) => ({
        sha,
        url,
        message,
        author: account?.login ?? author?.name ?? null,
        date: author?.date ?? null,
      }),
    )
  } catch (error) {
    if (isEmptyRepository(error)) return []
    throw error
  }
}

function contentsRoute(path: string): string {
  return `GET /repos/{owner}/{repo}/contents${path === '' ? '' : `/${asSegments(path)}`}`
}
