/** The URI by which the language server knows a file of the project. */
export function fileUri(path: string): string {
  return `file:///${path.split('/').map(encodeURIComponent).join('/')}`
}

/** The path in the project that a URI names; undefined for one that is of no project. */
export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith('file:///')) return undefined
  try {
    const path = decodeURIComponent(uri.slice('file:///'.length))
    return path === '' || path.split('/').some((segment) => segment === '..' || segment === '.' || segment === '')
      ? undefined
      : path
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
