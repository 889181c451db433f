/** Whether a path is that of a service's page, at its root, or of one of the page's files; all others are of the API. */
export function isPagePath(path: string): boolean {
  return path === '/' || path.startsWith('/assets/')
}
