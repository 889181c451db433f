// The first step of every npm script: `node scripts/setup.mjs <program.ts> [arguments…]`.
//
// Makes sure that node_modules is what package-lock.json says, then runs the program on Node 24 and passes signals,
// standard streams and the end of the program through. It runs on any Node from 20 on, with nothing installed, so it
// and `setup/` are plain JavaScript that imports only what Node brings.

import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './setup/install.mjs'
import { chooseNode } from './setup/node-program.mjs'
import { runProgram } from './setup/run.mjs'
import { SetupError } from './setup/setup-error.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [program, ...rest] = process.argv.slice(2)

try {
  if (program === undefined) throw new SetupError('Which program? node scripts/setup.mjs <program.ts> [arguments…]')
  await ensureInstalled(root)
  await runProgram(root, chooseNode(root), [program, ...rest])
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
