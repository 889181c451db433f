import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from './tree.mjs'

const touchEvery = 1_000
/** Untouched for this long, ms, a lock belongs to a dead process. */
const staleAfter = 8_000
const pollEvery = 200

/**
 * Runs `task` exclusively among processes with the same `path`.
 *
 * The lock is a file that names its holder. States: absent → held → absent; held → stale (not
 * touched) → absent, removed by the one waiter that creates the file named after that holder.
 * @template T
 * @param {string} path
 * @param {{ onWait: () => void }} options
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
export async function withLock(path, options, task) {
  mkdirSync(dirname(path), { recursive: true })
  const holder = `${process.pid}-${Date.now()}-${Math.random().toString(36).slice(2)}`
  for (let waited = false; !tryTake(path, holder); waited = true) {
    if (!waited) options.onWait()
    if (!removeIfStale(path)) await sleep(pollEvery)
  }
  const touching = setInterval(() => touch(path), touchEvery)
  try {
    return await task()
  } finally {
    clearInterval(touching)
    if (readHolder(path) === holder) rmSync(path, { force: true })
  }
}

/**
 * @param {string} path
 * @param {string} holder
 */
function tryTake(path, holder) {
  try {
    writeFileSync(path, holder, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * @param {string} path
 * @returns {boolean} whether a stale lock was removed
 */
function removeIfStale(path) {
  const holder = readHolder(path)
  if (holder === undefined) return true
  if (!isStale(path)) return false
  const breaking = `${path}.breaking.${holder}`
  try {
    writeFileSync(breaking, '', { flag: 'wx' })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if (isStale(breaking)) rmSync(breaking, { force: true })
    return false
  }
  try {
    if (readHolder(path) === holder) rmSync(path, { force: true })
    return true
  } finally {
    rmSync(breaking, { force: true })
  }
}

/** @param {string} path */
function isStale(path) {
  const file = statSync(path, { throwIfNoEntry: false })
  return file !== undefined && Date.now() - file.mtimeMs > staleAfter
}

/** @param {string} path */
function touch(path) {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/**
 * @param {string} path
 * @returns {string | undefined} the holder
 */
function readHolder(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
