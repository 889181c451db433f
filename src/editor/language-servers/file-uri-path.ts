import { fileURLToPath } from 'node:url'

/** The absolute path of a `file:` URI; undefined for one that names no file of this machine, or is no URI at all. */
export function fileUriPath(uri: string): string | undefined {
  if (!uri.startsWith('file:///') || !URL.canParse(uri)) return undefined
  try {
    return fileURLToPath(uri)
  } catch (error) {
    // Bytes that are no UTF-8, or a slash within a name.
    if (error instanceof URIError || error instanceof TypeError) return undefined
    throw error
  }
}
