import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isForThisMachine, readPackages } from './tree.mjs'

const terminalEvery = 1_000
const logEvery = { first: 10_000, later: 30_000 }

/**
 * @typedef {object} Output
 * @property {boolean} [isTTY]
 * @property {(text: string) => unknown} write
 */

/**
 * Shows the number of unpacked packages; npm itself reports no progress.
 * @param {string} root
 * @param {Output} output
 * @param {{ first: number, later: number }} [every] ms
 * @returns {() => void}
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
 * @returns {string[]}
 */
function packagePaths(root) {
  return Object.entries(readPackages(join(root, 'package-lock.json')))
    .filter(([path, locked]) => path.startsWith('node_modules/') && isForThisMachine(locked))
    .map(([path]) => join(root, path, 'package.json'))
}
