import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptNames } from '../../../jobs/asking/asking-worker.ts'
import type { ScriptName } from '../../../jobs/asking/asking-worker.ts'
import { FatalError } from '../../base/errors.ts'
import { coreContractAddress } from '../../chain/core-contracts.ts'
import type { Network } from '../../chain/network.ts'

/** Where the scripts are. */
export const scriptsFolder = join(import.meta.dirname, '../../../jobs/asking/cadence')

/**
 * The scripts of the workers that ask, as a network can run them.
 * @throws FatalError where a script imports a contract that is not known on the network
 */
export async function loadScripts(network: Network): Promise<(name: ScriptName) => string> {
  const scripts = new Map<ScriptName, string>()
  for (const name of scriptNames) {
    scripts.set(name, fillImports(await readFile(join(scriptsFolder, `${name}.cdc`), 'utf8'), network))
  }
  return (name) => scripts.get(name) ?? ''
}

/** `import "Name"`, the form in which scripts are kept, becomes `import Name from 0x…`. */
export function fillImports(source: string, network: Network): string {
  return source.replaceAll(/^import "(\w+)"$/gm, (_, name: string) => {
    const address = coreContractAddress(name, network)
    if (address === undefined) throw new FatalError('unknown-contract', `${name} is not known on ${network}`)
    return `import ${name} from 0x${address}`
  })
}
