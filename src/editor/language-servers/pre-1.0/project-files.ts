import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileUriPath } from '../file-uri-path.ts'

const largestFile = 1_000_000
const deepestFolder = 40

/** The nearest folder above a document that has a `flow.json`, as for the CLI; else the document's own. */
export function projectFolderOf(uri: string): string | undefined {
  const path = fileUriPath(uri)
  if (path === undefined) return undefined
  const own = dirname(path)
  for (let folder = own, depth = 0; depth < deepestFolder; depth++, folder = dirname(folder)) {
    if (lstatSync(join(folder, 'flow.json'), { throwIfNoEntry: false })?.isFile() === true) return folder
    if (dirname(folder) === folder) break
  }
  return own
}

/**
 * The code of a file that a document imports by path. The checker asks for it while it checks and waits for the answer, so it is read at once.
 * @param path absolute, or relative to the project
 * @returns undefined for what is no plain file within the project
 */
export function readProjectFile(project: string, path: string): string | undefined {
  const absolute = resolve(project, path)
  if (absolute.includes('\0') || !absolute.endsWith('.cdc')) return undefined
  const stat = lstatSync(absolute, { throwIfNoEntry: false })
  if (stat?.isFile() !== true || stat.size > largestFile) return undefined
  const way = relative(realpathSync(project), realpathSync(absolute))
  return way === '..' || way.startsWith(`..${sep}`) ? undefined : readFileSync(absolute, 'utf8')
}
