import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { coreContracts } from '../../flow/core-contracts.ts'
import type { CoreContracts } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import type { QueryTarget } from './query-service.ts'

export interface ExamplePair {
  readonly questions: readonly [string, ...string[]]
  readonly sql: string
}

export function examplePairs(target: QueryTarget, network: Network): ExamplePair[] {
  return readPairs(new URL(`./${target}-examples.yaml`, import.meta.url), network)
}

/** Replaces `{name}` in every text by the account of that core contract. */
export function readPairs<Pair>(file: URL, network: Network): Pair[] {
  return parse(readFileSync(file, 'utf8'), (_, value: unknown) => {
    return typeof value === 'string' ? withAddresses(value, network) : value
  }) as Pair[]
}

/**
 * @returns the text with 16 hex digits, without `0x`, for each `{name}`
 * @throws Error for an unknown contract
 */
export function withAddresses(text: string, network: Network): string {
  const contracts = coreContracts(network)
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isCoreContract(name, contracts)) throw new Error(`unknown core contract {${name}} in an example: ${text}`)
    return contracts[name]
  })
}

function isCoreContract(name: string, contracts: CoreContracts): name is keyof CoreContracts {
  return Object.hasOwn(contracts, name)
}
