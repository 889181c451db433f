import { execFile } from 'node:child_process'
import { access, constants, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { promisify } from 'node:util'

/**
 * The absolute path of a program, looked for as a shell would, on this process's own PATH: language servers are given another.
 * @param command a name, or a path
 * @throws Error that says what is wrong, such as "is not there: …"
 */
export async function locateProgram(command: string): Promise<string> {
  const path = command.includes('/') ? resolve(command) : await onPath(command)
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (path === undefined || found === undefined)
    throw new Error(`is not there: no program ${command}${command.includes('/') ? '' : ' on PATH'}`)
  if (!found.isFile()) throw new Error(`cannot be run: ${path} is no file`)
  await access(path, constants.X_OK).catch((error: unknown) => {
    throw new Error(`cannot be run: ${path} is not executable`, { cause: error })
  })
  return path
}

async function onPath(name: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', name])
    const path = stdout.trim()
    // A word of the shell itself is none.
    return isAbsolute(path) ? path : undefined
  } catch (error) {
    // The shell says so by its exit code.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return undefined
    throw error
  }
}
