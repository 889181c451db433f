import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isForThisMachine, readPackages } from './tree.mjs'

/** A terminal shows one line that is written over. */
const terminalEvery = 1_000
/** A log gets a line of its own each time, so the first comes soon and the others rarely, ms. */
const logEvery = { first: 10_000, later: 30_000 }

/**
 * @typedef {object} Output where progress goes; `process.stderr` is one
 * @property {boolean} [isTTY]
 * @property {(text: string) => unknown} write
 */

/**
 * Shows how many packages are unpacked, and for how long npm has been running. npm itself reports nothing before its end.
 * @param {string} root
 * @param {Output} output
 * @param {{ first: number, later: number }} [every] pauses between reports, ms; for tests
 * @returns {() => void} ends it and clears its line
 */
export function showProgress(root, output, every) {
  const start = performance.now()
  const paths = packagePaths(root)
  const isTerminal = output.isTTY === true && process.env['TERM'] !== 'dumb'
  const pauses = every ?? (isTerminal ? { first: terminalEvery, later: terminalEvery } : logEvery)
  const report = () => {
    const seconds = Math.round((performance.now() - start) / 1000)
    const found = paths.filter((path) => existsSync(path)).length
    const text = `${found === 0 ? 'Downloading' : 'Unpacking'}: ${found} of ${paths.length} packages, ${seconds} s`
    output.write(isTerminal ? `\r\x1b[2K  ${text}` : `  ${text}\n`)
    timer = setTimeout(report, pauses.later)
  }
  let timer = setTimeout(report, pauses.first)
  return () => {
    clearTimeout(timer)
    if (isTerminal) output.write('\r\x1b[2K')
  }
}

/**
 * @param {string} root
 * @returns {string[]} a file of each package that npm is to install on this machine
 */
function packagePaths(root) {
  return Object.entries(readPackages(join(root, 'package-lock.json')))
    .filter(([path, locked]) => path.startsWith('node_modules/') && isForThisMachine(locked))
    .map(([path]) => join(root, path, 'package.json'))
}
