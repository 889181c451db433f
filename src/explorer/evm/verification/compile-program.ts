import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface SolidityModule {
  cwrap(name: string, result: 'string', parameters: readonly ('string' | 'number')[]): (...args: unknown[]) => string
}

/** Runs one compilation: standard JSON on stdin, version and standard JSON on stdout. */
const [path = ''] = process.argv.slice(2)
const solidity = createRequire(import.meta.url)(path) as SolidityModule
const version = solidity.cwrap('solidity_version', 'string', [])
const compile = solidity.cwrap('solidity_compile', 'string', ['string', 'number', 'number'])
// Without a callback, imports find only the given sources.
const noCallback = 0
const output = compile(readFileSync(0, 'utf8'), noCallback, noCallback)
process.stdout.write(`${version()}\n${output}`)
