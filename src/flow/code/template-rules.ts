/**
 * Upper-case categories come from templates or calls of the script, lower-case ones from its
 * imports.
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

/** Both empty if unknown. */
export interface ScriptTemplate {
  /** One of `templateCategories` or `importCategories`, or a value of app.script_templates. */
  readonly category: string
  readonly label: string
}

export const noTemplate: ScriptTemplate = { category: '', label: '' }

export interface TemplateRule {
  readonly category: TemplateCategory
  readonly label: string
  readonly all: readonly RegExp[]
  readonly none?: readonly RegExp[]
}

const staking = /^import (FlowStakingCollection|FlowIDTableStaking|LockedTokens|StakingProxy)$/m
const market = /^import (\S+\.)?(\w*Storefront(V2)?|TopShotMarket\w*|Market)$/m
const evm = /^import EVM$/m
const withdrawsTokens = /^call withdraw\(amount:$/m
const depositsTokens = /^call deposit\(from:$/m
const withdrawsItems = /^call (withdraw\((withdrawID|uuid):|batchWithdraw)/m
const depositsItems = /^call (deposit\(token:|batchDeposit)/m
const destroys = /^(call Burner\.burn|word destroy)$/m
const systemContract =
  '(FlowIDTableStaking|FlowEpoch|FlowFees|FlowServiceAccount|FlowStorageFees|FlowDKG|FlowClusterQC|' +
  'NodeVersionBeacon|RandomBeaconHistory|FlowExecutionParameters)'

/** The first match wins, so specific rules come first. */
export const templateRules: readonly TemplateRule[] = [
  {
    category: 'SYSTEM',
    label: 'Find due scheduled transactions',
    all: [/^name FlowTransactionScheduler\.SharedScheduler$/m, /^call process$/m],
  },
  {
    category: 'SCHEDULED',
    label: 'Run scheduled transaction',
    all: [/^name FlowTransactionScheduler\.SharedScheduler$/m, /^call executeTransaction$/m],
  },
  {
    category: 'SYSTEM',
    label: 'End of block',
    all: [/^call (randomSourceHistory|advanceBlock)$/m, /^name \w+\.Heartbeat$/m],
  },

  { category: 'CONTRACT_DEPLOY', label: 'Deploy contract', all: [/^call contracts\.add$/m] },
  { category: 'CONTRACT_DEPLOY', label: 'Update contract', all: [/^call contracts\.(update\w*|tryUpdate)$/m] },
  { category: 'CONTRACT_DEPLOY', label: 'Remove contract', all: [/^call contracts\.remove$/m] },

  {
    category: 'SCHEDULED',
    label: 'Schedule transaction',
    all: [/^import FlowTransactionScheduler/m, /^call schedule(ByHandler)?(\(handlerCap:)?$/m],
  },
  {
    category: 'SCHEDULED',
    label: 'Cancel scheduled transaction',
    all: [/^import FlowTransactionScheduler/m, /^call cancel(All\w*)?$/m],
  },

  { category: 'NFT_PURCHASE', label: 'Buy NFT', all: [market, /^call (purchase|buy)\w*$/m] },
  {
    category: 'NFT_LISTING',
    label: 'List NFT for sale',
    all: [market, /^call (createListing|listForSale|startSale)$/m],
  },
  { category: 'NFT_LISTING', label: 'Take NFT off sale', all: [market, /^call (removeListing|cancelSale|stopSale)$/m] },
  { category: 'NFT_LISTING', label: 'Clean up listings', all: [market, /^call cleanup\w*$/m] },

  { category: 'LIQUIDITY', label: 'Add liquidity', all: [/^call (addLiquidity\w*|\w*SwapPair\.add\w*)$/m] },
  { category: 'LIQUIDITY', label: 'Remove liquidity', all: [/^call (removeLiquidity\w*|\w*SwapPair\.remove\w*)$/m] },
  {
    category: 'SWAP',
    label: 'Swap tokens',
    all: [/^call (swap(Exact)?Tokens?\w*|swapToken\dForToken\d|\w*Swap\w*\.swap\w*)$/m],
  },
  {
    category: 'SWAP',
    label: 'Swap tokens',
    all: [/^import (\S+\.)?\w*Swap(Router|Pair|Connectors)\w*$/m, /^call swap\w*$/m],
  },

  { category: 'EVM_BRIDGE', label: 'Move NFT to EVM', all: [evm, /^call (batch)?depositNFTs?$/im] },
  { category: 'EVM_BRIDGE', label: 'Move NFT from EVM', all: [evm, /^call (batch)?withdrawNFTs?$/im] },
  { category: 'EVM_BRIDGE', label: 'Move tokens to EVM', all: [evm, /^call depositTokens$/m] },
  { category: 'EVM_BRIDGE', label: 'Move tokens from EVM', all: [evm, /^call withdrawTokens$/m] },
  { category: 'EVM_BRIDGE', label: 'Move NFT to EVM', all: [/^call FlowEVMBridge\.bridgeNFTToEVM$/m] },
  { category: 'EVM_BRIDGE', label: 'Move NFT from EVM', all: [/^call FlowEVMBridge\.bridgeNFTFromEVM$/m] },
  { category: 'EVM_BRIDGE', label: 'Move tokens to EVM', all: [/^call FlowEVMBridge\.bridgeTokensToEVM$/m] },
  { category: 'EVM_BRIDGE', label: 'Move tokens from EVM', all: [/^call FlowEVMBridge\.bridgeTokensFromEVM$/m] },
  {
    category: 'EVM_BRIDGE',
    label: 'Onboard to EVM bridge',
    all: [/^call FlowEVMBridge\.(batchO|o)nboard\w*$/m],
  },
  { category: 'EVM_CALL', label: 'Run EVM transaction', all: [/^call EVM\.(run|mustRun|batchRun|runTxAs)$/m] },
  { category: 'EVM_CALL', label: 'Deploy EVM contract', all: [evm, /^call deploy(\(code:)?$/m] },
  { category: 'EVM_CALL', label: 'Call EVM contract', all: [evm, /^call (call|callWithSigAndArgs)$/m] },
  {
    category: 'ACCOUNT_SETUP',
    label: 'Create EVM account',
    all: [/^call EVM\.create(CadenceOwned|Bridged)Account$/m],
  },
  { category: 'EVM_BRIDGE', label: 'Move FLOW from EVM', all: [evm, /^call withdraw\(balance:$/m] },
  {
    category: 'EVM_BRIDGE',
    label: 'Move FLOW to EVM',
    all: [evm, depositsTokens, /^(name EVM\.CadenceOwnedAccount|call EVM\.(addressFromString|EVMAddress))$/m],
  },

  { category: 'REWARD_CLAIM', label: 'Withdraw staking rewards', all: [staking, /^call withdrawRewardedTokens$/m] },
  {
    category: 'STAKING',
    label: 'Register node',
    all: [staking, /^call (registerNode|addNodeRecord|createNodeStaker)$/m],
  },
  {
    category: 'STAKING',
    label: 'Register delegator',
    all: [staking, /^call (register(New)?Delegator|create(Node)?Delegator)$/m],
  },
  { category: 'STAKING', label: 'Stake new tokens', all: [staking, /^call (stake|delegate)NewTokens$/m] },
  { category: 'STAKING', label: 'Stake rewarded tokens', all: [staking, /^call (stake|delegate)RewardedTokens$/m] },
  { category: 'STAKING', label: 'Stake unstaked tokens', all: [staking, /^call (stake|delegate)UnstakedTokens$/m] },
  { category: 'STAKING', label: 'Request unstaking', all: [staking, /^call (requestUnstaking|unstakeAll)$/m] },
  { category: 'STAKING', label: 'Withdraw unstaked tokens', all: [staking, /^call withdrawUnstakedTokens$/m] },
  { category: 'STAKING', label: 'Update networking address', all: [staking, /^call updateNetworkingAddress$/m] },

  { category: 'ACCOUNT_CREATION', label: 'Create account', all: [/^call (Auth)?Account(\(payer:)?$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Revoke key', all: [/^call (keys\.revoke|removePublicKey)$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Add key', all: [/^call (keys\.add|addPublicKey)$/m] },

  {
    category: 'NFT_MINT',
    label: 'Mint NFT',
    all: [/^call (batch)?mint\w*$/im, depositsItems],
    none: [withdrawsTokens],
  },
  { category: 'NFT_MINT', label: 'Mint NFT', all: [/^call (batchM|m)intNFTs?\w*$/m] },
  { category: 'FT_MINT', label: 'Mint FLOW', all: [/^name FlowToken\.(Administrator|Minter)$/m, /^call mintTokens$/m] },
  { category: 'FT_MINT', label: 'Mint tokens', all: [/^call (mintTokens|mint\(amount:)$/m] },

  {
    category: 'SYSTEM',
    label: 'Administer the network',
    all: [new RegExp(`^name ${systemContract}\\.Admin(istrator)?$`, 'm')],
  },

  { category: 'NFT_BURN', label: 'Burn NFT', all: [withdrawsItems, destroys], none: [depositsItems] },
  { category: 'FT_BURN', label: 'Burn tokens', all: [withdrawsTokens, destroys], none: [depositsTokens] },
  { category: 'FT_BURN', label: 'Burn tokens', all: [/^call burnTokens$/m] },
  { category: 'NFT_TRANSFER', label: 'Transfer NFT', all: [withdrawsItems, depositsItems], none: [withdrawsTokens] },
  {
    category: 'FT_TRANSFER',
    label: 'Transfer FLOW',
    all: [withdrawsTokens, depositsTokens, /^import FlowToken$/m],
    none: [
      /^import (?!(FlowToken|FungibleToken\w*|Burner|MetadataViews|ViewResolver)$)/m,
      withdrawsItems,
      depositsItems,
    ],
  },
  {
    category: 'FT_TRANSFER',
    label: 'Transfer tokens',
    all: [withdrawsTokens, depositsTokens],
    none: [withdrawsItems, depositsItems],
  },

  {
    category: 'ACCOUNT_SETUP',
    label: 'Link accounts',
    all: [/^import HybridCustody$/m, /^call (publishToParent|redeemAccount|addAccount|create(Manager|OwnedAccount))$/m],
  },
  { category: 'ACCOUNT_SETUP', label: 'Create forwarder', all: [/^call createNew(Private)?Forwarder$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Set up storefront', all: [/^call createStorefront$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Set up NFT collection', all: [/^call createEmptyCollection\w*$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Set up token vault', all: [/^call createEmptyVault$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Offer capability to an account', all: [/^call inbox\.publish$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Claim offered capability', all: [/^call inbox\.claim$/m] },
  { category: 'ACCOUNT_SETUP', label: 'Withdraw offered capability', all: [/^call inbox\.unpublish$/m] },
]
