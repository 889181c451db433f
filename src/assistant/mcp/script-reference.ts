import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inNetwork } from '../../flow/in-network.ts'
import type { Network } from '../../flow/network.ts'
import { FatalError } from '../../platform/errors.ts'

const texts = new Map<Network, string>()

/**
 * How scripts are written, for a network: it is kept with `import "Name"`, `0x{Name}` and `{network}`, and told with what they are there; an example
 * that has a file of its own stands in it as the name of that file.
 * @throws FatalError where it names a contract that is not known
 */
export function scriptReference(network: Network): string {
  const known = texts.get(network)
  if (known !== undefined) return known
  const text = inNetwork(
    read('script-reference.md').replaceAll(/^(scripts\/\w+\.cdc)$/gm, (_, file: string) => read(file).trimEnd()),
    network,
  )
  const left = /0x\{\w+\}|^import ".*"$/m.exec(text)
  if (left !== null) throw new FatalError('unknown-contract', `the contract of ${left[0]} is not known on ${network}`)
  texts.set(network, text)
  return text
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8')
}
