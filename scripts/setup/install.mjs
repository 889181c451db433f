import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, sep } from 'node:path'
import { withLock } from './lock.mjs'
import { missingNode, nodePackage, packagedNodeCanRun, runningNodeServes, SetupError } from './node-program.mjs'
import { showProgress } from './progress.mjs'
import { passSignals } from './run.mjs'
import { codeOf, isInstalled, readPackages, removeStamp, stamp } from './tree.mjs'

/** No package needs an install script. Tests need dev packages also with NODE_ENV=production. */
const npmArguments = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--include=dev',
  '--include=optional',
  '--loglevel=error',
]

const certificateAdvice =
  'The certificate of the package registry or of a proxy is not trusted: set NODE_EXTRA_CA_CERTS to the certificate ' +
  'of its authority.'

/** By npm error code. */
const advice = /** @type {Record<string, string>} */ ({
  ENOTFOUND: 'The package registry was not found: check the network, or the proxy and registry settings of npm.',
  EAI_AGAIN: 'The package registry was not found: check the network, or the proxy and registry settings of npm.',
  ECONNREFUSED: 'The package registry refused the connection: check the proxy and registry settings of npm.',
  ECONNRESET: 'The connection to the package registry was interrupted.',
  ETIMEDOUT: 'The package registry did not respond in time.',
  E401: 'The package registry requires a login: check the settings of npm.',
  E403: 'The package registry refused a package: check the settings of npm.',
  E404: 'The package registry does not have a package that package-lock.json names.',
  SELF_SIGNED_CERT_IN_CHAIN: certificateAdvice,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificateAdvice,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificateAdvice,
  EACCES: 'Permission denied: this user cannot write to the folder, or to the npm cache in the home directory.',
  EPERM: 'Permission denied: this user cannot write to the folder, or to the npm cache in the home directory.',
  EROFS: 'The folder is on a read-only file system.',
  ENOSPC: 'The disk is full: about 1 GB is needed.',
  EUSAGE: 'package.json and package-lock.json differ: run `npm install`.',
  EINTEGRITY: 'A package does not match package-lock.json: run `npm cache clean --force`.',
})

/**
 * Installs what is missing. Safe to call from several processes.
 * @param {string} root
 * @returns {Promise<void>}
 * @throws {SetupError}
 */
export async function ensureInstalled(root) {
  if (isInstalled(root)) return
  if (!runningNodeServes() && !hasPackagedNode(root)) throw missingNode()
  const onWait = () => console.error('Waiting for another installation in this folder…')
  try {
    await withLock(join(root, '.flowfarm', 'setup.lock'), { onWait }, async () => {
      if (!isInstalled(root)) await install(root)
    })
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || advice[code] === undefined) throw error
    throw new SetupError(`The dependencies could not be installed. ${advice[code]}\n${String(error)}`)
  }
}

/** @param {string} root */
function hasPackagedNode(root) {
  return packagedNodeCanRun() && `node_modules/${nodePackage()}` in readPackages(join(root, 'package-lock.json'))
}

/** @param {string} root */
async function install(root) {
  const start = performance.now()
  console.error('Installing dependencies (about 30 s; minutes on a slow machine or network)…')
  removeStamp(root)
  const cache = temporaryCache(root)
  const { command, before } = npmCommand(root)
  const child = spawn(command, [...before, ...npmArguments], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: pathWithout(root), ...(cache === undefined ? {} : { npm_config_cache: cache }) },
  })
  const output = /** @type {string[]} */ ([])
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => output.push(text))
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => output.push(text))
  const endProgress = showProgress(root, process.stderr)
  const end = await passSignals(child).finally(endProgress)
  if (cache !== undefined) rmSync(cache, { recursive: true, force: true })
  const stoppedBy = end.received ?? end.signal
  if (stoppedBy !== null) throw new SetupError(`${stoppedBy} stopped the installation; run this again to finish it.`)
  if (end.code !== 0) throw new SetupError(explain(output.join('')))
  stamp(root)
  console.error(`Installed in ${Math.round((performance.now() - start) / 1000)} s.`)
}

/**
 * The npm that runs this script, else the one on the PATH, but not the Node in node_modules, which
 * npm replaces.
 * @param {string} root
 * @returns {{ command: string, before: string[] }}
 */
function npmCommand(root) {
  const cli = process.env['npm_execpath']
  const node = process.env['npm_node_execpath']
  const usable = cli !== undefined && /npm-cli\.[cm]?js$/.test(cli) && existsSync(cli)
  if (!usable || node === undefined || node.startsWith(root + sep) || !existsSync(node)) {
    return { command: 'npm', before: [] }
  }
  return { command: node, before: [cli] }
}

/** @param {string} root */
function pathWithout(root) {
  const inTree = join(root, 'node_modules') + sep
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((entry) => !entry.startsWith(inTree))
    .join(delimiter)
}

/**
 * For users without a writable home directory.
 * @param {string} root
 * @returns {string | undefined}
 */
function temporaryCache(root) {
  if (process.env['npm_config_cache'] !== undefined && canWrite(process.env['npm_config_cache'])) return undefined
  const cache = join(homedir(), '.npm')
  if (existsSync(cache) ? canWrite(cache) : canWrite(homedir())) return undefined
  const own = join(root, '.flowfarm', 'npm-cache')
  mkdirSync(own, { recursive: true })
  return own
}

/** @param {string} folder */
function canWrite(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  }
}

/**
 * @param {string} output
 * @returns {string}
 */
function explain(output) {
  const codes = [...output.matchAll(/npm error (?:code|errno) (\w+)/g)].map((match) => match[1] ?? '')
  const known = codes.map((code) => advice[code]).find((sentence) => sentence !== undefined)
  const reason = known ?? 'See the output of npm above.'
  const withoutUsage = output.split('npm error Clean install a project')[0] ?? ''
  return `${withoutUsage.trim()}\n\nThe dependencies could not be installed. ${reason} Run this again afterwards.`
}
