import { foldersAbove, pathKey } from './path-key.ts'
import type { PathProblem } from './path-rules.ts'

/**
 * Files and folders of one project, which fit together on any file system: no two paths that only upper case or compatible characters tell
 * apart, no folder in two spellings, no file where a folder is. Paths are ones that `checkPath` lets pass.
 */
export class ProjectTree {
  /** By key, as they are written. */
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  /** Adds what is there already, whatever rules it was made under. */
  keepFile(path: string): void {
    this.#files.set(pathKey(path), path)
    for (const folder of foldersAbove(path)) this.#folders.set(pathKey(folder), folder)
  }

  /** The same of a folder. */
  keepFolder(path: string): void {
    for (const folder of [...foldersAbove(path), path]) this.#folders.set(pathKey(folder), folder)
  }

  /** @returns why the file does not fit; it is not added then */
  addFile(path: string): PathProblem | undefined {
    const key = pathKey(path)
    const other = this.#files.get(key)
    if (other === path) return undefined
    if (other !== undefined) {
      return {
        path,
        rule: 'same-path',
        text: `is too much like the file ${other}; delete that one in the same save, or choose another name`,
      }
    }
    const folder = this.#folders.get(key)
    if (folder !== undefined)
      return { path, rule: 'file-and-folder', text: `is a file, and ${folder} is a folder; choose another name` }
    const problem = this.#checkFolders(path, foldersAbove(path))
    if (problem === undefined) this.keepFile(path)
    return problem
  }

  /** The same of a folder. */
  addFolder(path: string): PathProblem | undefined {
    const problem = this.#checkFolders(path, [...foldersAbove(path), path])
    if (problem === undefined) this.keepFolder(path)
    return problem
  }

  #checkFolders(path: string, folders: readonly string[]): PathProblem | undefined {
    for (const folder of folders) {
      const key = pathKey(folder)
      const file = this.#files.get(key)
      if (file !== undefined)
        return {
          path,
          rule: 'file-and-folder',
          text: `needs the folder ${folder}, and ${file} is a file; choose another name`,
        }
      const other = this.#folders.get(key)
      if (other !== undefined && other !== folder) {
        return {
          path,
          rule: 'other-spelling',
          text: `needs the folder ${folder}, which is there as ${other}; write it like that`,
        }
      }
    }
    return undefined
  }
}
