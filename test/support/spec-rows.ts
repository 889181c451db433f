/** A row of the specification's endpoint table. */
export interface SpecRow {
  readonly path: string
  /** In the words of the specification. */
  readonly returns: string
  /**
   * `list`: in the list envelope. `single`: in an array of one. `object`: without an envelope.
   * `text`: not JSON.
   */
  readonly kind: 'list' | 'single' | 'object' | 'text'
}

const rowsOf = (kind: SpecRow['kind'], rows: Readonly<Record<string, string>>): SpecRow[] =>
  Object.entries(rows).map(([path, returns]) => ({ path, returns, kind }))

/** The endpoints of the specification, each by its own path. */
export const specRows: readonly SpecRow[] = [
  ...rowsOf('object', {
    '/health': 'health object',
    '/status': 'indexing status object',
    '/openapi.json': 'machine-readable API description',
  }),
  ...rowsOf('text', { '/openapi.yaml': 'machine-readable API description' }),
  ...rowsOf('list', { '/flow/block': 'blocks' }),
  ...rowsOf('single', { '/flow/block/{height}': 'one block with collections and transaction summaries' }),
  ...rowsOf('list', {
    '/flow/block/{height}/transaction': 'all transactions of the block',
    '/flow/block/{height}/service-event': 'system service events of the block',
    '/flow/transaction': 'transactions',
  }),
  ...rowsOf('single', { '/flow/transaction/{id}': 'one transaction; an EVM hash is also accepted as id' }),
  ...rowsOf('list', { '/flow/account': 'accounts' }),
  ...rowsOf('single', { '/flow/account/{address}': 'account detail' }),
  ...rowsOf('list', {
    '/flow/account/{address}/transaction': 'transactions where the address is payer, proposer or authorizer',
    '/flow/account/{address}/ft': 'all fungible token vaults with balances',
    '/flow/account/{address}/ft/transfer': 'FT transfers',
    '/flow/account/{address}/nft': 'NFT collections',
    '/flow/account/{address}/nft/transfer': 'NFT transfers',
    '/flow/account/{address}/balance/history': 'balance history',
  }),
  ...rowsOf('object', { '/flow/account/{address}/storage': 'on-chain storage contents' }),
  ...rowsOf('object', { '/flow/account/{address}/contract/{name}': 'source code of the named contract' }),
  ...rowsOf('list', { '/flow/account/{address}/labels': 'known labels' }),
  ...rowsOf('object', { '/flow/account/{address}/tax-report': 'generated tax report' }),
  ...rowsOf('list', { '/flow/ft': 'all known fungible tokens with metadata' }),
  ...rowsOf('single', { '/flow/ft/{token}': 'one token' }),
  ...rowsOf('list', { '/flow/ft/transfer': 'global FT transfer feed' }),
  ...rowsOf('object', { '/flow/ft/stats': 'token stats', '/flow/ft/prices': 'prices' }),
  ...rowsOf('list', {
    '/flow/ft/{token}/holding': 'holdings of the token',
    '/flow/ft/{token}/top-account': 'top accounts of the token',
  }),
  ...rowsOf('list', { '/flow/nft': 'NFT collections' }),
  ...rowsOf('single', { '/flow/nft/{nft_type}': 'one collection' }),
  ...rowsOf('list', {
    '/flow/nft/transfer': 'global NFT transfer feed',
    '/flow/nft/{nft_type}/item': 'items of the collection',
  }),
  ...rowsOf('single', { '/flow/nft/{nft_type}/item/{id}': 'one item' }),
  ...rowsOf('list', {
    '/flow/nft/{nft_type}/item/{id}/transfer': 'transfers of the item',
    '/flow/nft/search': 'NFT search',
    '/flow/contract': 'contracts',
  }),
  ...rowsOf('single', { '/flow/contract/{identifier}': 'one contract' }),
  ...rowsOf('list', {
    '/flow/contract/{identifier}/transaction': 'transactions of the contract',
    '/flow/contract/{identifier}/events': 'event types of the contract',
    '/flow/contract/{identifier}/version': 'versions of the contract',
  }),
  ...rowsOf('single', { '/flow/contract/{identifier}/dependencies': 'dependencies of the contract' }),
  ...rowsOf('list', { '/flow/evm/transaction': 'paginated EVM transactions with chain and EVM identifiers' }),
  ...rowsOf('single', { '/flow/evm/transaction/{hash}': 'EVM details plus parent chain transaction' }),
  ...rowsOf('list', { '/flow/evm/token': 'EVM token contracts' }),
  ...rowsOf('single', { '/flow/evm/token/{address}': 'one EVM token' }),
  ...rowsOf('list', {
    '/flow/evm/address/{address}/token': 'token holdings of an address',
    '/flow/node': 'staking nodes',
  }),
  ...rowsOf('single', { '/flow/node/{node_id}': 'one node' }),
  ...rowsOf('list', {
    '/staking/delegator': 'delegators',
    '/staking/epoch/stats': 'epoch stats',
    '/staking/epoch/{epoch}/nodes': 'nodes of the epoch',
    '/staking/rewards/paid': 'rewards',
    '/staking/rewards/staking': 'rewards',
  }),
  ...rowsOf('single', { '/staking/tokenomics': 'tokenomics' }),
  ...rowsOf('list', { '/defi/asset': 'DeFi assets', '/defi/pair': 'DeFi pairs', '/defi/events': 'DeFi events' }),
  ...rowsOf('single', { '/defi/latest-swap': 'latest swap' }),
  ...rowsOf('list', {
    '/insights/daily': 'daily aggregate metrics (transactions, accounts, events)',
    '/insights/daily/module/{module}': 'daily metrics of a module',
    '/insights/transfers/daily': 'analytics',
    '/insights/big-transfers': 'analytics',
    '/insights/top-contracts': 'analytics',
    '/insights/token-volume': 'analytics',
    '/status/stat': 'network statistics',
    '/status/stat/{timescale}/trend': 'trend of the network statistics',
  }),
  ...rowsOf('single', { '/status/flow/stat': 'chain statistics', '/status/epoch/status': 'epoch status' }),
  ...rowsOf('list', { '/status/epoch/stat': 'epoch status' }),
  ...rowsOf('single', { '/status/price': 'price data', '/status/price/at': 'price data' }),
  ...rowsOf('list', {
    '/status/price/history': 'price data',
    '/status/prices': 'price data',
    '/status/nodes': 'node count',
  }),
  ...rowsOf('list', {
    '/flow/events/search': 'events searched by type across indexed blocks',
    '/flow/key/{publicKey}': 'accounts associated with the public key',
    '/flow/coa/{address}': 'mapping between a chain address and its EVM account (COA)',
  }),
]
