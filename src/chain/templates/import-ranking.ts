import { coreContractNames } from '../core-contracts.ts'

/** Categories of scripts by the contracts that they import, the one that says most first. */
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
export type ImportCategory = (typeof importCategories)[number]

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

/**
 * The kind of a script by the best ranked of the contracts that it imports; undefined where it imports none.
 * @param imports as in the normal form: a contract that bears a core contract's name but is elsewhere counts like others
 */
export function categoryOfImports(imports: readonly string[]): ImportCategory | undefined {
  if (imports.length === 0) return undefined
  const found = new Set(imports.map((one) => categoryOf(one)))
  return importCategories.find((category) => found.has(category))
}

function categoryOf(imported: string): ImportCategory {
  const [, , name] = imported.split('.')
  if (name === undefined) return byName.get(imported) ?? 'contract_call'
  return coreContractNames.has(name) ? 'contract_call' : (byName.get(name) ?? 'contract_call')
}
