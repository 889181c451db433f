import { coreContractNames } from '../core-contracts.ts'
import type { Network } from '../network.ts'
import { isMark, scriptTokens } from './script-tokens.ts'
import type { ScriptToken } from './script-tokens.ts'
import { normalScript } from './normal-script.ts'
import { templateRules, noTemplate } from './template-rules.ts'
import type { TemplateRule, ScriptTemplate } from './template-rules.ts'

import data from './catalogue.json' with { type: 'json' }

export interface DescribedScript {
  /** Hash of the normal form, 64 hex digits: key of app.script_templates. */
  readonly normalHash: string
  readonly template: ScriptTemplate
  readonly foundBy: 'catalogue' | 'rules' | 'imports' | 'nothing'
}

/** Takes about 150 µs: cache the result by script hash. */
export function scriptTemplate(script: string, network: Network): DescribedScript {
  const { imports, hash: normalHash } = normalScript(script, network)
  const known = catalogueTemplate(normalHash)
  if (known !== undefined) return { normalHash, template: known, foundBy: 'catalogue' }
  const marks = scriptMarks(script, imports)
  const rule = templateRules.find((one) => fits(one, marks))
  if (rule !== undefined)
    return { normalHash, template: { category: rule.category, label: rule.label }, foundBy: 'rules' }
  const category = categoryOfImports(imports)
  return category === undefined
    ? { normalHash, template: noTemplate, foundBy: 'nothing' }
    : { normalHash, template: { category, label: '' }, foundBy: 'imports' }
}

function fits({ all, none = [] }: TemplateRule, marks: string): boolean {
  return all.every((pattern) => pattern.test(marks)) && !none.some((pattern) => pattern.test(marks))
}

/**
 * By category and name, the first 16 hex digits of the hashes of all versions in
 * onflow/flow-core-contracts, flow-ft, flow-nft, nft-storefront and flow-evm-bridge. `npm run farm
 * -- template` prints the hash of a script.
 */
const templates: ReadonlyMap<string, ScriptTemplate> = new Map(
  Object.entries(data).flatMap(([category, labels]) =>
    Object.entries(labels as Readonly<Record<string, readonly string[]>>).flatMap(([label, hashes]) =>
      hashes.map((hash) => [hash, { category, label }] as const),
    ),
  ),
)

function catalogueTemplate(normalHash: string): ScriptTemplate | undefined {
  return templates.get(normalHash.slice(0, 16))
}

/**
 * Imports, calls and names of a script, one per line, for the regular expressions of the rules:
 *
 *     import FungibleToken            as in the imports of the normal form
 *     call withdraw                   a function or method
 *     call withdraw(amount:           … with the label of its first argument
 *     call EVM.run                    … with the name before the dot
 *     name FlowIDTableStaking.Admin   two names with a dot between them
 *     word destroy                    the keyword
 */
function scriptMarks(script: string, imports: readonly string[]): string {
  const tokens = scriptTokens(script)
  const marks = new Set(imports.map((name) => `import ${name}`))
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as ScriptToken
    if (token.kind !== 'word') continue
    if (token.text === 'destroy') marks.add('word destroy')
    const owner = isMark(tokens[i - 1], '.') || isMark(tokens[i - 1], '?.') ? tokens[i - 2] : undefined
    const qualified = owner?.kind === 'word' ? `${owner.text}.${token.text}` : undefined
    if (qualified !== undefined) marks.add(`name ${qualified}`)
    if (!isMark(tokens[i + 1], '(') && !isCallOfType(tokens, i + 1)) continue
    marks.add(`call ${token.text}`)
    if (qualified !== undefined) marks.add(`call ${qualified}`)
    const label = tokens[i + 2]
    if (label?.kind === 'word' && isMark(tokens[i + 3], ':')) marks.add(`call ${token.text}(${label.text}:`)
  }
  return [...marks].join('\n')
}

function isCallOfType(tokens: readonly ScriptToken[], start: number): boolean {
  if (!isMark(tokens[start], '<')) return false
  let depth = 0
  for (let i = start; i < tokens.length && i < start + 64; i++) {
    const { kind, text } = tokens[i] as ScriptToken
    if (kind !== 'mark') continue
    if (text === '<') depth++
    else if (text === '>' && --depth === 0) return isMark(tokens[i + 1], '(')
    else if (text === ';' || text === '=') return false
  }
  return false
}

/** Most specific first. */
export const importCategories = [
  'marketplace',
  'defi',
  'staking',
  'nft',
  'evm',
  'account_linking',
  'account_creation',
  'token_transfer',
  'crypto',
  'system',
  'contract_call',
] as const
type ImportCategory = (typeof importCategories)[number]

const categories: Readonly<Record<Exclude<ImportCategory, 'contract_call'>, readonly string[]>> = {
  marketplace: ['NFTStorefront', 'NFTStorefrontV2', 'TopShotMarketV3', 'TopShotMarketV2', 'Market'],
  defi: [
    'IncrementSwapRouter',
    'IncrementSwapPair',
    'SwapRouter',
    'SwapFactory',
    'SwapPair',
    'BloctoSwapPair',
    'FlowSwapPair',
  ],
  staking: ['FlowStakingCollection', 'FlowIDTableStaking', 'LockedTokens', 'StakingProxy'],
  nft: ['NonFungibleToken', 'MetadataViews', 'TopShot', 'ViewResolver'],
  evm: ['EVM'],
  account_linking: ['HybridCustody'],
  account_creation: ['AccountCreator'],
  token_transfer: ['FlowToken', 'FungibleToken', 'FungibleTokenSwitchboard', 'FungibleTokenMetadataViews', 'Burner'],
  crypto: ['Crypto'],
  system: ['FlowClusterQC', 'FlowDKG', 'FlowEpoch', 'FlowServiceAccount', 'FlowFees'],
}

const byName = new Map<string, ImportCategory>(
  importCategories.flatMap((category) =>
    category === 'contract_call' ? [] : categories[category].map((name) => [name, category] as const),
  ),
)

/** @param imports as in the normal form, where core contracts have no address */
function categoryOfImports(imports: readonly string[]): ImportCategory | undefined {
  if (imports.length === 0) return undefined
  const found = new Set(imports.map((one) => categoryOf(one)))
  return importCategories.find((category) => found.has(category))
}

function categoryOf(imported: string): ImportCategory {
  const [, , name] = imported.split('.')
  if (name === undefined) return byName.get(imported) ?? 'contract_call'
  return coreContractNames.has(name) ? 'contract_call' : (byName.get(name) ?? 'contract_call')
}
