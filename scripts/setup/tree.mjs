import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemLibc } from './node-program.mjs'

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {string | string[]} [libc]
 */

const stampName = '.flowfarm-setup'

/**
 * An unchanged tree costs two reads and a hash.
 * @param {string} root
 * @returns {boolean}
 */
export function isInstalled(root) {
  const wanted = expectedStamp(root)
  if (wanted === undefined) return false
  if (readIfThere(join(root, 'node_modules', stampName)) === wanted) return true
  if (!satisfies(readPackages(join(root, 'package-lock.json')), readPackages(hiddenLockfile(root)))) return false
  stamp(root)
  return true
}

/**
 * In a read-only folder the comparison is repeated.
 * @param {string} root
 */
export function stamp(root) {
  const text = expectedStamp(root)
  if (text === undefined) return
  try {
    writeFileSync(join(root, 'node_modules', stampName), text)
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error
  }
}

/**
 * Removed before a change, so that an interrupted change is detected.
 * @param {string} root
 */
export function removeStamp(root) {
  rmSync(join(root, 'node_modules', stampName), { force: true })
}

/**
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} found
 * @returns {boolean} whether all packages are installed in their exact versions
 */
export function satisfies(wanted, found) {
  return Object.entries(wanted).every(([path, want]) => {
    if (path === '') return true
    const have = found[path]
    if (have === undefined) return (want.optional === true || want.devOptional === true) && !isForThisMachine(want)
    return have.version === want.version && (have.integrity ?? want.integrity) === (want.integrity ?? have.integrity)
  })
}

/**
 * @param {LockedPackage} locked
 * @returns {boolean}
 */
export function isForThisMachine(locked) {
  return (
    allows(locked.os, process.platform) && allows(locked.cpu, process.arch) && allows(locked.libc, systemLibc() ?? '')
  )
}

/**
 * @param {string | string[] | undefined} list allowed names, or denied ones with `!`
 * @param {string} name
 */
function allows(list, name) {
  if (list === undefined) return true
  const names = [list].flat()
  if (names.includes(`!${name}`)) return false
  return names.includes(name) || names.includes('any') || names.every((entry) => entry.startsWith('!'))
}

/**
 * Undefined without a complete installation.
 * @param {string} root
 */
function expectedStamp(root) {
  const tree = statSync(hiddenLockfile(root), { throwIfNoEntry: false })
  if (tree === undefined) return undefined
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${tree.mtimeMs} ${tree.size} ${process.platform}-${process.arch}\n`
}

/** @param {string} root */
function hiddenLockfile(root) {
  return join(root, 'node_modules', '.package-lock.json')
}

/**
 * @param {string} path of a lockfile
 * @returns {Record<string, LockedPackage>} packages by path
 */
export function readPackages(path) {
  const lockfile = /** @type {{ packages?: Record<string, LockedPackage> }} */ (JSON.parse(readFileSync(path, 'utf8')))
  return lockfile.packages ?? {}
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function codeOf(error) {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
