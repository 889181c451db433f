import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'

/** Invisible and direction-changing characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u
const maxPathBytes = 400
const maxSegmentBytes = 200
const maxSegments = 20

export const ownerName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$/, 'must be the name of a GitHub account')

export const repositoryName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be a repository name: letters, digits, -, _ and .')
  .refine((name) => name !== '.' && name !== '..' && !name.toLowerCase().endsWith('.git'), 'is not a repository name')

export const commitSha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full commit id, 40 hex digits')

/** Rules of `git check-ref-format`. */
export const branchName = z.string().refine(isBranch, 'must be a branch name, without refs/heads/')

export const refName = z.string().refine(isBranch, 'must be a branch, a tag or the id of a commit')

/** Suffix of secret names, in upper case. */
export const environmentName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'must start with a letter and have at most 40 letters, digits, - and _')

/** Empty: the root. */
export const folderPath = z.string().superRefine((path, check) => {
  const wrong = path === '' ? undefined : pathProblem(path)
  if (wrong !== undefined) check.addIssue({ code: 'custom', message: wrong })
})

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

export function pathProblem(path: string): string | undefined {
  if (!path.isWellFormed() || path.normalize('NFC') !== path) return 'must be well-formed Unicode in normal form NFC'
  if (hidden.test(path)) return 'contains an invisible character'
  if (path.includes('\\')) return 'contains a backslash; folders are separated by /'
  const segments = path.split('/')
  if (Buffer.byteLength(path) > maxPathBytes || segments.length > maxSegments)
    return `must have at most ${maxPathBytes} bytes and ${maxSegments} levels`
  return segments.map(segmentProblem).find((wrong) => wrong !== undefined)
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '' || segment === '.' || segment === '..')
    return 'contains an empty, . or .. part. Use a path relative to the root, such as contracts/Foo.cdc'
  if (Buffer.byteLength(segment) > maxSegmentBytes) return `contains a part of more than ${maxSegmentBytes} bytes`
  // Case-folding file systems read these as Git's folder: .GIT, GIT~1, `.git.`,
  // `.git::$INDEX_ALLOCATION`.
  const folded = segment
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[ .]+$/, '')
  if (folded === '.git' || /^git~\d+$/.test(folded)) return 'points into the .git folder'
  if (/[ .]$/.test(segment)) return 'contains a part that ends with a dot or a space'
  return undefined
}

/** The App needs an extra permission for these. */
export function isWorkflowPath(path: string): boolean {
  return /^\.github\/workflows(?:\/|$)/i.test(path.normalize('NFKC'))
}

/** Encoded segments cannot end or leave the path. */
export function asSegments(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

export function below(folder: string, path: string): string {
  return [folder, path].filter((part) => part !== '').join('/')
}

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

/** @throws ApiError 400 */
export function readId(value: string, field: string): number {
  const id = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw new ApiError(400, 'invalid-parameter', `Parameter "${field}" must be a numeric GitHub id.`, { field })
}
