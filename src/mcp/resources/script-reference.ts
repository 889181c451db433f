import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FatalError } from '../../base/errors.ts'
import { coreContractAddress } from '../../chain/core-contracts.ts'
import type { Network } from '../../chain/network.ts'

const texts = new Map<Network, string>()

/**
 * How scripts are written, for a network: it is kept with `import "Name"`, `0x{Name}` and `{network}`, and told with what they are there; an example
 * that has a file of its own stands in it as the name of that file.
 * @throws FatalError where it names a contract that is not known
 */
export function scriptReference(network: Network): string {
  const known = texts.get(network)
  if (known !== undefined) return known
  const address = (name: string): string => {
    const found = coreContractAddress(name, network)
    if (found === undefined) throw new FatalError('unknown-contract', `${name} is not known on ${network}`)
    return `0x${found}`
  }
  const text = read('script-reference.md')
    .replaceAll(/^(scripts\/\w+\.cdc)$/gm, (_, file: string) => read(file).trimEnd())
    .replaceAll(/^import "(\w+)"$/gm, (_, name: string) => `import ${name} from ${address(name)}`)
    .replaceAll(/0x\{(\w+)\}/g, (_, name: string) => address(name))
    .replaceAll('{network}', network === 'emulator' ? 'this chain, which has the addresses of the emulator' : network)
  texts.set(network, text)
  return text
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8')
}
