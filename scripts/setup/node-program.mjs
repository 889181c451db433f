import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** An error that the user can fix; only its message is shown. */
export class SetupError extends Error {}

const neededMajor = 24

/** @returns {string} */
export function nodePackage() {
  return `node-${process.platform}-${process.arch}`
}

/** @returns {boolean} */
export function runningNodeServes() {
  return Number(process.versions.node.split('.')[0]) >= neededMajor
}

/**
 * The packaged Node, else the running one.
 * @param {string} root
 * @returns {string}
 * @throws {SetupError}
 */
export function chooseNode(root) {
  const packaged = join(root, 'node_modules', nodePackage(), 'bin', 'node')
  if (existsSync(packaged) && packagedNodeCanRun()) return packaged
  if (runningNodeServes()) return process.execPath
  throw missingNode()
}

/** @returns {SetupError} */
export function missingNode() {
  return new SetupError(
    `flowfarm needs Node ${neededMajor} or newer; this is ${process.versions.node}. ` +
      `No Node package exists for ${process.platform}-${process.arch}: ` +
      `install Node ${neededMajor} and run this again.`,
  )
}

/**
 * The packaged Node needs glibc; Alpine has musl.
 * @returns {boolean}
 */
export function packagedNodeCanRun() {
  return process.platform === 'linux' && systemLibc() === 'glibc'
}

/** @returns {'glibc' | 'musl' | undefined} */
export function systemLibc() {
  if (process.platform !== 'linux') return undefined
  const loaders = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']
  return loaders.some((path) => existsSync(path)) ? 'glibc' : 'musl'
}
