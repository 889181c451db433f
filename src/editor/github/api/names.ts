import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'

/** Validation of names that become part of a URL, a tree or a secret's name. Messages follow `Field "…"`. */

/** Invisible and direction-changing characters: two paths that look alike would be two files. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u
const maxPathBytes = 400
const maxSegmentBytes = 200
const maxSegments = 20

/** Login of a person or an organization. */
export const ownerName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$/, 'has to be the name of an account at GitHub')

export const repositoryName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}$/, 'has to be the name of a repository: letters, digits, -, _ and .')
  .refine((name) => name !== '.' && name !== '..' && !name.toLowerCase().endsWith('.git'), 'is no name of a repository')

/** The whole id of a commit. */
export const commitSha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'has to be the id of a commit, 40 hex digits')

/** A branch, by the rules of `git check-ref-format`. */
export const branchName = z.string().refine(isBranch, 'has to be the name of a branch, without refs/heads/')

/** A branch, a tag or the id of a commit. */
export const refName = z.string().refine(isBranch, 'has to be a branch, a tag or the id of a commit')

/** Ends names of secrets, in upper case. */
export const environmentName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'has to begin with a letter and have at most 40 letters, digits, - and _')

/** A folder of the repository; empty is its root. */
export const folderPath = z.string().superRefine((path, check) => {
  const wrong = path === '' ? undefined : pathProblem(path)
  if (wrong !== undefined) check.addIssue({ code: 'custom', message: wrong })
})

/** A file of the repository. */
export const filePath = z.string().superRefine((path, check) => {
  const wrong = pathProblem(path)
  if (wrong !== undefined) check.addIssue({ code: 'custom', message: wrong })
})

function isBranch(name: string): boolean {
  return (
    name.length > 0 &&
    Buffer.byteLength(name) <= 244 &&
    name.isWellFormed() &&
    !/[ ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/.test(name) &&
    !hidden.test(name) &&
    name !== '@' &&
    name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock')) &&
    !name.startsWith('refs/')
  )
}

/** Why a path cannot be that of a file; undefined where it can. */
export function pathProblem(path: string): string | undefined {
  if (!path.isWellFormed() || path.normalize('NFC') !== path) return 'has to be well-formed Unicode in normal form NFC'
  if (hidden.test(path)) return 'has a character that does not show'
  if (path.includes('\\')) return 'has a backslash; folders are separated by /'
  const segments = path.split('/')
  if (Buffer.byteLength(path) > maxPathBytes || segments.length > maxSegments)
    return `has to have at most ${maxPathBytes} bytes and ${maxSegments} levels`
  return segments.map(segmentProblem).find((wrong) => wrong !== undefined)
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '' || segment === '.' || segment === '..')
    return 'has an empty, . or .. part: write it relative to the root, as in contracts/Foo.cdc'
  if (Buffer.byteLength(segment) > maxSegmentBytes) return `has a part of more than ${maxSegmentBytes} bytes`
  // Case-folding file systems read these as Git's folder: .GIT, GIT~1, `.git.`, `.git::$INDEX_ALLOCATION`.
  const folded = segment
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[ .]+$/, '')
  if (folded === '.git' || /^git~\d+$/.test(folded)) return 'leads into the folder of Git itself'
  if (/[ .]$/.test(segment)) return 'has a part that ends with a dot or a blank'
  return undefined
}

/** Whether a file is one that GitHub runs, for which the App needs a permission of its own. */
export function isWorkflowPath(path: string): boolean {
  return /^\.github\/workflows(?:\/|$)/i.test(path.normalize('NFKC'))
}

/** Parts of a path as parts of an address: nothing in them can end the path, leave it, or begin a query. */
export function asSegments(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** A path below a folder of the repository. */
export function below(folder: string, path: string): string {
  return [folder, path].filter((part) => part !== '').join('/')
}

/** Names of the secrets of an environment. */
export function secretNames(environment: string): {
  readonly privateKey: string
  readonly address: string
  readonly keyIndex: string
} {
  const suffix = environment.toUpperCase().replaceAll('-', '_')
  return {
    privateKey: `FLOW_PRIVATE_KEY_${suffix}`,
    address: `FLOW_ADDRESS_${suffix}`,
    keyIndex: `FLOW_KEY_INDEX_${suffix}`,
  }
}

/** A number of GitHub's, as a query or a body has it. @throws ApiError 400 */
export function readId(value: string, field: string): number {
  const id = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw new ApiError(400, 'invalid-parameter', `Parameter "${field}" has to be a number of GitHub's.`, { field })
}
