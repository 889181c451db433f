import type { RunningApi } from './running-api.ts'

export interface ExplorerRoute {
  readonly name: string
  readonly path: string
  /** Start of the heading. */
  readonly heading: string
}

/** Paths of all pages and tabs, with objects of the recording `base`. */
export async function explorerRoutes(api: RunningApi): Promise<readonly ExplorerRoute[]> {
  const first = async (path: string, field: string): Promise<string> => {
    const { data } = await api.json<{ data: readonly Record<string, unknown>[] }>(path)
    return String(data[0]?.[field])
  }
  const account = '/account/0xe03daebed8ca0615'
  const nft = '/nft/A.179b6b1cb6755e31.PaperBoats'
  const contract = '/contract/A.f3fcd2c1a78f5eee.Crossroads'
  const transaction = `/transaction/${await first('/flow/evm/transaction', 'transaction_id')}`
  const item = await first('/flow/nft/A.179b6b1cb6755e31.PaperBoats/item', 'nft_id')
  const evmTransaction = `/evm/transaction/${await first('/flow/evm/transaction', 'hash')}`
  const evmToken = await first('/flow/evm/token', 'address')
  const node = `/node/${await first('/flow/node', 'node_id')}`
  const route = (name: string, path: string, heading: string): ExplorerRoute => ({ name, path, heading })
  const tabs = (name: string, path: string, heading: string, ...others: readonly string[]): ExplorerRoute[] => [
    route(name, path, heading),
    ...others.map((tab) => route(`${name}-${tab}`, `${path}?tab=${tab}`, heading)),
  ]
  return [
    route('home', '/', 'The Flow blockchain'),
    route('blocks', '/blocks', 'Blocks'),
    ...tabs('block', '/block/141', 'Block 141', 'collections', 'service'),
    route('transactions', '/transactions', 'Transactions'),
    route('transactions-all', '/transactions?show=all', 'Transactions'),
    ...tabs('transaction', transaction, 'Transaction', 'balances', 'events', 'script', 'arguments', 'evm', 'raw'),
    route('script', `/script/${await first('/flow/transaction', 'script_hash')}`, 'Script'),
    route('accounts', '/accounts', 'Accounts'),
    route('accounts-rich', '/accounts?sort=flow_balance', 'Accounts'),
    ...tabs(
      'account',
      account,
      'Account',
      'transfers',
      'tokens',
      'counterparties',
      'nfts',
      'evm',
      'staking',
      'keys',
      'contracts',
      'about',
    ),
    route('tokens', '/tokens', 'Tokens'),
    ...tabs('token', '/token/A.0ae53cb6e3f42a79.FlowToken', 'Token', 'holders', 'price', 'about'),
    route('collections', '/nfts', 'NFT collections'),
    ...tabs('collection', nft, 'Collection', 'holders', 'transfers', 'about'),
    route('item', `${nft}/item/${item}`, 'NFT'),
    route('contracts', '/contracts', 'Contracts'),
    ...tabs(
      'contract',
      contract,
      'Contract Crossroads',
      'versions',
      'dependencies',
      'events',
      'transactions',
      'scripts',
    ),
    ...tabs('evm', '/evm', 'Flow EVM', 'tokens'),
    route('evm-gas', '/evm/gas', 'EVM Gas'),
    ...tabs('evm-transaction', evmTransaction, 'EVM transaction', 'logs', 'input'),
    ...tabs('evm-address', `/evm/address/${evmToken}`, 'EVM', 'transfers', 'tokens', 'nfts'),
    ...tabs('evm-token', `/evm/token/${evmToken}`, 'EVM token', 'holders'),
    ...tabs('nodes', '/nodes', 'Staking', 'epochs', 'rewards'),
    ...tabs('node', node, 'Node', 'events'),
    route('charts', '/charts', 'Daily statistics'),
    route('scheduled', '/scheduled', 'Scheduled transactions'),
    route(
      'scheduled-transaction',
      `/scheduled/${await first('/flow/scheduled-transaction', 'id')}`,
      'Scheduled transaction',
    ),
    route('scheduled-handlers', '/scheduled?tab=handlers', 'Scheduled transactions'),
    route('transfers', '/transfers?address=0xf8d6e0586b0a20c7&direction=deposit', 'Transfers'),
    ...tabs('events', '/events', 'Events', 'types'),
    route('events-found', '/events?name=TokensDeposited', 'Events'),
    route('pairs', '/pairs', 'DeFi'),
    route('pair', `/pair/${await first('/defi/pair', 'id')}`, 'Pair'),
    route('tax-report', '/tax-report?address=0xe03daebed8ca0615&from=2026-01-01&to=2026-12-31', 'Tax report'),
    route('indexing', '/indexing', 'Indexing status'),
    route('search', '/search?q=flow', 'Search for'),
    route('api', '/docs', 'flowfarm explorer API'),
    route('api-endpoint', '/docs/getTransaction', 'Transaction with its events'),
  ]
}
