import { ApiError } from '../../../platform/errors.ts'

const longestPath = 512
const deepest = 16

/** Where contracts of the chain are in a connection's folder; no document may be there. */
export const contractFolder = '_'

/**
 * Checks where a document is to be below its connection's folder.
 * @param path such as `contracts/A.cdc`
 * @throws ApiError 400 `invalid-path`
 */
export function checkDocumentPath(path: string): void {
  const problem = problemOf(path)
  if (problem === undefined) return
  throw new ApiError(
    400,
    'invalid-path',
    `The document cannot have this path: ${problem}. Give one such as contracts/Token.cdc.`,
    { field: 'path' },
  )
}

function problemOf(path: string): string | undefined {
  const parts = path.split('/')
  if (path.length === 0 || path.length > longestPath) return `it has no characters, or more than ${longestPath}`
  if (parts.length > deepest) return `it has more than ${deepest} parts`
  if (/[\0-\x1F\x7F\\]/.test(path) || !path.isWellFormed()) return 'it has control characters or a backslash'
  if (parts.some((part) => part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > 255))
    return 'it has an empty part, ".", "..", or one that is too long'
  if (!path.endsWith('.cdc')) return 'it does not end with .cdc'
  if (parts[0] === contractFolder) return `${contractFolder} is the folder of the chain's contracts`
  return undefined
}
