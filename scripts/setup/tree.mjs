import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemLibc } from './node-program.mjs'

/**
 * @typedef {object} LockedPackage one entry of package-lock.json's or node_modules/.package-lock.json's `packages`
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {string | string[]} [os]
 * @property {string | string[]} [cpu]
 * @property {string | string[]} [libc]
 */

/** Says that node_modules was compared with the lockfile, so that the next start need not do it again. */
const stampName = '.flowfarm-setup'

/**
 * Whether node_modules holds what package-lock.json asks for, whoever installed it. A tree that was compared before
 * and has not changed since costs two reads and a hash.
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
 * Records that node_modules is as the lockfile wants it. Where the folder may not be written the comparison is simply
 * made again next time.
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
 * Takes the record back before the tree is changed, so that an interrupted change is noticed.
 * @param {string} root
 */
export function removeStamp(root) {
  rmSync(join(root, 'node_modules', stampName), { force: true })
}

/**
 * @param {Record<string, LockedPackage>} wanted what the lockfile lists
 * @param {Record<string, LockedPackage>} found what npm says it put into node_modules
 * @returns {boolean} whether everything wanted on this machine is there, in its exact version
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
 * @param {string | string[] | undefined} list names that are allowed, or with `!` those that are not
 * @param {string} name
 */
function allows(list, name) {
  if (list === undefined) return true
  const names = [list].flat()
  if (names.includes(`!${name}`)) return false
  return names.includes(name) || names.includes('any') || names.every((entry) => entry.startsWith('!'))
}

/**
 * The stamp that the present lockfile and the present tree would have; undefined where npm has finished no tree.
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
 * @returns {Record<string, LockedPackage>} its packages by their place in the tree
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
 * @returns {string | undefined} the code of a system error
 */
export function codeOf(error) {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
