import { coreContracts } from '../../../flow/core-contracts.ts'
import type { CoreContracts } from '../../../flow/core-contracts.ts'
import type { Network } from '../../../flow/network.ts'

/**
 * A question as people ask it and the statement that answers it: an example (few-shot) that shows a model how the tables are used. Until
 * a pair is put in a network, `{flowToken}` in it stands for the account of that core contract.
 */
export interface ExamplePair {
  /** One or more wordings, English or Chinese. The first is the one to show to people. */
  readonly questions: readonly [string, ...string[]]
  /** One SELECT without a semicolon. */
  readonly sql: string
}

/** The pairs with the addresses that the core contracts have in a network. */
export function inNetwork(pairs: readonly ExamplePair[], network: Network): ExamplePair[] {
  return pairs.map(({ questions: [first, ...others], sql }) => ({
    questions: [withAddresses(first, network), ...others.map((question) => withAddresses(question, network))],
    sql: withAddresses(sql, network),
  }))
}

/**
 * A text with the account of a core contract, 16 hex digits without `0x`, for each `{name}`.
 * @throws Error for a name that is no core contract: the text is wrong
 */
export function withAddresses(text: string, network: Network): string {
  const contracts = coreContracts(network)
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isCoreContract(name, contracts))
      throw new Error(`An example names the core contract ${name}, which there is not: ${text}`)
    return contracts[name]
  })
}

function isCoreContract(name: string, contracts: CoreContracts): name is keyof CoreContracts {
  return Object.hasOwn(contracts, name)
}
