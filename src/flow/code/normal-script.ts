import { hash } from 'node:crypto'
import { coreContracts } from '../core-contracts.ts'
import type { Network } from '../network.ts'
import { importDeclarationAt } from './script-imports.ts'
import type { ScriptImport } from './script-imports.ts'
import { isMark, isWord, scriptTokens } from './script-tokens.ts'
import type { ScriptToken } from './script-tokens.ts'

interface NormalScript {
  /** Names of well-known contracts, `A.<address>.<name>` of others. Sorted, distinct. */
  readonly imports: readonly string[]
  /** Tokens without imports, separated by one space. */
  readonly body: string
  /** SHA-256 of both, 64 hex digits. */
  readonly hash: string
}

/**
 * Equal for variants that differ in comments, white space, semicolons at line ends, imports and
 * network. Contracts imported from a known account, or without one, are identified by name.
 */
export function normalScript(script: string, network: Network): NormalScript {
  const tokens = scriptTokens(script)
  const imports = new Set<string>()
  const words: string[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as ScriptToken
    if (isWord(token, 'import')) {
      const declaration = importDeclarationAt(tokens, i + 1)
      for (const one of declaration.imports) imports.add(nameOf(one, network))
      i = declaration.end - 1
    } else if (!isMark(token, ';')) words.push(token.kind === 'text' ? `"${token.text}"` : token.text)
  }
  const sorted = [...imports].toSorted()
  const body = words.join(' ')
  return { imports: sorted, body, hash: hash('sha256', `${sorted.join(' ')}\n${body}`) }
}

function nameOf({ name, address }: ScriptImport, network: Network): string {
  return address === undefined || isKnownAccount(address, network) ? name : `A.${address}.${name}`
}

/**
 * Besides the core contracts. Source: `flow.json` of onflow/nft-storefront and
 * onflow/flow-core-contracts, the contracts' pages.
 */
const moreAccounts: Readonly<Record<Network, readonly string[]>> = {
  mainnet: [
    'd8a7e05a7ac670c0',
    '3cdbb3d569211ff3',
    'b063c16cac85dbd1',
    'a6850776a94e6551',
    'c6c77b9f5c7a378f',
    '62430cf28c26d095',
  ],
  testnet: ['294e44e1ec6993c6', '94b06cfca1d8a476', '7aad92e5a0715d21'],
  emulator: [],
}

const known: Readonly<Record<Network, ReadonlySet<string>>> = {
  mainnet: accountsOf('mainnet'),
  testnet: accountsOf('testnet'),
  emulator: accountsOf('emulator'),
}

function isKnownAccount(address: string, network: Network): boolean {
  return known[network].has(address)
}

function accountsOf(network: Network): ReadonlySet<string> {
  return new Set([...Object.values(coreContracts(network)), ...moreAccounts[network]])
}
