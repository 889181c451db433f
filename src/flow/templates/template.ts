/**
 * What kind of script a transaction runs: of a template that is known, or of what the script calls. Uppercase words are
 * told by the script itself, lowercase ones guessed from the contracts that it imports.
 */
export const templateCategories = [
  'FT_TRANSFER',
  'FT_MINT',
  'FT_BURN',
  'NFT_TRANSFER',
  'NFT_MINT',
  'NFT_BURN',
  'NFT_PURCHASE',
  'NFT_LISTING',
  'STAKING',
  'REWARD_CLAIM',
  'GOVERNANCE',
  'ACCOUNT_CREATION',
  'ACCOUNT_SETUP',
  'SCHEDULED',
  'EVM_BRIDGE',
  'EVM_CALL',
  'SWAP',
  'LIQUIDITY',
  'CONTRACT_DEPLOY',
  'SYSTEM',
  'OTHER',
] as const
export type TemplateCategory = (typeof templateCategories)[number]

/** Category and name of a script, both empty where nothing is known. */
export interface ScriptTemplate {
  /** One of `templateCategories`, of `importCategories`, or what an operator has written into app.script_templates. */
  readonly category: string
  /** Empty where only the category is known. */
  readonly label: string
}

export const noTemplate: ScriptTemplate = { category: '', label: '' }
