// Installs what package-lock.json lists, then runs `<program.ts> [arguments…]`. Runs on Node 20
// with nothing installed, so it and `setup/` are plain JavaScript without packages.

import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './setup/install.mjs'
import { chooseNode, SetupError } from './setup/node-program.mjs'
import { runProgram } from './setup/run.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [program, ...rest] = process.argv.slice(2)

try {
  if (program === undefined)
    throw new SetupError('Program missing. Usage: node scripts/setup.mjs <program.ts> [arguments…]')
  await ensureInstalled(root)
  await runProgram(root, chooseNode(root), [program, ...rest])
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
