import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface SolidityModule {
  cwrap(name: string, result: 'string', parameters: readonly ('string' | 'number')[]): (...args: unknown[]) => string
}

interface Output {
  readonly errors?: readonly { readonly severity: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, { abi: unknown; metadata: string }>>>>
}

/**
 * Runs one compilation: standard JSON on stdin, version and standard JSON on stdout, without warnings
 * and without ABIs above a limit: nested structs make megabytes of small objects from a few lines.
 */
const [path = '', maxErrors = '', maxAbiBytes = ''] = process.argv.slice(2)
const solidity = createRequire(import.meta.url)(path) as SolidityModule
const version = solidity.cwrap('solidity_version', 'string', [])
const compile = solidity.cwrap('solidity_compile', 'string', ['string', 'number', 'number'])
// Without a callback, imports find only the given sources.
const noCallback = 0
const { errors = [], contracts = {} } = JSON.parse(compile(readFileSync(0, 'utf8'), noCallback, noCallback)) as Output
for (const ofFile of Object.values(contracts)) {
  for (const contract of Object.values(ofFile)) {
    if (JSON.stringify(contract.abi).length <= Number(maxAbiBytes)) continue
    contract.abi = null
    contract.metadata = ''
  }
}
const failures = errors.filter(({ severity }) => severity === 'error').slice(0, Number(maxErrors))
process.stdout.write(`${version()}\n${JSON.stringify({ errors: failures, contracts })}`)
