/** The responses of the API. Made by `npm run docs`: do not edit. */

/** The response of each path that is read. */
export interface Answers {
  readonly '/flow/block': BlockList
  readonly '/flow/block/{height}': BlockAnswer
  readonly '/flow/block/{height}/transaction': TransactionList
  readonly '/flow/block/{height}/service-event': ServiceEventList
  readonly '/flow/transaction': TransactionList
  readonly '/flow/transaction/{id}': TransactionAnswer
  readonly '/flow/account/{address}/transaction': TransactionList
  readonly '/flow/contract/{identifier}/transaction': TransactionList
  readonly '/flow/script/{hash}': ScriptAnswer
  readonly '/flow/events/search': EventList
  readonly '/flow/ft/transfer': FtTransferList
  readonly '/flow/account/{address}/ft/transfer': FtTransferList
  readonly '/flow/account/{address}/ft/{token}/transfer': FtTransferList
  readonly '/flow/ft': FungibleTokenList
  readonly '/flow/ft/stats': { readonly data: FungibleTokenStatistics }
  readonly '/flow/ft/prices': { readonly data: FtPrices }
  readonly '/flow/ft/{token}': FungibleTokenAnswer
  readonly '/flow/ft/{token}/holding': FtHoldingList
  readonly '/flow/ft/{token}/top-account': FtHoldingList
  readonly '/flow/ft/{token}/volume': FungibleTokenDayList
  readonly '/flow/nft/{nft_type}/volume': NftCollectionDayList
  readonly '/flow/account/{address}/ft': VaultList
  readonly '/flow/account/{address}/ft/{token}': VaultAnswer
  readonly '/flow/ft/{token}/account/{address}': VaultAnswer
  readonly '/flow/account/{address}/balance/history': BalanceHistory
  readonly '/flow/account/{address}/transfer': AccountTransferList
  readonly '/flow/account/{address}/tax-report': TaxReportAnswer
  readonly '/flow/nft/transfer': NftTransferList
  readonly '/flow/account/{address}/nft/transfer': NftTransferList
  readonly '/flow/nft/{nft_type}/item/{id}/transfer': NftTransferList
  readonly '/flow/nft/search': NftItemList
  readonly '/flow/nft': NftCollectionList
  readonly '/flow/nft/stats': { readonly data: NftStatistics }
  readonly '/flow/nft/{nft_type}': NftCollectionAnswer
  readonly '/flow/nft/{nft_type}/holding': NftHolderList
  readonly '/flow/nft/{nft_type}/top-account': NftHolderList
  readonly '/flow/nft/{nft_type}/item': NftItemList
  readonly '/flow/nft/{nft_type}/item/{id}': NftItemAnswer
  readonly '/flow/account/{address}/nft': AccountNftCollectionList
  readonly '/flow/account/{address}/nft/{nft_type}': NftItemList
  readonly '/flow/evm/transaction': EvmTransactionList
  readonly '/flow/evm/transaction/{hash}': EvmTransactionAnswer
  readonly '/flow/evm/transaction/{hash}/logs': EvmLogList
  readonly '/flow/evm/transaction/{hash}/token-transfers': EvmTokenTransferList
  readonly '/flow/evm/token': EvmTokenList
  readonly '/flow/evm/token/{address}': EvmTokenAnswer
  readonly '/flow/evm/token/{address}/holding': EvmHolderList
  readonly '/flow/evm/token/{address}/token-transfers': EvmTokenTransferList
  readonly '/flow/evm/address/{address}': EvmAddressAnswer
  readonly '/flow/evm/address/{address}/token': EvmHoldingList
  readonly '/flow/evm/address/{address}/nft': EvmItemList
  readonly '/flow/evm/address/{address}/transactions': EvmTransactionList
  readonly '/flow/evm/address/{address}/token-transfers': EvmTokenTransferList
  readonly '/insights/daily': DailyNumbersList
  readonly '/insights/daily/module/{module}': DailyModuleNumbersList
  readonly '/insights/transfers/daily': DailyTransfersList
  readonly '/status/price': PriceList
  readonly '/status/price/at': PriceAtList
  readonly '/status/price/history': PriceSampleList
  readonly '/status/prices': PricesList
  readonly '/status/stat': PeriodNumbersList
  readonly '/status/stat/{timescale}/trend': PeriodNumbersList
  readonly '/status/flow/stat': ChainNumbersList
  readonly '/status/count': ChainCountsList
  readonly '/flow/account/{address}/contract/{name}': AccountContract
  readonly '/flow/key/{publicKey}': PublicKeyList
  readonly '/flow/coa/{address}': CoaMappingList
  readonly '/flow/account/{address}/storage': AccountStorage
  readonly '/flow/account/{address}/storage/links': StorageLinks
  readonly '/flow/account/{address}/storage/item': StorageItem
  readonly '/flow/account': AccountList
  readonly '/flow/account/{address}': AccountAnswer
  readonly '/flow/account/{address}/labels': AccountLabelList
  readonly '/status/epoch/status': EpochStatusList
  readonly '/status/epoch/stat': EpochNumbersList
  readonly '/status/tokenomics': NetworkTokenomicsList
  readonly '/status/nodes': NetworkNodeList
  readonly '/insights/big-transfers': BigTransferList
  readonly '/insights/top-contracts': BusyContractList
  readonly '/insights/token-volume': TokenVolumeList
  readonly '/flow/node': NodeList
  readonly '/flow/node/{node_id}': NodeAnswer
  readonly '/staking/epoch/{epoch}/nodes': NodeList
  readonly '/staking/delegator': DelegatorList
  readonly '/staking/epoch/stats': EpochStatsList
  readonly '/staking/rewards/paid': StakingEventList
  readonly '/staking/rewards/staking': StakingEventList
  readonly '/staking/node/{node_id}/event': StakingEventList
  readonly '/staking/tokenomics': StakingTokenomicsList
  readonly '/staking/account/{address}': AccountStakeAnswer
  readonly '/staking/account/{address}/event': StakingEventList
  readonly '/flow/account/{address}/staking/activity': StakingEventList
  readonly '/flow/contract': ContractList
  readonly '/flow/contract/{identifier}': ContractList
  readonly '/flow/contract/{identifier}/version': ContractVersionList
  readonly '/flow/contract/{identifier}/version/{version}': ContractVersionAnswer
  readonly '/flow/contract/{identifier}/dependencies': ContractDependenciesList
  readonly '/flow/contract/{identifier}/events': ContractEventTypeList
  readonly '/flow/contract/{identifier}/scripts': ContractScriptList
  readonly '/defi/asset': DefiAssetList
  readonly '/defi/pair': DefiPairList
  readonly '/defi/events': DefiEventList
  readonly '/defi/latest-swap': DefiEventAnswer
  readonly '/flow/scheduled-transaction': ScheduledTransactionList
  readonly '/flow/scheduled-transaction/{id}': ScheduledTransactionAnswer
  readonly '/flow/account/{address}/scheduled-transaction': ScheduledTransactionList
  readonly '/flow/scheduled-handler': ScheduledHandlerList
  readonly '/flow/scheduled-handler/{id}': ScheduledHandlerAnswer
  readonly '/flow/search': { readonly data: SearchResult }
  readonly '/flow/search/preview': { readonly data: TransactionPreview | AddressPreview }
  readonly '/webhooks/event-types': WebhookEventTypeList
  readonly '/api/v1/event-types': ClientEventTypeItems
  readonly '/health': Health
  readonly '/status': IndexingStatus
}

export interface BlockList {
  readonly data: readonly Block[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Block {
  readonly height: number
  /** 64 hex digits, no 0x. */
  readonly id: string
  /** 64 hex digits, no 0x. */
  readonly parent_id: string
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  /** Transactions, system transactions included. */
  readonly tx_count: number
  /** Events of all transactions. */
  readonly event_count: number
  /** The same as parent_id; some clients of the Flow explorer API read this name. */
  readonly parent_hash: string
  /** Computation that its transactions used. Null, like what follows, while the block is not derived yet. */
  readonly total_gas_used: number | null
  /** Transactions that executed EVM transactions. */
  readonly evm_tx_count: number | null
  /** Fees that were deducted, in FLOW. */
  readonly fees: string | null
}

export interface PageInfo {
  /** Most items of a page; absent where the list is not paged. */
  readonly limit?: number
  /** Items of this page. */
  readonly count: number
}

export interface BlockAnswer {
  readonly data: readonly BlockDetail[]
}

export interface BlockDetail {
  readonly height: number
  /** 64 hex digits, no 0x. */
  readonly id: string
  /** 64 hex digits, no 0x. */
  readonly parent_id: string
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  /** Transactions, system transactions included. */
  readonly tx_count: number
  /** Events of all transactions. */
  readonly event_count: number
  /** The same as parent_id; some clients of the Flow explorer API read this name. */
  readonly parent_hash: string
  /** Computation that its transactions used. Null, like what follows, while the block is not derived yet. */
  readonly total_gas_used: number | null
  /** Transactions that executed EVM transactions. */
  readonly evm_tx_count: number | null
  /** Fees that were deducted, in FLOW. */
  readonly fees: string | null
  /** The guaranteed collections, in order; the system collection is none of them. */
  readonly collections: readonly Collection[]
  /** Summaries of all transactions, as the live feed sends them. */
  readonly transactions: readonly TransactionSummary[]
}

export interface Collection {
  /** 64 hex digits, no 0x. */
  readonly id: string
  readonly tx_count: number
  readonly transaction_ids: readonly string[]
}

export interface TransactionSummary {
  /** 64 hex digits, no 0x. */
  readonly id: string
  readonly block_height: number
  /** SEALED, or UNKNOWN where no access node can serve the result. */
  readonly status: string
  /** 16 hex digits, no 0x. The zero address for system transactions, which nobody pays. */
  readonly payer_address: string
  /** 16 hex digits, no 0x. The zero address for system transactions, which nobody pays. */
  readonly proposer_address: string
  /** Time of the block. */
  readonly timestamp: string
  readonly execution_status: 'SUCCESS' | 'FAILURE' | 'UNKNOWN'
  /** Whether the script imports EVM or an EVM transaction was executed. */
  readonly is_evm: boolean
  /** SHA-256 of the script. */
  readonly script_hash: string
  /** What kind of script it is: uppercase words where it is of a known template or its calls say so (FT_TRANSFER, NFT_LISTING, STAKING, …), lowercase ones by the contracts that it imports (marketplace, defi, token_transfer, …, else contract_call); empty where nothing is known. */
  readonly template_category: string
  /** Name of the script; empty where that is not known. */
  readonly template_label: string
  readonly tags: readonly ('EVM' | 'EVM_BRIDGE' | 'FT_TRANSFER' | 'NFT_TRANSFER' | 'MARKETPLACE' | 'SWAP' | 'LIQUIDITY' | 'STAKING' | 'LIQUID_STAKING' | 'TOKEN_MINT' | 'TOKEN_BURN' | 'CONTRACT_DEPLOY' | 'ACCOUNT_CREATED' | 'KEY_UPDATE' | 'SCHEDULED_TX')[]
  /** Empty where the transaction succeeded. */
  readonly error_message: string
}

export interface TransactionList {
  readonly data: readonly Transaction[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Transaction {
  /** 64 hex digits, no 0x. */
  readonly id: string
  readonly block_height: number
  /** SEALED, or UNKNOWN where no access node can serve the result. */
  readonly status: string
  /** 16 hex digits, no 0x. The zero address for system transactions, which nobody pays. */
  readonly payer_address: string
  /** 16 hex digits, no 0x. The zero address for system transactions, which nobody pays. */
  readonly proposer_address: string
  /** Time of the block. */
  readonly timestamp: string
  readonly execution_status: 'SUCCESS' | 'FAILURE' | 'UNKNOWN'
  /** Whether the script imports EVM or an EVM transaction was executed. */
  readonly is_evm: boolean
  /** SHA-256 of the script. */
  readonly script_hash: string
  /** What kind of script it is: uppercase words where it is of a known template or its calls say so (FT_TRANSFER, NFT_LISTING, STAKING, …), lowercase ones by the contracts that it imports (marketplace, defi, token_transfer, …, else contract_call); empty where nothing is known. */
  readonly template_category: string
  /** Name of the script; empty where that is not known. */
  readonly template_label: string
  readonly tags: readonly ('EVM' | 'EVM_BRIDGE' | 'FT_TRANSFER' | 'NFT_TRANSFER' | 'MARKETPLACE' | 'SWAP' | 'LIQUIDITY' | 'STAKING' | 'LIQUID_STAKING' | 'TOKEN_MINT' | 'TOKEN_BURN' | 'CONTRACT_DEPLOY' | 'ACCOUNT_CREATED' | 'KEY_UPDATE' | 'SCHEDULED_TX')[]
  /** Empty where the transaction succeeded. */
  readonly error_message: string
  /** Position in the block; user transactions come before system transactions. */
  readonly transaction_index: number
  /** The zero address for system transactions, which nobody pays. */
  readonly payer: string
  /** The zero address for system transactions, which nobody pays. */
  readonly proposer: string
  readonly proposer_key_index: number | null
  readonly proposer_sequence_number: number | null
  readonly authorizers: readonly string[]
  /** The same as error_message; some clients of the Flow explorer API read this name. */
  readonly error: string
  /** What the payer paid, in FLOW; 0 where no fee was deducted. Null where no access node can serve the result. */
  readonly fee: string | null
  /** The same at the latest price of FLOW; null where none is known. */
  readonly fee_usd: string | null
  /** Computation that the transaction asked for. */
  readonly gas_limit: number
  /** Computation used; where the node leaves that 0, what the fee was computed from; null where no access node can serve the result. */
  readonly gas_used: number | null
  readonly event_count: number
  /** Hash of the first EVM transaction that it executed. */
  readonly evm_hash: string | null
  /** The block that bounds its life; null for system transactions. */
  readonly reference_block_id: string | null
  /** Contracts that the script imports, A.<address>.<name>; none for system transactions. */
  readonly contract_imports: readonly string[]
  /** Null while the transfers of the block are not derived yet. */
  readonly transfer_summary: TransferSummary | null
  /** Empty in lists, but for those that take `include_events`. */
  readonly events: readonly Event[]
}

export interface TransferSummary {
  readonly ft: readonly FungibleSummary[]
  readonly nft: readonly NonFungibleSummary[]
}

export interface FungibleSummary {
  /** A.<address>.<name> */
  readonly token: string
  /** In whole tokens: what came in or went out; without an account what changed hands in the end, or where all came back, the largest movement. */
  readonly amount: string
  /** As the account sees it that the list is asked for: in or out. Without an account: transfer. */
  readonly direction: 'in' | 'out' | 'transfer'
  /** The other side; without an account who got it in the end. Null where there is none or more than one. */
  readonly counterparty: string | null
  readonly symbol: string | null
  readonly name: string | null
  readonly logo: string | null
  /** Latest price of one whole token; null where none is known. */
  readonly usd_price: string | null
}

export interface NonFungibleSummary {
  /** A.<address>.<name>; null where items were destroyed whose collection no event tells. */
  readonly collection: string | null
  /** Items. */
  readonly count: number
  /** As the account sees it that the list is asked for: in or out. Without an account: transfer. */
  readonly direction: 'in' | 'out' | 'transfer'
  /** The other side; without an account who got it in the end. Null where there is none or more than one. */
  readonly counterparty: string | null
  readonly name: string | null
  readonly logo: string | null
  readonly banner_image: string | null
}

export interface Event {
  readonly type: string
  /** Id of the transaction. */
  readonly transaction: string
  /** Position in the transaction. */
  readonly event_index: number
  readonly block_height: number
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  /** Null for events of the protocol itself. */
  readonly contract_address: string | null
  readonly contract_name: string | null
  readonly event_name: string
  /** The fields by name: numbers as decimal text, addresses 0x and 16 hex digits, bytes as 0x hex. Null when they could not be decoded. */
  readonly payload: unknown
}

export interface ServiceEventList {
  readonly data: readonly ServiceEvent[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ServiceEvent {
  readonly block_height: number
  readonly name: string
  readonly type: string
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  /** The fields by name: numbers as decimal text, addresses 0x and 16 hex digits, bytes as 0x hex. Null when they could not be decoded. */
  readonly fields: unknown
}

export interface TransactionAnswer {
  readonly data: readonly TransactionDetail[]
}

export interface TransactionDetail {
  /** 64 hex digits, no 0x. */
  readonly id: string
  readonly block_height: number
  /** SEALED, or UNKNOWN where no access node can serve the result. */
  readonly status: string
  /** 16 hex digits, no 0x. The zero address for system transactions, which nobody pays. */
  readonly payer_address: string
  /** 16 hex digits, no 0x. The zero address for system transactions, which nobody pays. */
  readonly proposer_address: string
  /** Time of the block. */
  readonly timestamp: string
  readonly execution_status: 'SUCCESS' | 'FAILURE' | 'UNKNOWN'
  /** Whether the script imports EVM or an EVM transaction was executed. */
  readonly is_evm: boolean
  /** SHA-256 of the script. */
  readonly script_hash: string
  /** What kind of script it is: uppercase words where it is of a known template or its calls say so (FT_TRANSFER, NFT_LISTING, STAKING, …), lowercase ones by the contracts that it imports (marketplace, defi, token_transfer, …, else contract_call); empty where nothing is known. */
  readonly template_category: string
  /** Name of the script; empty where that is not known. */
  readonly template_label: string
  readonly tags: readonly ('EVM' | 'EVM_BRIDGE' | 'FT_TRANSFER' | 'NFT_TRANSFER' | 'MARKETPLACE' | 'SWAP' | 'LIQUIDITY' | 'STAKING' | 'LIQUID_STAKING' | 'TOKEN_MINT' | 'TOKEN_BURN' | 'CONTRACT_DEPLOY' | 'ACCOUNT_CREATED' | 'KEY_UPDATE' | 'SCHEDULED_TX')[]
  /** Empty where the transaction succeeded. */
  readonly error_message: string
  /** Position in the block; user transactions come before system transactions. */
  readonly transaction_index: number
  /** The zero address for system transactions, which nobody pays. */
  readonly payer: string
  /** The zero address for system transactions, which nobody pays. */
  readonly proposer: string
  readonly proposer_key_index: number | null
  readonly proposer_sequence_number: number | null
  readonly authorizers: readonly string[]
  /** The same as error_message; some clients of the Flow explorer API read this name. */
  readonly error: string
  /** What the payer paid, in FLOW; 0 where no fee was deducted. Null where no access node can serve the result. */
  readonly fee: string | null
  /** The same at the latest price of FLOW; null where none is known. */
  readonly fee_usd: string | null
  /** Computation that the transaction asked for. */
  readonly gas_limit: number
  /** Computation used; where the node leaves that 0, what the fee was computed from; null where no access node can serve the result. */
  readonly gas_used: number | null
  readonly event_count: number
  /** Hash of the first EVM transaction that it executed. */
  readonly evm_hash: string | null
  /** The block that bounds its life; null for system transactions. */
  readonly reference_block_id: string | null
  /** Contracts that the script imports, A.<address>.<name>; none for system transactions. */
  readonly contract_imports: readonly string[]
  /** Null while the transfers of the block are not derived yet. */
  readonly transfer_summary: TransferSummary | null
  /** Empty in lists, but for those that take `include_events`. */
  readonly events: readonly Event[]
  /** 64 hex digits, no 0x. */
  readonly block_id: string
  /** Null for system transactions. */
  readonly collection: { readonly id: string; readonly index: number } | null
  /** Cadence source; null with `lite`. */
  readonly script: string | null
  /** The arguments as JSON-Cadence values, in order; none with `lite`. */
  readonly arguments: unknown
  /** Without the fee. */
  readonly ft_transfers: readonly FungibleMove[]
  readonly nft_transfers: readonly NonFungibleMove[]
  readonly defi_events: readonly TransactionDefiEvent[]
  readonly evm_executions: readonly EvmExecution[]
  readonly scheduled_txs: readonly ScheduledMention[]
  /** The nearest other blocks that have a transaction with this id, at most 10. Only system transactions have any: request one with `height`. */
  readonly other_heights: readonly number[]
  /** Whether the lists of this object, script and arguments were left out on request. */
  readonly lite: boolean
}

export interface FungibleMove {
  /** A.<address>.<name> */
  readonly token: string
  /** In whole tokens. */
  readonly amount: string
  /** Null: no account. */
  readonly from_address: string | null
  /** Null: no account. */
  readonly to_address: string | null
  readonly event_index: number
  /** Counts from 0 the movements that one event tells of. */
  readonly leg: number
  /** Whether it went into EVM or out of it. */
  readonly is_cross_vm: boolean
  /** The Flow account that owns this EVM account, where that is known. */
  readonly from_coa_flow_address: string | null
  /** The Flow account that owns this EVM account, where that is known. */
  readonly to_coa_flow_address: string | null
  readonly transfer_type: 'transfer' | 'mint' | 'burn' | 'bridge' | 'escrow' | 'stake' | 'unstake' | 'reward' | 'deposit' | 'withdrawal'
  readonly token_name: string | null
  readonly token_symbol: string | null
  readonly token_logo: string | null
  readonly token_decimals: number | null
  /** Latest price of one whole token; null where none is known. */
  readonly approx_usd_price: string | null
  readonly usd_value: string | null
}

export interface NonFungibleMove {
  /** Collection, A.<address>.<name>; null where no event tells. */
  readonly token: string | null
  /** Id of the item within its collection. */
  readonly token_id: string
  /** Null: no account. */
  readonly from_address: string | null
  /** Null: no account. */
  readonly to_address: string | null
  readonly event_index: number
  /** Counts from 0 the movements that one event tells of. */
  readonly leg: number
  /** Whether it went into EVM or out of it. */
  readonly is_cross_vm: boolean
  /** The Flow account that owns this EVM account, where that is known. */
  readonly from_coa_flow_address: string | null
  /** The Flow account that owns this EVM account, where that is known. */
  readonly to_coa_flow_address: string | null
  readonly transfer_type: 'transfer' | 'mint' | 'burn' | 'bridge' | 'escrow' | 'deposit' | 'withdrawal'
  readonly collection_name: string | null
  readonly collection_logo: string | null
}

export interface TransactionDefiEvent {
  /** Swap, AddLiquidity, RemoveLiquidity, Flashloan, ProtocolFee. */
  readonly event_type: string
  readonly event_index: number
  readonly pair_id: string
  readonly dex: string | null
  readonly maker: string | null
  /** Token, A.<address>.<name>; null where nothing tells. */
  readonly asset0_id: string | null
  /** Token, A.<address>.<name>; null where nothing tells. */
  readonly asset1_id: string | null
  readonly asset0_symbol: string | null
  readonly asset1_symbol: string | null
  readonly asset0_name: string | null
  readonly asset1_name: string | null
  readonly asset0_logo: string | null
  readonly asset1_logo: string | null
  /** Whole tokens that went into the pair. */
  readonly asset0_in: string | null
  /** Whole tokens that went out of the pair. */
  readonly asset0_out: string | null
  readonly asset1_in: string | null
  readonly asset1_out: string | null
}

export interface EvmExecution {
  /** 64 hex digits, no 0x. */
  readonly hash: string
  /** Block of the EVM. */
  readonly block_number: number
  /** Position in the block of the EVM. */
  readonly position: number
  /** Event of the transaction that tells of it. */
  readonly event_index: number
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  readonly from: string | null
  readonly to: string | null
  readonly from_meta: EvmParty | null
  readonly to_meta: EvmParty | null
  /** Contract that it created. */
  readonly contract_address: string | null
  readonly status: 'SUCCESS' | 'FAILURE'
  readonly error_message: string | null
  /** 0 legacy, 1 with access list, 2 with fee caps, 4 with delegations, 255 a call that no key signed. */
  readonly type: number
  /** Of type 255: deposit, withdraw, transfer, deploy, call. */
  readonly call_type: string | null
  readonly nonce: string | null
  /** A decimal number as text, so that it stays exact. */
  readonly gas_used: string
  readonly gas_limit: string | null
  /** In attoflow; of types with fee caps the highest. */
  readonly gas_price: string | null
  /** In attoflow, 10^-18 FLOW. */
  readonly value: string | null
  /** What was given to run; null where it could not be read. */
  readonly data: string | null
  readonly logs: readonly ({ readonly address: string; readonly topics: readonly string[]; readonly data: string })[]
}

export interface EvmParty {
  readonly address: string
  /** coa: owned by a Flow account; token: a contract that moved tokens; account: all others. */
  readonly kind: 'coa' | 'token' | 'account'
  /** The Flow account that owns it, where that is known. */
  readonly flow_address: string | null
}

export interface ScheduledMention {
  /** The number that the scheduler gave it. */
  readonly scheduled_id: string
  /** What this transaction did: scheduled or cancelled it, found it due (pending), or was its run. */
  readonly matched_by: 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'
  /** As it stands now. */
  readonly status: 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'
  readonly handler_owner: string | null
  readonly handler_type: string | null
  readonly due_at: string | null
  readonly scheduled_height: number | null
  readonly ended_height: number | null
}

export interface ScriptAnswer {
  readonly data: readonly Script[]
}

export interface Script {
  /** SHA-256 of the script. */
  readonly script_hash: string
  /** Cadence source. */
  readonly script_text: string
  /** As of its transactions. */
  readonly template_category: string
  readonly template_label: string
}

export interface EventList {
  readonly data: readonly Event[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface FtTransferList {
  readonly data: readonly FtTransfer[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface FtTransfer {
  /** The account whose transfers are listed; null in lists of all. */
  readonly address: string | null
  /** Id of the transaction. */
  readonly transaction_hash: string
  readonly block_height: number
  /** Position of the transaction in the block. */
  readonly tx_index: number
  /** The event by which it arrived, by its position in the transaction. */
  readonly event_index: number
  /** Counts from 0 the transfers that this event made; nearly always 0. */
  readonly leg: number
  /** Time of the block. */
  readonly timestamp: string
  /** Null where nobody gave it, as of what was minted. */
  readonly sender: string | null
  /** Null where nobody got it, as of what was burned. */
  readonly receiver: string | null
  /** As the account sees it whose transfers are listed: withdraw where it is the sender. Without an account, withdraw for a burn, else deposit. */
  readonly direction: 'deposit' | 'withdraw'
  /** transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given out again; stake, unstake, reward: of FLOW; deposit: from where no event tells; withdrawal: to where no event tells. */
  readonly transfer_type: 'transfer' | 'mint' | 'burn' | 'bridge' | 'escrow' | 'stake' | 'unstake' | 'reward' | 'deposit' | 'withdrawal'
  /** Whole tokens, as decimal text. */
  readonly amount: string
  /** US dollars for one token: the last known price of the two days before it. Null where none is known. */
  readonly approx_usd_price: string | null
  /** US dollars for the amount at that price. */
  readonly usd_value: string | null
  readonly token: TransferredToken
}

export interface TransferredToken {
  /** Type of the vault: `A.<address>.<contract>.Vault`. */
  readonly token: string
  /** What the contract calls it, else the name of the contract. */
  readonly name: string
  /** Null, as those that follow, where the contract does not say it, or was not asked yet. */
  readonly symbol: string | null
  readonly decimals: number
  /** Address of an image. */
  readonly logo: string | null
  /** The same as logo. */
  readonly icon: string | null
}

export interface FungibleTokenList {
  readonly data: readonly FungibleToken[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface FungibleToken {
  /** Token, `A.<address>.<name>`; a further part where its vaults are not named Vault. */
  readonly id: string
  /** Account of the contract. */
  readonly address: string
  readonly contract_name: string
  /** What the contract calls the token, else contract_name. */
  readonly name: string
  /** Null where the contract does not say it, or was not asked yet. */
  readonly symbol: string | null
  /** Decimals of its amounts: 8, as all of the chain have. */
  readonly decimals: number
  /** Null where the contract does not say it, or was not asked yet. */
  readonly description: string | null
  /** Null where the contract does not say it, or was not asked yet. */
  readonly external_url: string | null
  /** Address of an image. Null where the contract does not say it, or was not asked yet. */
  readonly icon: string | null
  /** The same as icon; some clients of the Flow explorer API read this. */
  readonly logo: string | null
  /** Addresses by the name of the network. Null where the contract does not say it, or was not asked yet. */
  readonly socials: Readonly<Record<string, string>> | null
  /** Where accounts keep it, /storage/…. Null where the contract does not say it, or was not asked yet. */
  readonly vault_path: string | null
  /** Where it can be sent to, /public/…. Null where the contract does not say it, or was not asked yet. */
  readonly receiver_path: string | null
  /** Where the balance can be read, /public/…. Null where the contract does not say it, or was not asked yet. */
  readonly balance_path: string | null
  /** The ERC-20 that the bridge has associated with it; null where there is none. */
  readonly evm_address: string | null
  /** Whether there is one. */
  readonly evm_bridged: boolean
  /** Whether the account of the contract is a known one: it has a label. */
  readonly is_verified: boolean
  /** Accounts with a balance above zero. */
  readonly holder_count: number
  /** Transfers that are indexed, fees aside. */
  readonly transfer_count: number
  /** Those of the last 24 indexed hours, without what the bridge locks up and gives back. */
  readonly recent_transfer_count: number
  /** Whole tokens that those moved. */
  readonly recent_volume: string
  /** Whole tokens that were minted, as far as it is indexed. */
  readonly minted: string
  /** Whole tokens that were burned, as far as it is indexed. */
  readonly burned: string
  /** What the contract says that there is of it. Null where the contract does not say it, or was not asked yet. */
  readonly total_supply: string | null
  /** Block of the first transfer that is indexed. */
  readonly first_height: number | null
  /** Time of the block that added the contract; null while not indexed. */
  readonly deployed_at: string | null
  /** Symbol that the price feed gives it. Null where no price of the last two days is known. */
  readonly market_symbol: string | null
  /** US dollars for one token. Null where no price of the last two days is known. */
  readonly current_price: string | null
  /** Change to the price of a day before, in percent, 2 decimals. Null where that is not known. */
  readonly price_change_24h: number | null
  /** When the contract was last asked what it says of the token. */
  readonly updated_at: string | null
}

export interface FungibleTokenStatistics {
  /** Tokens that were seen to move. */
  readonly total: number
  /** Those of which a price of the last two days is known. */
  readonly with_price: number
  /** Those with which the bridge has associated an ERC-20. */
  readonly evm_bridged: number
  /** Transfers that are indexed, fees aside. */
  readonly total_transfers: number
  /** Holders of all tokens, added up: who has several is counted for each. */
  readonly total_holdings: number
}

export type FtPrices = Readonly<Record<string, AssetPrices>>

export interface AssetPrices {
  /** US dollars for one whole token, as decimal text. */
  readonly current: string
  /** The time for which the feed gave it. */
  readonly as_of: string
  /** The last price of each day, the earliest first; days without one are left out. */
  readonly history: readonly ({ readonly date: string; readonly price: string })[]
  /** Tokens that have the symbol; the prices are those of the one with the newest. */
  readonly identifiers: readonly string[]
}

export interface FungibleTokenAnswer {
  readonly data: readonly FungibleToken[]
}

export interface FtHoldingList {
  readonly data: readonly FtHolding[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface FtHolding {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Token, `A.<address>.<name>`; a further part where its vaults are not named Vault. */
  readonly token: string
  /** Whole tokens in all its vaults, those inside of its contracts and resources included. */
  readonly balance: string
  /** What part that is of the total supply, 0 to 1; null where the contract does not say that, or was not asked yet. */
  readonly percentage: number | null
  /** True: the chain itself told the balance of each vault. False: a sum of movements of before Cadence 1.0, which lacks what is not indexed. */
  readonly is_complete: boolean
}

export interface FungibleTokenDayList {
  readonly data: readonly FungibleTokenDay[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface FungibleTokenDay {
  /** Day, UTC. */
  readonly date: string
  /** Transfers, without fees and without what the bridge locks up and gives back. */
  readonly transfer_count: number
  /** Whole tokens that they moved. */
  readonly volume: string
  /** In US dollars, at the last price of that day or the day before; null where none is known. */
  readonly usd_volume: string | null
}

export interface NftCollectionDayList {
  readonly data: readonly NftCollectionDay[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface NftCollectionDay {
  /** Day, UTC. */
  readonly date: string
  /** Transfers, without what the bridge locks up and gives back. */
  readonly transfer_count: number
}

export interface VaultList {
  readonly data: readonly Vault[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Vault {
  /** `<address>:<token>`. */
  readonly id: string
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Type of the vault: `A.<address>.<contract>.Vault`. */
  readonly token: string
  /** What the contract calls the token, else the name of the contract. */
  readonly name: string
  /** Null where the contract does not say it, or was not asked yet. */
  readonly symbol: string | null
  readonly decimals: number
  /** Address of an image. Null where the contract does not say it, or was not asked yet. */
  readonly icon: string | null
  /** The same as icon. */
  readonly logo: string | null
  /** Whole tokens in all its vaults, those inside of its contracts and resources included. */
  readonly balance: string
  /** Vaults of the token that were seen in it last, empty ones included; 0 where it had them before Cadence 1.0. */
  readonly vault_count: number
  /** Where accounts keep the vault, /storage/…. Null where the contract does not say it, or was not asked yet. */
  readonly path: string | null
  /** True: the chain itself told the balance of each vault. False: a sum of movements of before Cadence 1.0, which lacks what is not indexed. */
  readonly is_complete: boolean
  /** US dollars for one token; null where no price of the last two days is known. */
  readonly usd_price: string | null
  /** US dollars for the balance at that price. */
  readonly usd_value: string | null
}

export interface VaultAnswer {
  readonly data: readonly VaultDetail[]
}

export interface VaultDetail {
  /** `<address>:<token>`. */
  readonly id: string
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Type of the vault: `A.<address>.<contract>.Vault`. */
  readonly token: string
  /** What the contract calls the token, else the name of the contract. */
  readonly name: string
  /** Null where the contract does not say it, or was not asked yet. */
  readonly symbol: string | null
  readonly decimals: number
  /** Address of an image. Null where the contract does not say it, or was not asked yet. */
  readonly icon: string | null
  /** The same as icon. */
  readonly logo: string | null
  /** Whole tokens in all its vaults, those inside of its contracts and resources included. */
  readonly balance: string
  /** Vaults of the token that were seen in it last, empty ones included; 0 where it had them before Cadence 1.0. */
  readonly vault_count: number
  /** Where accounts keep the vault, /storage/…. Null where the contract does not say it, or was not asked yet. */
  readonly path: string | null
  /** True: the chain itself told the balance of each vault. False: a sum of movements of before Cadence 1.0, which lacks what is not indexed. */
  readonly is_complete: boolean
  /** US dollars for one token; null where no price of the last two days is known. */
  readonly usd_price: string | null
  /** US dollars for the balance at that price. */
  readonly usd_value: string | null
  /** Block of the last transfer of the token that the account gave or got; fees are none. */
  readonly block_height: number | null
}

export interface BalanceHistory {
  readonly data: readonly BalancePoint[]
  /** All days that were asked for are here. */
  readonly has_more: false
  readonly cursor: ''
  readonly _meta: { readonly token: string; readonly days: number; readonly count: number; readonly current_balance: string }
}

export interface BalancePoint {
  /** Day, UTC. */
  readonly date: string
  /** Whole tokens at the end of the day, as decimal text. Null where blocks since then are not indexed. */
  readonly balance: string | null
}

export interface AccountTransferList {
  readonly data: readonly (AccountFtTransfer | AccountNftTransfer)[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface AccountFtTransfer {
  /** The account whose transfers are listed; null in lists of all. */
  readonly address: string | null
  /** Id of the transaction. */
  readonly transaction_hash: string
  readonly block_height: number
  /** Position of the transaction in the block. */
  readonly tx_index: number
  /** The event by which it arrived, by its position in the transaction. */
  readonly event_index: number
  /** Counts from 0 the transfers that this event made; nearly always 0. */
  readonly leg: number
  /** Time of the block. */
  readonly timestamp: string
  /** Null where nobody gave it, as of what was minted. */
  readonly sender: string | null
  /** Null where nobody got it, as of what was burned. */
  readonly receiver: string | null
  /** As the account sees it whose transfers are listed: withdraw where it is the sender. Without an account, withdraw for a burn, else deposit. */
  readonly direction: 'deposit' | 'withdraw'
  /** transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given out again; stake, unstake, reward: of FLOW; deposit: from where no event tells; withdrawal: to where no event tells. */
  readonly transfer_type: 'transfer' | 'mint' | 'burn' | 'bridge' | 'escrow' | 'stake' | 'unstake' | 'reward' | 'deposit' | 'withdrawal'
  /** Whole tokens, as decimal text. */
  readonly amount: string
  /** US dollars for one token: the last known price of the two days before it. Null where none is known. */
  readonly approx_usd_price: string | null
  /** US dollars for the amount at that price. */
  readonly usd_value: string | null
  readonly token: TransferredToken
  readonly type: 'ft'
}

export interface AccountNftTransfer {
  /** The account whose transfers are listed; null in lists of all. */
  readonly address: string | null
  /** Id of the transaction. */
  readonly transaction_hash: string
  readonly block_height: number
  /** Position of the transaction in the block. */
  readonly tx_index: number
  /** The event by which it arrived, by its position in the transaction. */
  readonly event_index: number
  /** Counts from 0 the transfers that this event made; nearly always 0. */
  readonly leg: number
  /** Time of the block. */
  readonly timestamp: string
  /** Null where nobody gave it, as of what was minted. */
  readonly sender: string | null
  /** Null where nobody got it, as of what was burned. */
  readonly receiver: string | null
  /** As the account sees it whose transfers are listed: withdraw where it is the sender. Without an account, withdraw for a burn, else deposit. */
  readonly direction: 'deposit' | 'withdraw'
  /** transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given out again; deposit: from where no event tells; withdrawal: to where no event tells. */
  readonly transfer_type: 'transfer' | 'mint' | 'burn' | 'bridge' | 'escrow' | 'deposit' | 'withdrawal'
  /** Collection, `A.<address>.<name>`. Null where an item was destroyed of which only id and uuid are told, and which was not seen before. */
  readonly nft_type: string | null
  /** Id within the collection: a whole number below 2^64, as text. */
  readonly nft_id: string
  /** What the item calls itself, else the name of the contract with #id. */
  readonly name: string
  /** A URI; null where the item does not say it, was not asked yet, or has an image itself for it, data:…, which the item shows. */
  readonly thumbnail: string | null
  /** Who has the item now; null where it is no more, or lies where no event tells. */
  readonly current_owner: string | null
  /** Null where an item was destroyed of which only id and uuid are told, and which was not seen before. */
  readonly collection: TransferredCollection | null
  readonly type: 'nft'
}

export interface TransferredCollection {
  /** What the contract calls the collection, else the name of the contract. */
  readonly name: string
  /** Address of an image; null where the contract does not say it, or was not asked yet. */
  readonly image: string | null
  /** Null like image. */
  readonly description: string | null
}

export interface TaxReportAnswer {
  readonly data: readonly TaxReport[]
  /** Whether there are more after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor`, and the same days, for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: { readonly limit: number; readonly count: number }
}

export interface TaxReport {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** First day of the report, UTC. */
  readonly start_date: string
  /** Last day of the report, UTC, inclusive. */
  readonly end_date: string
  /** Transfers of these days, on all pages. As all totals, null but on the first page. */
  readonly total_transfers: number | null
  /** Those of fungible tokens. */
  readonly ft_transfers: number | null
  /** Those of items. */
  readonly nft_transfers: number | null
  /** Transactions of these days that it paid for. */
  readonly fee_count: number | null
  /** What it paid for them, in FLOW. */
  readonly total_fees: string | null
  /** Totals of these days for each fungible token, on all pages. */
  readonly tokens: readonly TaxReportToken[] | null
  /** Totals of these days for each collection, on all pages. */
  readonly collections: readonly TaxReportCollection[] | null
  /** US dollars for one FLOW now; null where no price of the last two days is known. */
  readonly flow_price_usd: string | null
  /** Of this page, fees among them, the newest first. */
  readonly transfers: readonly (AccountFtTransfer | AccountNftTransfer | AccountFee)[]
}

export interface TaxReportToken {
  /** Token, `A.<address>.<name>`; a further part where its vaults are not named Vault. */
  readonly token: string
  /** What the contract calls the token, else the name of the contract. */
  readonly name: string
  readonly symbol: string | null
  /** Whole tokens that it got. */
  readonly received: string
  /** Whole tokens that it gave, fees aside. */
  readonly sent: string
  /** Whole tokens that it paid for transactions: 0 but of FLOW. */
  readonly fees: string
  /** received less sent and fees. */
  readonly net: string
  readonly received_count: number
  /** A transfer from the account to itself is in both counts. */
  readonly sent_count: number
  /** Transactions that it paid for. */
  readonly fee_count: number
}

export interface TaxReportCollection {
  /** Null: items were destroyed of which the collection is not told. */
  readonly nft_type: string | null
  readonly received_count: number
  readonly sent_count: number
}

export interface AccountFee {
  /** The account whose transfers are listed; null in lists of all. */
  readonly address: string | null
  /** Id of the transaction. */
  readonly transaction_hash: string
  readonly block_height: number
  /** Position of the transaction in the block. */
  readonly tx_index: number
  /** The event by which it arrived, by its position in the transaction. */
  readonly event_index: number
  /** Counts from 0 the transfers that this event made; nearly always 0. */
  readonly leg: number
  /** Time of the block. */
  readonly timestamp: string
  /** Null where nobody gave it, as of what was minted. */
  readonly sender: string | null
  /** Null where nobody got it, as of what was burned. */
  readonly receiver: string | null
  /** As the account sees it whose transfers are listed: withdraw where it is the sender. Without an account, withdraw for a burn, else deposit. */
  readonly direction: 'deposit' | 'withdraw'
  readonly transfer_type: 'fee'
  /** Whole tokens, as decimal text. */
  readonly amount: string
  /** US dollars for one token: the last known price of the two days before it. Null where none is known. */
  readonly approx_usd_price: string | null
  /** US dollars for the amount at that price. */
  readonly usd_value: string | null
  readonly token: TransferredToken
  readonly type: 'fee'
}

export interface NftTransferList {
  readonly data: readonly NftTransfer[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface NftTransfer {
  /** The account whose transfers are listed; null in lists of all. */
  readonly address: string | null
  /** Id of the transaction. */
  readonly transaction_hash: string
  readonly block_height: number
  /** Position of the transaction in the block. */
  readonly tx_index: number
  /** The event by which it arrived, by its position in the transaction. */
  readonly event_index: number
  /** Counts from 0 the transfers that this event made; nearly always 0. */
  readonly leg: number
  /** Time of the block. */
  readonly timestamp: string
  /** Null where nobody gave it, as of what was minted. */
  readonly sender: string | null
  /** Null where nobody got it, as of what was burned. */
  readonly receiver: string | null
  /** As the account sees it whose transfers are listed: withdraw where it is the sender. Without an account, withdraw for a burn, else deposit. */
  readonly direction: 'deposit' | 'withdraw'
  /** transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given out again; deposit: from where no event tells; withdrawal: to where no event tells. */
  readonly transfer_type: 'transfer' | 'mint' | 'burn' | 'bridge' | 'escrow' | 'deposit' | 'withdrawal'
  /** Collection, `A.<address>.<name>`. Null where an item was destroyed of which only id and uuid are told, and which was not seen before. */
  readonly nft_type: string | null
  /** Id within the collection: a whole number below 2^64, as text. */
  readonly nft_id: string
  /** What the item calls itself, else the name of the contract with #id. */
  readonly name: string
  /** A URI; null where the item does not say it, was not asked yet, or has an image itself for it, data:…, which the item shows. */
  readonly thumbnail: string | null
  /** Who has the item now; null where it is no more, or lies where no event tells. */
  readonly current_owner: string | null
  /** Null where an item was destroyed of which only id and uuid are told, and which was not seen before. */
  readonly collection: TransferredCollection | null
}

export interface NftItemList {
  readonly data: readonly NftItem[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface NftItem {
  /** Id within the collection: a whole number below 2^64, as text. */
  readonly id: string
  /** The same as id. */
  readonly nft_id: string
  /** Uuid of the resource; null where it did not move since Cadence 1.0. */
  readonly uuid: string | null
  /** Collection, `A.<address>.<name>`; a further part where its items are not named NFT. */
  readonly nft_type: string
  /** Cadence type of the item. */
  readonly type: string
  /** What the item calls itself, else the name of the contract with #id. */
  readonly name: string
  /** Null where the item does not say it, or was not asked yet. */
  readonly description: string | null
  /** A URI, maybe the image itself as data:…. Null where the item does not say it, or was not asked yet. */
  readonly thumbnail: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly external_url: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly serial_number: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly edition_name: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly edition_number: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly edition_max: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly rarity_score: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly rarity_description: string | null
  /** Null where the item does not say it, or was not asked yet. */
  readonly traits: readonly ({ readonly name: string; readonly value: string | null; readonly displayType: string | null; readonly rarity: string | null })[] | null
  /** Who has it now; null where it is no more, or lies where no event tells. */
  readonly owner: string | null
  /** The same as owner. */
  readonly current_owner: string | null
  /** What tells the owner: its transfers, or the chain itself, which was asked since and says otherwise. */
  readonly owner_source: 'transfers' | 'chain'
  /** It was destroyed. */
  readonly is_burned: boolean
  /** Block of its last transfer, or at which the chain was asked for its owner. */
  readonly block_height: number
  /** Time of that block; null where the block is not stored. */
  readonly timestamp: string | null
  /** When it was last asked what it says of itself. */
  readonly updated_at: string | null
}

export interface NftCollectionList {
  readonly data: readonly NftCollection[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface NftCollection {
  /** Collection, `A.<address>.<name>`; a further part where its items are not named NFT. */
  readonly id: string
  /** The same as id. */
  readonly nft_type: string
  /** Account of the contract. */
  readonly address: string
  readonly contract_name: string
  /** What the contract calls the collection, else contract_name. */
  readonly name: string
  /** The same as name; some clients of the Flow explorer API read this. */
  readonly display_name: string
  /** Null where the contract does not say it, or was not asked yet. */
  readonly description: string | null
  /** Null where the contract does not say it, or was not asked yet. */
  readonly external_url: string | null
  /** Null where the contract does not say it, or was not asked yet. */
  readonly square_image: string | null
  /** Null where the contract does not say it, or was not asked yet. */
  readonly banner_image: string | null
  /** Addresses by the name of the network. Null where the contract does not say it, or was not asked yet. */
  readonly socials: Readonly<Record<string, string>> | null
  /** The ERC-721 that the bridge has associated with it; null where there is none. */
  readonly evm_address: string | null
  /** Whether there is one. */
  readonly evm_bridged: boolean
  /** Whether the account of the contract is a known one: it has a label. */
  readonly is_verified: boolean
  /** Where accounts keep it, /storage/…. Null where the contract does not say it, or was not asked yet. */
  readonly storage_path: string | null
  /** Where it can be looked at, /public/…. Null where the contract does not say it, or was not asked yet. */
  readonly public_path: string | null
  /** Items that are in somebody's collection, by their transfers. */
  readonly number_of_tokens: number
  /** Items that ever moved, those that are no more included. */
  readonly seen_count: number
  /** Accounts that own at least one item, by their transfers. */
  readonly holder_count: number
  /** Transfers of its items that are indexed. */
  readonly transfer_count: number
  /** Those of the last 24 indexed hours, without what the bridge locks up and gives back. */
  readonly recent_transfer_count: number
  /** Items that were minted. */
  readonly mint_count: number
  /** Items that were destroyed by an event that names the collection. */
  readonly burn_count: number
  /** Block of the first transfer that is indexed. */
  readonly first_height: number | null
  /** Time of that block. */
  readonly timestamp: string | null
  /** When the contract was last asked what it says of the collection. */
  readonly updated_at: string | null
}

export interface NftStatistics {
  /** Collections of which an item was seen to move. */
  readonly total: number
  /** Items that are in somebody's collection. */
  readonly total_nfts: number
  /** Transfers that are indexed. */
  readonly total_transfers: number
  /** Collections with which the bridge has associated an ERC-721. */
  readonly evm_bridged: number
}

export interface NftCollectionAnswer {
  readonly data: readonly NftCollection[]
}

export interface NftHolderList {
  readonly data: readonly NftHolder[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface NftHolder {
  /** 0x and 16 hex digits; 40 for an account of Flow EVM. */
  readonly owner: string
  /** Collection, `A.<address>.<name>`; a further part where its items are not named NFT. */
  readonly nft_type: string
  /** Items of the collection that it owns, by their transfers. */
  readonly count: number
  /** What part that is of all items that are in somebody's collection, 0 to 1. */
  readonly percentage: number
}

export interface NftItemAnswer {
  readonly data: readonly NftItem[]
}

export interface AccountNftCollectionList {
  readonly data: readonly AccountNftCollection[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface AccountNftCollection {
  /** Collection, `A.<address>.<name>`; a further part where its items are not named NFT. */
  readonly id: string
  /** The same as id. */
  readonly nft_type: string
  /** Account of the contract. */
  readonly address: string
  readonly contract_name: string
  /** What the contract calls the collection, else contract_name. */
  readonly name: string
  /** The same as name; some clients of the Flow explorer API read this. */
  readonly display_name: string
  /** Null where the contract does not say it, or was not asked yet. */
  readonly description: string | null
  /** Null where the contract does not say it, or was not asked yet. */
  readonly external_url: string | null
  /** Null where the contract does not say it, or was not asked yet. */
  readonly square_image: string | null
  /** Null where the contract does not say it, or was not asked yet. */
  readonly banner_image: string | null
  /** Addresses by the name of the network. Null where the contract does not say it, or was not asked yet. */
  readonly socials: Readonly<Record<string, string>> | null
  /** The ERC-721 that the bridge has associated with it; null where there is none. */
  readonly evm_address: string | null
  /** Whether there is one. */
  readonly evm_bridged: boolean
  /** Whether the account of the contract is a known one: it has a label. */
  readonly is_verified: boolean
  /** Items of the collection that the account has, by their transfers. */
  readonly number_of_tokens: number
  /** Items that the chain itself showed in the account's storage when it was last asked; null where it was not. */
  readonly chain_count: number | null
  /** Height of the state that was looked at then. */
  readonly chain_height: number | null
}

export interface EvmTransactionList {
  readonly data: readonly EvmTransaction[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EvmTransaction {
  /** 0x and 64 hex digits. */
  readonly hash: string
  /** 64 hex digits, no 0x. */
  readonly evm_hash: string
  /** The Flow transaction that executed it. */
  readonly transaction_id: string
  /** Flow block. */
  readonly block_height: number
  /** Position of the Flow transaction in its block. */
  readonly transaction_index: number
  /** Its EVM.TransactionExecuted event in the Flow transaction. */
  readonly event_index: number
  /** Time of the Flow block. */
  readonly timestamp: string
  /** Block of the EVM. */
  readonly block_number: number
  /** Position in the block of the EVM. */
  readonly position: number
  /** Null where the payload of the event could not be read. */
  readonly from: EvmAddressReference | null
  /** Null where it creates a contract. Null where the payload of the event could not be read. */
  readonly to: EvmAddressReference | null
  readonly created_contract: EvmAddressReference | null
  readonly evm_from: string | null
  readonly evm_to: string | null
  /** In attoflow, 10^-18 FLOW. */
  readonly evm_value: string | null
  readonly evm_gas_used: number
  /** 1 succeeded, 0 failed. */
  readonly evm_status: number
  /** As evm_value. */
  readonly value: string | null
  /** Null where the payload of the event could not be read. */
  readonly gas_limit: string | null
  /** A decimal number as text, so that it stays exact. */
  readonly gas_used: string
  /** In attoflow; null for types that have none: see max_fee_per_gas. */
  readonly gas_price: string | null
  readonly max_fee_per_gas: string | null
  readonly max_priority_fee_per_gas: string | null
  /** gas_used × gas_price in attoflow; null where it has no gas_price. */
  readonly fee: { readonly type: 'actual'; readonly value: string } | null
  /** What has not run may say any number of 64 bits. Null where the payload of the event could not be read. */
  readonly nonce: string | null
  /** 0 legacy, 1 with access list, 2 with fee caps, 4 with delegations, 255 a call that no key signed. */
  readonly type: number
  /** Of type 255: deposit, withdraw, transfer, deploy or call. */
  readonly call_type: string | null
  readonly status: 'ok' | 'error'
  /** success, or why it failed. */
  readonly result: string
  /** 0 none; 201 to 300 it was not valid, 301 to 400 it was run and failed. */
  readonly error_code: number
  /** Name of the function where it is a common one, else its selector, 0x and 8 hex digits; null without input. */
  readonly method: string | null
  /** Null where the payload of the event could not be read. */
  readonly raw_input: string | null
  /** Of functions that many contracts share. */
  readonly decoded_input: EvmDecodedCall | null
  readonly tx_types: readonly ('coin_transfer' | 'contract_call' | 'contract_creation' | 'token_transfer')[]
}

export interface EvmAddressReference {
  /** 0x and 40 hex digits, lower case. */
  readonly hash: string
  /** Label of the address, or name of the token; null where neither is known. */
  readonly name: string | null
  /** Null where nothing tells: contracts that contracts create tell nothing of themselves. */
  readonly is_contract: boolean | null
  /** The Flow account that owns it (COA); null where none is known to. */
  readonly flow_address: string | null
}

export interface EvmDecodedCall {
  /** The function: transfer(address,uint256). */
  readonly method_call: string
  readonly method_id: string
  readonly parameters: readonly ({ readonly name: string; readonly type: string; readonly value: string | boolean | readonly string[] })[]
}

export interface EvmTransactionAnswer {
  readonly data: readonly EvmTransactionDetail[]
}

export interface EvmTransactionDetail {
  /** 0x and 64 hex digits. */
  readonly hash: string
  /** 64 hex digits, no 0x. */
  readonly evm_hash: string
  /** The Flow transaction that executed it. */
  readonly transaction_id: string
  /** Flow block. */
  readonly block_height: number
  /** Position of the Flow transaction in its block. */
  readonly transaction_index: number
  /** Its EVM.TransactionExecuted event in the Flow transaction. */
  readonly event_index: number
  /** Time of the Flow block. */
  readonly timestamp: string
  /** Block of the EVM. */
  readonly block_number: number
  /** Position in the block of the EVM. */
  readonly position: number
  /** Null where the payload of the event could not be read. */
  readonly from: EvmAddressReference | null
  /** Null where it creates a contract. Null where the payload of the event could not be read. */
  readonly to: EvmAddressReference | null
  readonly created_contract: EvmAddressReference | null
  readonly evm_from: string | null
  readonly evm_to: string | null
  /** In attoflow, 10^-18 FLOW. */
  readonly evm_value: string | null
  readonly evm_gas_used: number
  /** 1 succeeded, 0 failed. */
  readonly evm_status: number
  /** As evm_value. */
  readonly value: string | null
  /** Null where the payload of the event could not be read. */
  readonly gas_limit: string | null
  /** A decimal number as text, so that it stays exact. */
  readonly gas_used: string
  /** In attoflow; null for types that have none: see max_fee_per_gas. */
  readonly gas_price: string | null
  readonly max_fee_per_gas: string | null
  readonly max_priority_fee_per_gas: string | null
  /** gas_used × gas_price in attoflow; null where it has no gas_price. */
  readonly fee: { readonly type: 'actual'; readonly value: string } | null
  /** What has not run may say any number of 64 bits. Null where the payload of the event could not be read. */
  readonly nonce: string | null
  /** 0 legacy, 1 with access list, 2 with fee caps, 4 with delegations, 255 a call that no key signed. */
  readonly type: number
  /** Of type 255: deposit, withdraw, transfer, deploy or call. */
  readonly call_type: string | null
  readonly status: 'ok' | 'error'
  /** success, or why it failed. */
  readonly result: string
  /** 0 none; 201 to 300 it was not valid, 301 to 400 it was run and failed. */
  readonly error_code: number
  /** Name of the function where it is a common one, else its selector, 0x and 8 hex digits; null without input. */
  readonly method: string | null
  /** Null where the payload of the event could not be read. */
  readonly raw_input: string | null
  /** Of functions that many contracts share. */
  readonly decoded_input: EvmDecodedCall | null
  readonly tx_types: readonly ('coin_transfer' | 'contract_call' | 'contract_creation' | 'token_transfer')[]
  readonly logs: readonly EvmLog[]
  readonly token_transfers: readonly EvmTokenTransfer[]
  /** The Flow transaction that executed it. */
  readonly transaction: TransactionSummary
}

export interface EvmLog {
  /** Position in the transaction. */
  readonly index: number
  /** The contract. */
  readonly address: EvmAddressReference
  readonly topics: readonly string[]
  readonly data: string
  /** Of events that many contracts share. */
  readonly decoded: EvmDecodedLog | null
}

export interface EvmDecodedLog {
  readonly name: string
  /** The event: Transfer(address,address,uint256). */
  readonly method_call: string
  readonly parameters: readonly ({ readonly name: string; readonly type: string; readonly indexed: boolean; readonly value: string | boolean | readonly string[] })[]
}

export interface EvmTokenTransfer {
  /** 0x and 64 hex digits. */
  readonly transaction_hash: string
  /** The Flow transaction. */
  readonly transaction_id: string
  /** Flow block. */
  readonly block_height: number
  readonly transaction_index: number
  readonly event_index: number
  /** Position of the log in the EVM transaction. */
  readonly log_index: number
  /** Counts what one log moved. */
  readonly batch_index: number
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  readonly type: 'token_transfer' | 'token_minting' | 'token_burning'
  /** Null: nobody, it was minted. */
  readonly from: EvmAddressReference | null
  /** Null: nobody, it was burned. */
  readonly to: EvmAddressReference | null
  readonly token: EvmTokenReference
  readonly total: { readonly value: string; readonly decimals: number | null; readonly token_id: string | null }
}

export interface EvmTokenReference {
  /** 0x and 40 hex digits, lower case. */
  readonly address: string
  /** By which its logs are written. */
  readonly type: 'ERC-20' | 'ERC-721' | 'ERC-1155'
  /** Of tokens that the bridge has associated with a Flow token; null for others. */
  readonly name: string | null
  readonly symbol: string | null
  /** Known for wrapped FLOW only. Null: unknown, so amounts can be shown only in raw units. */
  readonly decimals: number | null
  readonly icon_url: string | null
  /** The token of Flow that the bridge has associated with it: A.<address>.<name>. */
  readonly flow_token: string | null
}

export interface EvmLogList {
  readonly data: readonly EvmLog[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EvmTokenTransferList {
  readonly data: readonly EvmTokenTransfer[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EvmTokenList {
  readonly data: readonly EvmToken[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EvmToken {
  /** 0x and 40 hex digits, lower case. */
  readonly address: string
  /** By which its logs are written. */
  readonly type: 'ERC-20' | 'ERC-721' | 'ERC-1155'
  /** Of tokens that the bridge has associated with a Flow token; null for others. */
  readonly name: string | null
  readonly symbol: string | null
  /** Known for wrapped FLOW only. Null: unknown, so amounts can be shown only in raw units. */
  readonly decimals: number | null
  readonly icon_url: string | null
  /** The token of Flow that the bridge has associated with it: A.<address>.<name>. */
  readonly flow_token: string | null
  /** Addresses with a balance above 0. */
  readonly holders: number
  /** Transfers, mints and burns; those of a batch each. */
  readonly transfer_count: number
  /** Flow block of its first transfer that is indexed. */
  readonly first_height: number
  /** False: transfers are missing, those of before the indexed history or of a contract that moves balances without logs. */
  readonly is_complete: boolean
  /** Last price in USD of one whole token; null where the feed has none. */
  readonly exchange_rate: string | null
}

export interface EvmTokenAnswer {
  readonly data: readonly EvmToken[]
}

export interface EvmHolderList {
  readonly data: readonly EvmHolder[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EvmHolder {
  readonly address: EvmAddressReference
  /** In the smallest unit; of ERC-721 the number of items, of ERC-1155 the units of all kinds. */
  readonly value: string
}

export interface EvmAddressAnswer {
  readonly data: readonly EvmAddress[]
}

export interface EvmAddress {
  /** 0x and 40 hex digits, lower case. */
  readonly hash: string
  /** Label of the address, or name of the token; null where neither is known. */
  readonly name: string | null
  /** Null where nothing tells: contracts that contracts create tell nothing of themselves. */
  readonly is_contract: boolean | null
  /** The Flow account that owns it (COA); null where none is known to. */
  readonly flow_address: string | null
  /** Whether Cadence owns it (COA). */
  readonly is_coa: boolean
  /** Where it is a token. */
  readonly token: EvmToken | null
  /** Who created it, where it is a contract whose creation is indexed. */
  readonly creator: EvmAddressReference | null
  readonly creation_transaction_hash: string | null
  /** First Flow block in which it is seen. */
  readonly first_height: number | null
  readonly last_height: number | null
}

export interface EvmHoldingList {
  readonly data: readonly EvmHolding[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EvmHolding {
  readonly token: EvmTokenReference
  /** See the items of the address. */
  readonly token_id: null
  /** In the smallest unit; of ERC-721 the number of items, of ERC-1155 the units of all kinds. */
  readonly value: string
}

export interface EvmItemList {
  readonly data: readonly EvmItem[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EvmItem {
  readonly token: EvmTokenReference
  /** Item of ERC-721, kind of ERC-1155. */
  readonly token_id: string
  /** 1 for an item; the units of a kind. */
  readonly value: string
}

export interface DailyNumbersList {
  readonly data: readonly DailyNumbers[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface DailyNumbers {
  /** Day, UTC. */
  readonly date: string
  /** Blocks that are indexed; 0 for a day of which none is. */
  readonly block_count: number
  /** Transactions, system transactions included. */
  readonly tx_count: number
  /** Those that the chain made itself, scheduled ones included. */
  readonly system_tx_count: number
  /** Transactions that executed no EVM transaction. */
  readonly cadence_tx_count: number
  /** Transactions of users that failed. */
  readonly failed_tx_count: number
  /** Part of users' transactions that failed, in percent, 2 decimals. */
  readonly error_rate: number
  readonly event_count: number
  /** Computation used. */
  readonly total_gas_used: number
  /** Computation of a transaction in the mean, 2 decimals. */
  readonly avg_gas_per_tx: number
  /** Fees that were deducted, in FLOW. */
  readonly fees: string
  /** Movements of fungible tokens, fees aside. */
  readonly ft_transfers: number
  /** Movements of items of collections. */
  readonly nft_transfers: number
  /** Accounts that proposed, paid for or authorized a transaction. */
  readonly active_accounts: number
  /** Accounts that were created. */
  readonly new_accounts: number
  /** EVM accounts that Flow accounts made for themselves. */
  readonly coa_new_accounts: number
  /** Transactions that executed EVM transactions. */
  readonly evm_tx_count: number
  /** EVM transactions that were executed: a transaction can hold many. */
  readonly evm_execution_count: number
  /** Those of them that failed. */
  readonly evm_failed_count: number
  /** Gas of the EVM transactions. */
  readonly evm_gas_used: number
  /** Senders and receivers of EVM transactions. */
  readonly evm_active_addresses: number
  /** Swaps. */
  readonly defi_swap_count: number
  /** Accounts that swapped. */
  readonly defi_unique_traders: number
  /** The last epoch that ran on the day; null where none is known. */
  readonly epoch: number | null
  /** Rewards that were paid to nodes and delegators, in FLOW. */
  readonly epoch_payout_total: string
  /** Transactions that moved FLOW, tokens or items into EVM. */
  readonly bridge_to_evm_txs: number
  /** Transactions that moved some out of EVM. */
  readonly bridge_from_evm_txs: number
  /** Contracts that were deployed. */
  readonly new_contracts: number
  /** Contracts that were replaced by a new version. */
  readonly contract_updates: number
}

export interface DailyModuleNumbersList {
  readonly data: readonly (DailyAccountNumbers | DailyEvmNumbers | DailyDefiNumbers | DailyEpochNumbers | DailyBridgeNumbers | DailyContractNumbers)[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface DailyAccountNumbers {
  /** Day, UTC. */
  readonly date: string
  /** Accounts that proposed, paid for or authorized a transaction. */
  readonly active_accounts: number
  /** Accounts that were created. */
  readonly new_accounts: number
  /** EVM accounts that Flow accounts made for themselves. */
  readonly coa_new_accounts: number
}

export interface DailyEvmNumbers {
  /** Day, UTC. */
  readonly date: string
  /** Transactions that executed EVM transactions. */
  readonly evm_tx_count: number
  /** EVM transactions that were executed: a transaction can hold many. */
  readonly evm_execution_count: number
  /** Those of them that failed. */
  readonly evm_failed_count: number
  /** Gas of the EVM transactions. */
  readonly evm_gas_used: number
  /** Senders and receivers of EVM transactions. */
  readonly evm_active_addresses: number
}

export interface DailyDefiNumbers {
  /** Day, UTC. */
  readonly date: string
  /** Swaps. */
  readonly defi_swap_count: number
  /** Accounts that swapped. */
  readonly defi_unique_traders: number
}

export interface DailyEpochNumbers {
  /** Day, UTC. */
  readonly date: string
  /** The last epoch that ran on the day; null where none is known. */
  readonly epoch: number | null
  /** Rewards that were paid to nodes and delegators, in FLOW. */
  readonly epoch_payout_total: string
}

export interface DailyBridgeNumbers {
  /** Day, UTC. */
  readonly date: string
  /** Transactions that moved FLOW, tokens or items into EVM. */
  readonly bridge_to_evm_txs: number
  /** Transactions that moved some out of EVM. */
  readonly bridge_from_evm_txs: number
}

export interface DailyContractNumbers {
  /** Day, UTC. */
  readonly date: string
  /** Contracts that were deployed. */
  readonly new_contracts: number
  /** Contracts that were replaced by a new version. */
  readonly contract_updates: number
}

export interface DailyTransfersList {
  readonly data: readonly DailyTransfers[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface DailyTransfers {
  /** Day, UTC. */
  readonly date: string
  /** Movements of fungible tokens, fees aside. */
  readonly ft_transfers: number
  /** Movements of items of collections. */
  readonly nft_transfers: number
}

export interface PriceList {
  readonly data: readonly Price[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Price {
  /** Symbol of the token, or the token where the feed gave no symbol. */
  readonly asset: string
  /** `A.<address>.<name>`. */
  readonly token: string
  readonly currency: string
  /** A decimal number as text, of one whole token. */
  readonly price: string
  /** Change to the price of 24 hours before `as_of`, in percent, 2 decimals; null where that is not known. */
  readonly price_change_24h: number | null
  /** Price times what there is of the token; null where that is not known. */
  readonly market_cap: string | null
  /** All prices come from the feed of PRICE_FEED_URL. */
  readonly source: 'price_feed'
  /** The time for which the feed gave the price. */
  readonly as_of: string
}

export interface PriceAtList {
  readonly data: readonly PriceAt[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface PriceAt {
  /** Symbol of the token, or the token where the feed gave no symbol. */
  readonly asset: string
  /** `A.<address>.<name>`; null where nothing tells which token the symbol means. */
  readonly token: string | null
  readonly currency: string
  /** The time that was asked for. */
  readonly ts: string
  /** Whether there is a price of at most 48 hours before or after it. */
  readonly found: boolean
  /** The nearest such price; null where there is none. */
  readonly price: string | null
  /** The time of that price. */
  readonly as_of: string | null
}

export interface PriceSampleList {
  readonly data: readonly PriceSample[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface PriceSample {
  /** The last of the hour, a decimal number as text. */
  readonly price: string
  /** ISO 8601, UTC, milliseconds. */
  readonly as_of: string
}

export interface PricesList {
  readonly data: readonly Prices[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Prices {
  readonly currency: string
  /** Price by symbol. Where several tokens have the same symbol, the price that is the newest. */
  readonly prices: Readonly<Record<string, string>>
  /** Symbol by name of contract, as the keys of `prices` have it. */
  readonly token_map: Readonly<Record<string, string>>
  /** Price by token, `A.<address>.<name>`. */
  readonly tokens: Readonly<Record<string, { readonly symbol: string | null; readonly price: string; readonly as_of: string }>>
}

export interface PeriodNumbersList {
  readonly data: readonly PeriodNumbers[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface PeriodNumbers {
  /** First day of the period, UTC. */
  readonly date: string
  /** Begin of the period. */
  readonly timestamp: string
  /** Blocks that are indexed. */
  readonly block_count: number
  /** Transactions, system transactions included. */
  readonly tx_count: number
  /** Those that the chain made itself, scheduled ones included. */
  readonly system_tx_count: number
  /** Transactions that executed EVM transactions. */
  readonly evm_tx_count: number
  /** Transactions of users that failed. */
  readonly failed_tx_count: number
  readonly event_count: number
  /** Computation used. */
  readonly total_gas_used: number
  /** Fees that were deducted, in FLOW. */
  readonly fees: string
  /** Movements of fungible tokens, fees aside. */
  readonly ft_transfers: number
  /** Movements of items of collections. */
  readonly nft_transfers: number
  /** Accounts that proposed, paid for or authorized a transaction. Accounts are told apart within a day: for other periods this is null. */
  readonly active_accounts: number | null
  /** The same of a day with blocks, in the mean of the period, 2 decimals; null for hours. */
  readonly daily_active_accounts: number | null
  /** Accounts that were created. */
  readonly new_accounts: number
  /** Contracts that were deployed. */
  readonly new_contracts: number
}

export interface ChainNumbersList {
  readonly data: readonly ChainNumbers[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ChainNumbers {
  /** Lowest stored height; null while nothing is stored. */
  readonly min_height: number | null
  /** Highest stored height; null while nothing is stored. */
  readonly max_height: number | null
  /** Stored blocks, exact. */
  readonly block_count: number
  /** Their transactions, exact. */
  readonly tx_count: number
  /** Their events, exact. */
  readonly event_count: number
}

export interface ChainCountsList {
  readonly data: readonly ChainCounts[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ChainCounts {
  /** Stored blocks, exact. */
  readonly block_count: number
  /** Their transactions, exact. */
  readonly transaction_count: number
  /** Highest stored height; null while nothing is stored. */
  readonly max_height: number | null
}

export interface AccountContract {
  /** 0x and 16 hex digits. */
  readonly address: string
  readonly name: string
  /** Length of the code in UTF-8. */
  readonly byte_size: number
  /** Cadence source. */
  readonly code: string
  /** When this was answered. */
  readonly fetched_at: string
  readonly source: 'chain' | 'index'
  /** Block that brought this code; null where the chain gave it. */
  readonly as_of_height: number | null
  /** The chain did not answer, so the code is as indexed. Else left out. */
  readonly _rpcUnavailable?: true
}

export interface PublicKeyList {
  readonly data: readonly PublicKey[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface PublicKey {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Index of the key in the account. */
  readonly key_index: number
  /** Hex digits, no 0x. */
  readonly public_key: string
  /** ECDSA_P256, ECDSA_secp256k1 or BLS_BLS12_381. */
  readonly signing_algorithm: string | null
  /** SHA2_256, SHA3_256, …; null where no event said it. */
  readonly hashing_algorithm: string | null
  /** Weight of 1000 that a transaction needs; null where no event said it. */
  readonly weight: number | null
  readonly revoked: boolean
  /** Block that added it; null while that is not indexed. */
  readonly added_height: number | null
  /** Block that revoked it. */
  readonly revoked_height: number | null
}

export interface CoaMappingList {
  readonly data: readonly CoaMapping[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface CoaMapping {
  /** EVM address: 0x and 40 hex digits. */
  readonly coa_address: string
  /** Who has it; null where the transaction does not tell. */
  readonly flow_address: string | null
  /** How that is known: the account issued a capability for it in the transaction that created it, or no other account could store anything there. */
  readonly owner_evidence: 'capability' | 'only_account' | null
  /** 64 hex digits, no 0x. */
  readonly transaction_id: string
  readonly block_height: number
  readonly timestamp: string | null
}

export interface AccountStorage {
  readonly type: 'Dictionary'
  readonly value: readonly ({ readonly key: { readonly type: 'String'; readonly value: string }; readonly value: { readonly type: 'UInt64'; readonly value: string } | { readonly type: 'Array'; readonly value: readonly ({ readonly type: 'Path'; readonly value: { readonly domain: 'storage' | 'public'; readonly identifier: string } })[] } | { readonly type: 'Bool'; readonly value: boolean } })[]
}

export interface StorageLinks {
  readonly type: 'Array'
  readonly value: readonly ({ readonly type: 'Path'; readonly value: { readonly domain: 'storage' | 'public'; readonly identifier: string } })[]
}

export interface StorageItem {
  readonly type: 'Dictionary'
  readonly value: readonly ({ readonly key: { readonly type: 'String'; readonly value: string }; readonly value: { readonly type: 'Path'; readonly value: { readonly domain: 'storage' | 'public'; readonly identifier: string } } | { readonly type: 'String'; readonly value: string } })[]
}

export interface AccountList {
  readonly data: readonly Account[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Account {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Transactions that it paid for, proposed or authorized. */
  readonly tx_count: number
  /** First block with a transaction of it; null where it only got tokens. */
  readonly first_seen_height: number | null
  /** Block that created it; null while that is not indexed. */
  readonly created_height: number | null
  /** Last block with a transaction of it. */
  readonly height: number | null
  /** Time of that block. */
  readonly timestamp: string | null
  /** FLOW in all vaults of the account, also those inside of its contracts and resources; null where none was seen. */
  readonly flow_balance: string | null
}

export interface AccountAnswer {
  readonly data: readonly AccountDetail[]
}

export interface AccountDetail {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Transactions that it paid for, proposed or authorized. */
  readonly tx_count: number
  /** First block with a transaction of it; null where it only got tokens. */
  readonly first_seen_height: number | null
  /** Block that created it; null while that is not indexed. */
  readonly created_height: number | null
  /** FLOW. With `source` chain: in the main vault, at `as_of_height`. With `source` index: the same as `indexed_balance`. */
  readonly balance: string | null
  /** FLOW in all vaults of the account, as indexed events say: what balance/history and the list of tokens show. It differs from the balance of the chain by the blocks in between, by vaults other than the main one, and by what the account had before the first indexed block. */
  readonly indexed_balance: string | null
  /** FLOW that the storage in use does not bind; null where not known. */
  readonly available_balance: string | null
  /** The same as balance, as a JSON number, which rounds. */
  readonly flowBalance: number | null
  /** Names of its contracts, sorted. */
  readonly contracts: readonly string[]
  readonly contract_count: number
  /** By index, revoked ones included. */
  readonly keys: readonly AccountKey[]
  readonly key_count: number
  readonly labels: readonly AccountLabel[]
  /** Bytes; null where the chain was not heard. */
  readonly storage_used: string | null
  /** Bytes; null where the chain was not heard. */
  readonly storage_capacity: string | null
  /** storage_capacity in units of 2^20 bytes, as a JSON number, which rounds. */
  readonly flowStorage: number | null
  /** storage_used in units of 2^20 bytes, as a JSON number, which rounds. */
  readonly storageUsed: number | null
  /** flowStorage less storageUsed, and not below 0. */
  readonly storageAvailable: number | null
  readonly first_seen_at: string | null
  /** Last block with a transaction of it. */
  readonly last_seen_height: number | null
  readonly last_seen_at: string | null
  readonly created_at: string | null
  readonly created_by_transaction: string | null
  /** Where balance, keys, contracts and storage are from: the chain at present, or what is indexed. */
  readonly source: 'chain' | 'index'
  /** The block whose state they are of; null where the chain gave them and did not say which. */
  readonly as_of_height: number | null
  /** The chain did not answer, so all is as indexed. Else left out. */
  readonly _rpcUnavailable?: true
}

export interface AccountKey {
  readonly index: number
  /** Public key, hex digits; null where it was added before the first indexed block. */
  readonly key: string | null
  /** ECDSA_P256, ECDSA_secp256k1 or BLS_BLS12_381. */
  readonly signatureAlgorithm: string | null
  /** SHA2_256, SHA3_256, … */
  readonly hashAlgorithm: string | null
  /** Weight of 1000 that a transaction needs. */
  readonly weight: number | null
  readonly revoked: boolean
  /** Of the next transaction that it proposes; null from indexed data. */
  readonly sequenceNumber: number | null
}

export interface AccountLabel {
  /** Short name of the label, one of the account's. */
  readonly tag: string
  /** The name to show. */
  readonly label: string
  readonly category: 'whale' | 'service' | 'exchange' | 'defi' | 'nft' | 'custom'
}

export interface AccountLabelList {
  readonly data: readonly AccountLabel[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EpochStatusList {
  readonly data: readonly EpochStatus[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EpochStatus {
  /** Counter of the epoch that runs; null where it is not known. */
  readonly epoch: number | null
  /** How much of it is over, in percent, 2 decimals: by views, or where these are not known by time; null where neither is known. */
  readonly epoch_progress: number | null
  /** 0 staking auction, 1 setup, 2 commit. */
  readonly phase: number | null
  readonly phase_name: 'staking auction' | 'setup' | 'commit' | null
  /** First view of the epoch. */
  readonly start_view: number | null
  /** Last view of its staking auction. */
  readonly staking_end_view: number | null
  /** Last view of the epoch. */
  readonly end_view: number | null
  /** View of the newest block of which the chain was asked; blocks are stored without theirs. */
  readonly current_view: number | null
  /** First block of the epoch. */
  readonly start_height: number | null
  /** Time of that block. */
  readonly start_time: string | null
  /** When it is meant to end. */
  readonly target_end_time: string | null
  /** The block of which epoch and phase are told. */
  readonly height: number | null
  /** Who told epoch and phase: the contract FlowEpoch when it was asked, or its indexed events. */
  readonly source: 'chain' | 'events' | null
  /** Time of that block, seconds since 1970. */
  readonly updated_at: number | null
}

export interface EpochNumbersList {
  readonly data: readonly EpochNumbers[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EpochNumbers {
  /** Counter of the epoch. */
  readonly epoch: number
  /** planned: no indexed event told that it started. */
  readonly status: 'planned' | 'running' | 'ended'
  /** Block in which it started; null where no indexed event told. */
  readonly start_height: number | null
  /** Last block of it; null where no indexed event told. */
  readonly end_height: number | null
  /** Blocks from the one to the other. */
  readonly block_count: number | null
  readonly start_time: string | null
  readonly end_time: string | null
  /** When it is meant to end. */
  readonly target_end_time: string | null
  /** First view. */
  readonly start_view: number | null
  /** Last view of the staking auction. */
  readonly staking_end_view: number | null
  /** Last view. */
  readonly end_view: number | null
  /** Block of the event that told its nodes. */
  readonly setup_height: number | null
  /** Block of its EpochCommit. */
  readonly commit_height: number | null
  /** Nodes that take part. */
  readonly total_nodes: number | null
  /** FLOW staked by nodes and delegators, without access nodes. */
  readonly total_staked: string | null
  /** FLOW in all when it started. */
  readonly total_supply: string | null
  /** FLOW to be paid for it, as told when it started. */
  readonly total_rewards: string | null
  /** Block in which its rewards were paid. */
  readonly payout_height: number | null
  readonly payout_time: string | null
  /** FLOW that was paid to nodes and delegators. */
  readonly payout_total: string | null
  /** FLOW of it that came from transaction fees. */
  readonly payout_from_fees: string | null
  /** FLOW of it that was made. */
  readonly payout_minted: string | null
  /** FLOW of the fees that was destroyed. */
  readonly payout_fees_burned: string | null
}

export interface NetworkTokenomicsList {
  readonly data: readonly NetworkTokenomics[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface NetworkTokenomics {
  /** The epoch of which stake and supply are told. */
  readonly epoch: number | null
  /** FLOW in existence. */
  readonly total_supply: string | null
  /** FLOW staked by nodes and delegators, without access nodes. */
  readonly total_staked: string | null
  /** total_staked of total_supply, in percent, 2 decimals. */
  readonly staked_share: number | null
  /** Nodes that take part in the epoch. */
  readonly validator_count: number | null
  /** FLOW paid for the newest epoch whose rewards are paid. */
  readonly epoch_payout: string | null
  /** That payout as a part of what was staked in its epoch, for a year of such epochs, in percent, 2 decimals; null where the length of the epoch is not known. */
  readonly staking_apy: number | null
  /** Who told supply and stake: the contracts when they were asked, or indexed events. */
  readonly source: 'chain' | 'events' | null
  /** When that was so, seconds since 1970. */
  readonly updated_at: number | null
}

export interface KeyCheck {
  readonly valid: boolean
  /** Why not, for people. */
  readonly error?: string
}

export interface NetworkNodeList {
  readonly data: readonly NetworkNode[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: { readonly limit: number; readonly count: number }
  /** All nodes. */
  readonly node_count: number
  /** Those that take part in the newest epoch that is known. */
  readonly participant_count: number
  readonly nodes_by_role: readonly NodesOfRole[]
}

export interface NetworkNode {
  /** 64 hex digits, no 0x. */
  readonly node_id: string
  /** Newest epoch that it is or will be in; null: none that is indexed. */
  readonly epoch: number | null
  /** Account that registered it; null where that block is not indexed. */
  readonly address: string | null
  /** 1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null while nothing told. */
  readonly role: number | null
  /** Host and port; empty while nothing told. */
  readonly networking_address: string
  /** FLOW staked in this epoch. */
  readonly tokens_staked: string
  /** FLOW that is staked when the next epoch starts. */
  readonly tokens_committed: string
  /** FLOW that is free when the next epoch starts. */
  readonly tokens_unstaking: string
  /** FLOW that may be withdrawn. */
  readonly tokens_unstaked: string
  /** FLOW earned that may be withdrawn. */
  readonly tokens_rewarded: string
  /** Delegators that it ever had. */
  readonly delegator_count: number
  /** Whether it takes part in the newest epoch that is known. */
  readonly is_participant: boolean
}

export interface NodesOfRole {
  /** 1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null while nothing told. */
  readonly role: number | null
  readonly role_name: 'collection' | 'consensus' | 'execution' | 'verification' | 'access' | null
  readonly node_count: number
  /** Those of them that take part in the newest epoch that is known. */
  readonly participant_count: number
  /** FLOW that they staked themselves. */
  readonly tokens_staked: string
}

export interface BigTransferList {
  readonly data: readonly BigTransfer[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface BigTransfer {
  /** 64 hex digits, no 0x. */
  readonly tx_id: string
  readonly block_height: number
  /** Position of the transaction in the block. */
  readonly tx_index: number
  /** The event by which it arrived, by its position in the transaction. */
  readonly event_index: number
  /** Counts from 0 the transfers that this event made; nearly always 0. */
  readonly leg: number
  /** Time of the block. */
  readonly timestamp: string
  /** swap: a transfer in a transaction that swapped. staking: into stake, out of it, or a reward. */
  readonly type: 'mint' | 'burn' | 'transfer' | 'swap' | 'bridge' | 'staking'
  /** As transfers of tokens have it. */
  readonly transfer_type: 'transfer' | 'mint' | 'burn' | 'bridge' | 'escrow' | 'stake' | 'unstake' | 'reward' | 'deposit' | 'withdrawal'
  /** `A.<address>.<name>`. */
  readonly token: string
  /** Null, as the logo, where the contract does not say it, or was not asked yet. */
  readonly token_symbol: string | null
  /** Account that has the contract. */
  readonly token_contract_address: string
  readonly contract_name: string
  /** Address of an image. */
  readonly token_logo: string | null
  /** In whole tokens. */
  readonly amount: string
  /** US dollars at the last price known before it, of at most 48 hours. Null where there is none. */
  readonly usd_value: string | null
  /** Null where nobody gave it, as of what was minted. */
  readonly from_address: string | null
  /** Null where nobody got it, as of what was burned. */
  readonly to_address: string | null
}

export interface BusyContractList {
  readonly data: readonly BusyContract[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface BusyContract {
  /** `A.<address>.<name>`. */
  readonly contract_identifier: string
  readonly contract_name: string
  /** Account that has the contract. */
  readonly address: string
  /** Transactions of users whose script imports it. */
  readonly tx_count: number
}

export interface TokenVolumeList {
  readonly data: readonly TokenVolume[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface TokenVolume {
  /** `A.<address>.<name>`. */
  readonly token: string
  /** As people call it. Null, as symbol and logo, where the contract does not say it, or was not asked yet. */
  readonly name: string | null
  readonly symbol: string | null
  readonly contract_name: string
  /** Account that has the contract. */
  readonly address: string
  /** Address of an image. */
  readonly logo: string | null
  /** Movements, without fees and without what the bridge locks up and gives back. */
  readonly transfer_count: number
  /** Sum of them, in whole tokens. */
  readonly total_amount: string
  /** Sum of them in US dollars, each day at the last price known on it, of at most 48 hours before its end. Null where there is none for a day on which the token moved. */
  readonly usd_volume: string | null
}

export interface NodeList {
  readonly data: readonly Node[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Node {
  /** 64 hex digits, no 0x. */
  readonly node_id: string
  /** Newest epoch that it is or will be in; null: none that is indexed. */
  readonly epoch: number | null
  /** Account that registered it; null while its registration is not indexed. */
  readonly address: string | null
  /** 1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null while nothing told. */
  readonly role: number | null
  readonly role_name: 'collection' | 'consensus' | 'execution' | 'verification' | 'access' | null
  /** Host and port. */
  readonly networking_address: string | null
  /** 0 to 100. */
  readonly weight: number | null
  /** FLOW staked in this epoch. */
  readonly tokens_staked: string
  /** FLOW that is staked when the next epoch starts. */
  readonly tokens_committed: string
  /** FLOW that is free when the next epoch starts. */
  readonly tokens_unstaking: string
  /** FLOW that may be withdrawn. */
  readonly tokens_unstaked: string
  /** FLOW earned that may be withdrawn. */
  readonly tokens_rewarded: string
  /** FLOW of what is staked that is not to be staked in the next epoch; null where no event tells. */
  readonly tokens_requested_to_unstake: string | null
  /** Delegators that it ever had. */
  readonly delegator_count: number
  /** Block of its registration; null while that is not indexed. */
  readonly first_seen_height: number | null
  /** True: the amounts are exact. False: they are sums of the indexed events alone, which do not go back to its registration. */
  readonly is_complete: boolean
  /** Whether the amounts follow from events, or the chain told them when it was asked. */
  readonly source: 'events' | 'chain'
  /** Time of what told them last. */
  readonly updated_at: string | null
}

export interface NodeAnswer {
  readonly data: readonly Node[]
}

export interface DelegatorList {
  readonly data: readonly Delegator[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Delegator {
  /** 64 hex digits, no 0x. */
  readonly node_id: string
  /** Counts the delegators of the node from 1. */
  readonly delegator_id: number
  /** Account that registered it; null while its registration is not indexed. */
  readonly address: string | null
  /** FLOW staked in this epoch. */
  readonly tokens_staked: string
  /** FLOW that is staked when the next epoch starts. */
  readonly tokens_committed: string
  /** FLOW that is free when the next epoch starts. */
  readonly tokens_unstaking: string
  /** FLOW that may be withdrawn. */
  readonly tokens_unstaked: string
  /** FLOW earned that may be withdrawn. */
  readonly tokens_rewarded: string
  /** FLOW of what is staked that is not to be staked in the next epoch; null where no event tells. */
  readonly tokens_requested_to_unstake: string | null
  /** Block of its registration; null while that is not indexed. */
  readonly created_height: number | null
  /** As of nodes. */
  readonly is_complete: boolean
  /** Time of the last event about it. */
  readonly updated_at: string | null
}

export interface EpochStatsList {
  readonly data: readonly EpochStats[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface EpochStats {
  /** Counter of the epoch. */
  readonly epoch: number
  /** planned: no indexed event told that it started. */
  readonly status: 'planned' | 'running' | 'ended'
  /** Block in which it started; null where no indexed event told. */
  readonly start_height: number | null
  /** Last block of it; null where no indexed event told. */
  readonly end_height: number | null
  /** Blocks from the one to the other. */
  readonly block_count: number | null
  readonly start_time: string | null
  readonly end_time: string | null
  /** When it is meant to end. */
  readonly target_end_time: string | null
  /** First view. */
  readonly start_view: number | null
  /** Last view of the staking auction. */
  readonly staking_end_view: number | null
  /** Last view. */
  readonly end_view: number | null
  /** Block of the event that told its nodes. */
  readonly setup_height: number | null
  /** Block of its EpochCommit. */
  readonly commit_height: number | null
  /** Nodes that take part. */
  readonly total_nodes: number | null
  /** FLOW staked by nodes and delegators, without access nodes. */
  readonly total_staked: string | null
  /** FLOW in all when it started. */
  readonly total_supply: string | null
  /** FLOW to be paid for it, as told when it started. */
  readonly total_rewards: string | null
  /** Block in which its rewards were paid. */
  readonly payout_height: number | null
  readonly payout_time: string | null
  /** FLOW that was paid to nodes and delegators. */
  readonly payout_total: string | null
  /** FLOW of it that came from transaction fees. */
  readonly payout_from_fees: string | null
  /** FLOW of it that was made. */
  readonly payout_minted: string | null
  /** FLOW of the fees that was destroyed. */
  readonly payout_fees_burned: string | null
  /** FLOW paid for it; null while that is not indexed. */
  readonly total_rewarded: string | null
}

export interface StakingEventList {
  readonly data: readonly StakingEvent[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface StakingEvent {
  readonly block_height: number
  /** 64 hex digits, no 0x. */
  readonly transaction_id: string
  readonly transaction_index: number
  readonly event_index: number
  /** Name of the event of FlowIDTableStaking: RewardsPaid, DelegatorTokensCommitted, … */
  readonly event_type: string
  /** Null for rules, which hold for all. */
  readonly node_id: string | null
  /** 0 for the node itself; null for rules. */
  readonly delegator_id: number | null
  /** FLOW; of rules their new value. */
  readonly amount: string | null
  /** Where the tokens were. unknown: unstaked or rewarded. Null: outside of the contract, or nothing moved. */
  readonly from_bucket: 'committed' | 'staked' | 'unstaking' | 'unstaked' | 'rewarded' | 'unknown' | null
  /** Where the tokens are since, like from_bucket. */
  readonly to_bucket: 'committed' | 'staked' | 'unstaking' | 'unstaked' | 'rewarded' | 'unknown' | null
  /** Epoch that is rewarded. */
  readonly epoch: number | null
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
}

export interface StakingTokenomicsList {
  readonly data: readonly StakingTokenomics[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface StakingTokenomics {
  /** Time of the block that the numbers are of, seconds since 1970. */
  readonly as_of: number | null
  /** The epoch of which stake and supply are told. */
  readonly epoch: number | null
  /** FLOW in existence. */
  readonly total_supply: string | null
  /** FLOW staked by nodes and delegators, without access nodes. */
  readonly total_staked: string | null
  /** total_staked of total_supply, in percent, 2 decimals. */
  readonly staked_share: number | null
  /** Nodes that take part in the epoch. */
  readonly validator_count: number | null
  /** FLOW paid for the newest epoch whose rewards are paid. */
  readonly epoch_payout: string | null
  /** That payout as a part of what was staked in its epoch, for a year of such epochs, in percent, 2 decimals; null where the length of the epoch is not known. */
  readonly staking_apy: number | null
  /** Who told supply and stake: the contracts when they were asked, or indexed events. */
  readonly source: 'chain' | 'events' | null
  /** When that was so, seconds since 1970. */
  readonly updated_at: number | null
  /** Not known: nothing on the chain tells which tokens are locked. */
  readonly circulating_supply: null
  /** Delegators that the nodes ever had; null while no node is known. */
  readonly delegator_count: number | null
}

export interface AccountStakeAnswer {
  readonly data: readonly AccountStake[]
}

export interface AccountStake {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** That it registered. */
  readonly nodes: readonly Node[]
  /** That it registered, those with the most stake first; 1000 at most. */
  readonly delegators: readonly Delegator[]
}

export interface ContractList {
  readonly data: readonly Contract[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface Contract {
  /** A.<address>.<name> */
  readonly id: string
  /** The same as id. */
  readonly identifier: string
  /** Account that has it. */
  readonly address: string
  readonly name: string
  /** Whether it says to be a fungible token, an NFT or neither; null while its code is not known. */
  readonly kind: 'FT' | 'NFT' | 'CONTRACT' | null
  readonly status: 'active' | 'removed'
  /** Source code: of a single contract, in lists where it is asked for; null while not known. */
  readonly body?: string | null
  /** When it was deployed first; null while that is not indexed. */
  readonly created_at: string | null
  readonly created_height: number | null
  /** When it was changed last. */
  readonly updated_at: string | null
  /** Block of its last change; null for one that only the chain tells of. */
  readonly valid_from: number | null
  /** Transaction of its last change. */
  readonly transaction_hash: string | null
  /** SHA3-256 of the code. */
  readonly code_hash: string
  /** Contracts that it imports, A.<address>.<name>; null while not known. */
  readonly imports: readonly string[] | null
  /** Contracts whose present code imports it; a minute old at most. */
  readonly imported_count: number
  /** The same as imported_count; some clients of the Flow explorer API read this name. */
  readonly import_count: number
  /** What the token or collection calls itself, where it is one. */
  readonly token_name: string | null
  readonly token_symbol: string | null
  readonly token_logo: string | null
  /** chain: nothing is indexed of it, and an access node told. */
  readonly source: 'index' | 'chain'
}

export interface ContractVersionList {
  readonly data: readonly ContractVersion[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ContractVersion {
  /** From 1, the first that is indexed. */
  readonly version: number
  /** A contract that was removed may be added again. */
  readonly change: 'added' | 'updated'
  /** Block that brought it. */
  readonly block_height: number
  /** 64 hex digits, no 0x. */
  readonly transaction_id: string
  /** Time of that block. */
  readonly created_at: string | null
  /** SHA3-256 of the code. */
  readonly code_hash: string
}

export interface ContractVersionAnswer {
  readonly data: readonly ContractVersionDetail[]
}

export interface ContractVersionDetail {
  /** From 1, the first that is indexed. */
  readonly version: number
  /** A contract that was removed may be added again. */
  readonly change: 'added' | 'updated'
  /** Block that brought it. */
  readonly block_height: number
  /** 64 hex digits, no 0x. */
  readonly transaction_id: string
  /** Time of that block. */
  readonly created_at: string | null
  /** SHA3-256 of the code. */
  readonly code_hash: string
  /** A.<address>.<name> */
  readonly identifier: string
  /** 0x and 16 hex digits. */
  readonly address: string
  readonly name: string
  /** Cadence source; null while it was not found. */
  readonly code: string | null
  /** As of the contract. */
  readonly kind: 'FT' | 'NFT' | 'CONTRACT' | null
  /** As of the contract. */
  readonly imports: readonly string[] | null
}

export interface ContractDependenciesList {
  readonly data: readonly ContractDependencies[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ContractDependencies {
  readonly identifier: string
  /** What it imports itself, in the order of the identifiers. */
  readonly imports: readonly ContractReference[]
  /** What imports it: a page of them, in the order of the identifiers. */
  readonly dependents: readonly ContractReference[]
  /** All that import it. */
  readonly dependent_count: number
  readonly graph: { readonly root: string; readonly nodes: readonly ContractNode[]; readonly edges: readonly ({ readonly source: string; readonly target: string })[]; readonly truncated: boolean }
}

export interface ContractReference {
  /** A.<address>.<name> */
  readonly identifier: string
  /** 0x and 16 hex digits. */
  readonly address: string
  readonly name: string
}

export interface ContractNode {
  /** A.<address>.<name> */
  readonly identifier: string
  /** 0x and 16 hex digits. */
  readonly address: string
  readonly name: string
  readonly kind: 'FT' | 'NFT' | 'CONTRACT' | null
  readonly token_name: string | null
  readonly token_symbol: string | null
  readonly token_logo: string | null
}

export interface ContractEventTypeList {
  readonly data: readonly ContractEventType[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ContractEventType {
  /** A.<address>.<contract>.<event> */
  readonly type: string
  readonly event_name: string
  /** All events of the type that are indexed; 0 where the code declares it and none is. */
  readonly count: number
  /** Time of the last block with one. */
  readonly last_seen: string | null
  /** The last block with one. */
  readonly last_seen_height: number | null
  /** Whether the present code declares it; false too while the code is not known. */
  readonly is_declared: boolean
}

export interface ContractScriptList {
  readonly data: readonly ContractScript[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ContractScript {
  /** SHA-256 of the script. */
  readonly script_hash: string
  /** Transactions with the script in the newest blocks that are looked at. */
  readonly tx_count: number
  /** As template_category of its transactions. */
  readonly category: string
  /** As template_label of its transactions. */
  readonly label: string
  /** The beginning of the script. */
  readonly script_preview: string
  /** The last block with one of these transactions. */
  readonly last_seen_height: number
  /** How many blocks were looked at. */
  readonly counted_blocks: number
  /** The lowest of them. */
  readonly counted_from_height: number
}

export interface DefiAssetList {
  readonly data: readonly DefiAsset[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface DefiAsset {
  /** A.<address>.<name> */
  readonly id: string
  /** Null until the contract was asked, and where it does not say it; like name and logo. */
  readonly symbol: string | null
  readonly name: string | null
  readonly logo: string | null
  readonly contract_name: string
  /** Last price of one whole token in USD; null where the feed has none. */
  readonly price_usd: string | null
}

export interface DefiPairList {
  readonly data: readonly DefiPair[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface DefiPair {
  /** A.<address>.<contract>, with the account of the pool behind where one contract has many. */
  readonly id: string
  /** By the contract. */
  readonly dex_key: 'incrementfi' | 'bloctoswap' | 'metapier'
  /** Account that holds its tokens. */
  readonly address: string
  /** Null while nothing told. */
  readonly asset0_id: string | null
  readonly asset1_id: string | null
  readonly asset0_symbol: string | null
  readonly asset1_symbol: string | null
  /** Whether it is for tokens of equal worth; null while nothing told. */
  readonly is_stable: boolean | null
  /** Part of a swap in basis points, as it was told last; null while nothing told. */
  readonly fee_bps: number | null
  /** What its vault holds of it, by the balances that moves leave behind; null where these do not tell which vault is that of the pair, and before Cadence 1.0. */
  readonly reserves_asset0: string | null
  readonly reserves_asset1: string | null
  /** Asset1 for 1 asset0 in the last swap. */
  readonly price: string | null
  /** Swaps of the seven days, UTC, that end with the last on which any pair swapped. */
  readonly swap_count_7d: number
  /** Whole tokens of asset0 that they moved, in and out together. */
  readonly volume_asset0_7d: string
  /** The same of asset1. */
  readonly volume_asset1_7d: string
  /** Block of the event that made it; null while that is not indexed. */
  readonly created_height: number | null
  /** Block of its last event. */
  readonly last_height: number
  /** Time of that block. */
  readonly updated_at: string | null
}

export interface DefiEventList {
  readonly data: readonly DefiEvent[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface DefiEvent {
  readonly block_height: number
  /** 64 hex digits, no 0x. */
  readonly transaction_id: string
  readonly transaction_index: number
  readonly event_index: number
  /** A.<address>.<contract>, with the account of the pool behind where one contract has many. */
  readonly pair_id: string
  /** ProtocolFee: liquidity tokens minted for nothing, for the exchange. */
  readonly event_type: 'Swap' | 'AddLiquidity' | 'RemoveLiquidity' | 'Flashloan' | 'ProtocolFee'
  /** Account that authorized the transaction first, else who paid for it; null: the chain itself. */
  readonly maker: string | null
  /** Of a swap: which asset was given and which was got; else null. */
  readonly direction: 'asset0_to_asset1' | 'asset1_to_asset0' | null
  /** Of a swap the first token of the pair, of liquidity the first that moved, of a flash loan the one lent. */
  readonly asset0_id: string | null
  readonly asset1_id: string | null
  readonly asset0_symbol: string | null
  readonly asset1_symbol: string | null
  /** Whole tokens that went into the pair; null: none, or nothing tells. Like those that follow. */
  readonly asset0_in: string | null
  readonly asset0_out: string | null
  readonly asset1_in: string | null
  readonly asset1_out: string | null
  /** Liquidity tokens minted or burned. */
  readonly lp_amount: string | null
  /** Of a swap: asset1 for 1 asset0. */
  readonly price_native: string | null
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
}

export interface DefiEventAnswer {
  readonly data: readonly DefiEvent[]
}

export interface ScheduledTransactionList {
  readonly data: readonly ScheduledTransaction[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ScheduledTransaction {
  /** The scheduler's number of it; they rise in the order of scheduling. */
  readonly id: number
  /** pending: it was due, and how it went is unknown, since no access node has the result. */
  readonly status: 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'
  /** Null where no indexed event tells. */
  readonly priority: 'high' | 'medium' | 'low' | null
  /** When it is to run. Null where no indexed event tells. */
  readonly due_at: string | null
  /** Computation that it may use. Null where no indexed event tells. */
  readonly execution_effort: number | null
  /** Paid in advance, in FLOW. Null where no indexed event tells. */
  readonly fees: string | null
  /** Given back when it was cancelled, in FLOW; else null. */
  readonly fees_returned: string | null
  /** Kept when it was cancelled, in FLOW; else null. */
  readonly fees_deducted: string | null
  /** Account that holds the handler. */
  readonly handler_owner: string | null
  /** Cadence type of the handler. Null where no indexed event tells. */
  readonly handler_type: string | null
  /** Null also before October 2025. */
  readonly handler_uuid: string | null
  /** Where the handler says that it can be looked at, which nobody checks. */
  readonly handler_public_path: string | null
  /** Block that scheduled it; null while that is not indexed. */
  readonly scheduled_height: number | null
  readonly scheduled_at: string | null
  /** Transaction that scheduled it. */
  readonly scheduled_tx_id: string | null
  /** Block in which it ran or was cancelled; null before. */
  readonly ended_height: number | null
  readonly ended_at: string | null
  /** The transaction that was its run. */
  readonly executed_tx_id: string | null
  /** Transaction that cancelled it. */
  readonly canceled_tx_id: string | null
  /** Of a run that failed. */
  readonly error_message: string | null
}

export interface ScheduledTransactionAnswer {
  readonly data: readonly ScheduledTransactionDetail[]
}

export interface ScheduledTransactionDetail {
  /** The scheduler's number of it; they rise in the order of scheduling. */
  readonly id: number
  /** pending: it was due, and how it went is unknown, since no access node has the result. */
  readonly status: 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'
  /** Null where no indexed event tells. */
  readonly priority: 'high' | 'medium' | 'low' | null
  /** When it is to run. Null where no indexed event tells. */
  readonly due_at: string | null
  /** Computation that it may use. Null where no indexed event tells. */
  readonly execution_effort: number | null
  /** Paid in advance, in FLOW. Null where no indexed event tells. */
  readonly fees: string | null
  /** Given back when it was cancelled, in FLOW; else null. */
  readonly fees_returned: string | null
  /** Kept when it was cancelled, in FLOW; else null. */
  readonly fees_deducted: string | null
  /** Account that holds the handler. */
  readonly handler_owner: string | null
  /** Cadence type of the handler. Null where no indexed event tells. */
  readonly handler_type: string | null
  /** Null also before October 2025. */
  readonly handler_uuid: string | null
  /** Where the handler says that it can be looked at, which nobody checks. */
  readonly handler_public_path: string | null
  /** Block that scheduled it; null while that is not indexed. */
  readonly scheduled_height: number | null
  readonly scheduled_at: string | null
  /** Transaction that scheduled it. */
  readonly scheduled_tx_id: string | null
  /** Block in which it ran or was cancelled; null before. */
  readonly ended_height: number | null
  readonly ended_at: string | null
  /** The transaction that was its run. */
  readonly executed_tx_id: string | null
  /** Transaction that cancelled it. */
  readonly canceled_tx_id: string | null
  /** Of a run that failed. */
  readonly error_message: string | null
  /** In the order of the chain. */
  readonly changes: readonly ScheduledTransactionChange[]
}

export interface ScheduledTransactionChange {
  /** pending: it was found due. */
  readonly kind: 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'
  readonly block_height: number
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  /** 64 hex digits, no 0x. */
  readonly transaction_id: string
}

export interface ScheduledHandlerList {
  readonly data: readonly ScheduledHandler[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface ScheduledHandler {
  readonly handler_uuid: string
  /** Account that holds it. */
  readonly handler_owner: string | null
  /** Its Cadence type. */
  readonly handler_type: string | null
  /** Where it says that it can be looked at, which nobody checks. */
  readonly handler_public_path: string | null
  /** The first transaction that was scheduled with it. */
  readonly first: ScheduledTransaction
  /** The latest one. */
  readonly latest: ScheduledTransaction
}

export interface ScheduledHandlerAnswer {
  readonly data: readonly ScheduledHandler[]
}

export interface SearchResult {
  /** What the text names exactly. */
  readonly hits: readonly SearchHit[]
  /** By the number of contracts that import them. */
  readonly contracts: readonly FoundContract[]
  /** Fungible tokens, by holders. */
  readonly tokens: readonly FoundToken[]
  /** By holders. */
  readonly nft_collections: readonly FoundNftCollection[]
  /** Accounts that are known by such a name. */
  readonly accounts: readonly FoundAccount[]
}

export interface SearchHit {
  readonly type: 'block' | 'transaction' | 'evm_transaction' | 'account' | 'evm_address' | 'scheduled_transaction' | 'public_key'
  /** Id, hash, address or number, as the path wants it. */
  readonly id: string
  /** Block of what lies in one. */
  readonly block_height: number | null
  /** Where the API tells all of it. */
  readonly path: string
}

export interface FoundContract {
  /** `A.<address>.<name>` */
  readonly id: string
  /** 0x and 16 hex digits. */
  readonly address: string
  readonly name: string
  /** Null while its code is not known. */
  readonly kind: 'FT' | 'NFT' | 'CONTRACT' | null
  /** Contracts that import it. */
  readonly dependent_count: number
}

export interface FoundToken {
  /** `A.<address>.<name>` */
  readonly id: string
  /** 0x and 16 hex digits. */
  readonly address: string
  readonly contract_name: string
  /** What the contract calls it, else contract_name. */
  readonly name: string
  readonly symbol: string | null
  /** Null where no price of the last two days is known. */
  readonly market_symbol: string | null
  /** Address of an image. */
  readonly logo: string | null
  readonly holder_count: number
  /** Whether the account of the contract is a known one: it has a label. */
  readonly is_verified: boolean
}

export interface FoundNftCollection {
  /** Collection, `A.<address>.<name>`; a further part where its items are not named NFT. */
  readonly id: string
  /** 0x and 16 hex digits. */
  readonly address: string
  readonly contract_name: string
  /** What the contract calls it, else contract_name. */
  readonly name: string
  /** Items that are in somebody's collection. */
  readonly item_count: number
  readonly square_image: string | null
  /** Whether the account of the contract is a known one: it has a label. */
  readonly is_verified: boolean
}

export interface FoundAccount {
  /** 0x and 16 hex digits; 40 for an account of Flow EVM. */
  readonly address: string
  readonly tag: string
  readonly label: string
  readonly category: string
}

export interface TransactionPreview {
  readonly query: string
  readonly type: 'tx'
  readonly cadence: PreviewedTransaction | null
  readonly evm: EvmTransaction | null
  /** Which of both belong together; null where there are not both. */
  readonly link: { readonly cadence_tx_id: string; readonly evm_hash: string } | null
  /** What ran in it, or what it scheduled or cancelled. */
  readonly scheduled: PreviewedSchedule | null
}

export interface PreviewedTransaction {
  /** 64 hex digits, no 0x. */
  readonly id: string
  readonly status: string
  readonly execution_status: 'SUCCESS' | 'FAILURE' | 'UNKNOWN'
  readonly block_height: number
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
  readonly authorizers: readonly string[]
  readonly is_evm: boolean
  readonly gas_used: number | null
  readonly tags: readonly string[]
}

export interface PreviewedSchedule {
  /** The number that the scheduler gave it. */
  readonly id: string
  readonly status: 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'
  /** Cadence type of the handler. */
  readonly handler_type: string | null
  /** Account that holds the handler. */
  readonly handler_owner: string | null
}

export interface AddressPreview {
  readonly query: string
  readonly type: 'address'
  readonly cadence: PreviewedAccount | null
  readonly evm: { readonly hash: string; readonly name: string | null; readonly is_contract: boolean | null; readonly flow_address: string | null; readonly address: string } | null
  /** Which of both belong together; null where there are not both. */
  readonly link: { readonly flow_address: string; readonly coa_address: string } | null
}

export interface PreviewedAccount {
  /** 0x and 16 hex digits. */
  readonly address: string
  /** Contracts that it has. */
  readonly contract_count: number
  /** The same as contract_count; some clients of the Flow explorer API read this name. */
  readonly contracts_count: number
  /** Whether it has a key that is not revoked, as far as keys are indexed. */
  readonly has_active_keys: boolean
  /** The same as has_active_keys; some clients of the Flow explorer API read this name. */
  readonly has_keys: boolean
}

export interface WebhookEventTypeList {
  readonly data: readonly WebhookEventType[]
  /** Whether there are items after this page. */
  readonly has_more: boolean
  /** Ask with this `cursor` for the next page; empty on the last page. */
  readonly cursor: string
  readonly _meta: PageInfo
}

export interface WebhookEventType {
  readonly type: string
  readonly description: string
}

export interface ClientEventTypeItems {
  readonly items: readonly string[]
  /** Of these items. */
  readonly count: number
}

export interface Health {
  readonly status: 'ok' | 'unavailable'
  /** When the database was checked; null before the first check. */
  readonly checked_at: string | null
}

export interface IndexingStatus {
  /** `flow-mainnet`, `flow-testnet`, …; `unknown` until an access node was met. */
  readonly chain_id: string
  /** Latest sealed height of the chain; the highest stored one while no access node has said. */
  readonly latest_height: number
  /** Forward ingestion has stored everything up to here. */
  readonly indexed_height: number
  /** The history ingester is down to here. */
  readonly history_height: number
  /** Lowest stored height. */
  readonly min_height: number
  /** Highest stored height. */
  readonly max_height: number
  /** Stored blocks, exact. */
  readonly total_blocks: number
  /** Their transactions, exact. */
  readonly total_transactions: number
  /** Their events, exact. */
  readonly total_events: number
  /** Accounts that were created or took part in a transaction: exact up to 10,000, above that as PostgreSQL estimates. */
  readonly total_addresses: number
  /** Contracts that are deployed, of those that are derived; estimated where there are more than 10,000. */
  readonly total_contracts: number
  /** Way of forward ingestion from start_height to the head of the chain. */
  readonly progress: string
  /** Blocks between the head of the chain and indexed_height. */
  readonly behind: number
  /** `ok`: requests can be served. How far the indexer is says `behind`. */
  readonly status: string
  /** Where forward ingestion began. */
  readonly start_height: number
  /** Height of each ingester and worker. A worker has done everything from its lowest height up to here, and maybe more above a gap. */
  readonly checkpoints: Readonly<Record<string, number>>
  /** Last change of each checkpoint. */
  readonly checkpoint_timestamps: Readonly<Record<string, string>>
  /** ENABLE_FORWARD_INGESTER. */
  readonly forward_enabled: boolean
  /** ENABLE_HISTORY_INGESTER. */
  readonly history_enabled: boolean
  /** Ingesters and workers by name, as the process that answers has them configured; false also where this version does not have the worker yet. */
  readonly worker_enabled: Readonly<Record<string, boolean>>
  /** Their settings. Ingesters: `workers` blocks fetched at the same time, `batch_size` most blocks in one commit; null where flowfarm finds the number itself. Workers: `concurrency` jobs at the same time in each process, `range` most blocks in one range. */
  readonly worker_config: Readonly<Record<string, Readonly<Record<string, number | null>>>>
  /** Time of the lowest stored block. */
  readonly oldest_block_timestamp: string | null
  readonly error_summary: { readonly unresolved_errors: number; readonly dead_leases: number; readonly errors_by_worker: Readonly<Record<string, number>>; readonly dead_leases_by_worker: Readonly<Record<string, number>> }
  /** ISO 8601, UTC, milliseconds. */
  readonly generated_at: string
  /** Only with `include_ranges`: the stored heights, exact, ascending. */
  readonly indexed_ranges?: readonly ({ readonly from: number; readonly to: number })[]
}
