import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inNetwork } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { FatalError } from '../../platform/errors.ts'

const texts = new Map<Network, string>()

/**
 * Replaces `import "Name"`, `0x{Name}`, `{network}` and file names in the guide.
 * @throws FatalError for an unknown contract
 */
export function scriptReference(network: Network): string {
  const known = texts.get(network)
  if (known !== undefined) return known
  const text = inNetwork(
    read('script-reference.md').replaceAll(/^(scripts\/\w+\.cdc)$/gm, (_, file: string) => read(file).trimEnd()),
    network,
  )
  const left = /0x\{\w+\}|^import ".*"$/m.exec(text)
  if (left !== null)
    throw new FatalError(
      'unknown-contract',
      `script-reference.md names a contract that is unknown on ${network}: ${left[0]}`,
    )
  texts.set(network, text)
  return text
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8')
}
