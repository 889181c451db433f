/** Whether a path is that of the query page or of one of its files; all others are of the API. */
export function isPagePath(path: string): boolean {
  return path === '/' || path.startsWith('/assets/')
}
