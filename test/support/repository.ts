import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/**
 * Files in some folders by extension, as paths from the root, without build output and installed
 * packages.
 */
export function filesBelow(folders: readonly string[], ending: RegExp): string[] {
  return folders
    .filter((folder) => existsSync(join(repositoryRoot, folder)))
    .flatMap((folder) => readdirSync(join(repositoryRoot, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(repositoryRoot, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)(node_modules|dist|\.[^/]+)\//.test(path))
    .sort()
}

/** The text of a file of the repository. */
export function readRepositoryFile(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8')
}

/** The files tracked by git, or `undefined` without a checkout (an unpacked archive). */
export function trackedFiles(): string[] | undefined {
  if (!existsSync(join(repositoryRoot, '.git'))) return undefined
  const git = ['-c', `safe.directory=${repositoryRoot}`, 'ls-files', '-z']
  return execFileSync('git', git, { cwd: repositoryRoot, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '')
}

/** Whether the file is generated. */
export function isGenerated(path: string): boolean {
  return /(^|\/)(gen|generated)\/|_pb\.ts$|\.gen\.ts$/.test(path)
}
