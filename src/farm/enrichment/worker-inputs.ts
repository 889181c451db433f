import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptNames } from '../../../jobs/enrichment/asking-worker.ts'
import type { ScriptName } from '../../../jobs/enrichment/asking-worker.ts'
import { coreContractAddress } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { FatalError, RetryableError } from '../../platform/errors.ts'
import { responseText } from '../../platform/response-text.ts'

/** Where the scripts are. */
export const scriptsFolder = join(import.meta.dirname, '../../../jobs/enrichment/cadence')

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

/** How long a source may take, and how much it may give. */
const timeoutMs = 15_000
const mostBytes = 16 * 1024 * 1024

/**
 * Reads JSON from a source outside.
 * @throws RetryableError where it does not answer, or not with JSON; the signal's reason
 */
export async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (!response.ok) throw new Error(`it answered with HTTP status ${response.status}`)
    return JSON.parse(
      await responseText(response, mostBytes, () => new Error(`its answer is longer than ${mostBytes} bytes`)),
    ) as unknown
  } catch (error) {
    signal.throwIfAborted()
    throw new RetryableError(
      'source-unavailable',
      `the source did not give JSON: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}
