import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from './setup-error.mjs'

/** The first major version that runs TypeScript without a flag or a warning and has all that the program uses. */
const neededMajor = 24

/**
 * The name of the npm package that would bring Node for this machine; it exists for Linux only.
 * @returns {string}
 */
export function nodePackage() {
  return `node-${process.platform}-${process.arch}`
}

/** @returns {boolean} whether the Node that runs now is new enough to run the program itself */
export function runningNodeServes() {
  return Number(process.versions.node.split('.')[0]) >= neededMajor
}

/**
 * The Node to run the program with: the packaged one, else the one that runs now.
 * @param {string} root
 * @returns {string} its path
 * @throws {SetupError} if neither is there in a version that serves
 */
export function chooseNode(root) {
  const packaged = join(root, 'node_modules', nodePackage(), 'bin', 'node')
  if (existsSync(packaged) && packagedNodeCanRun()) return packaged
  if (runningNodeServes()) return process.execPath
  throw missingNode()
}

/** @returns {SetupError} what to say where no Node serves */
export function missingNode() {
  return new SetupError(
    `flowfarm needs Node ${neededMajor} or newer, and this is ${process.versions.node}. ` +
      `This platform (${process.platform}-${process.arch}) has no packaged one: ` +
      `install Node ${neededMajor} with your package or version manager and run this again.`,
  )
}

/**
 * The packaged Node is linked with glibc; where the running one is not (musl: Alpine), it cannot start.
 * @returns {boolean}
 */
export function packagedNodeCanRun() {
  return process.platform === 'linux' && systemLibc() === 'glibc'
}

/** @returns {'glibc' | 'musl' | undefined} which C library this Linux has; undefined elsewhere */
export function systemLibc() {
  if (process.platform !== 'linux') return undefined
  const loaders = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']
  return loaders.some((path) => existsSync(path)) ? 'glibc' : 'musl'
}
