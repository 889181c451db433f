import { skewed } from '../skewed-world.ts'
import type { ListCase, ListKeys } from '../list-case.ts'
import { caseOf } from './cases-of.ts'

const { evmWhale, evmQuiet, evmCoin, evmBadge } = skewed

const transactions = (where: string): ListKeys => ({
  cursor: "t.block_height || ':' || t.tx_index || ':' || t.event_index",
  from: `app.evm_tx_hashes t where ${where}`,
  order: ['-t.block_height', '-t.tx_index', '-t.event_index'],
})

const transfers = (where: string): ListKeys => ({
  cursor: "t.block_height || ':' || t.tx_index || ':' || t.event_index || ':' || t.log_index || ':' || t.batch_index",
  from: `app.evm_token_transfers t where ${where}`,
  order: ['-t.block_height', '-t.tx_index', '-t.event_index', '-t.log_index', '-t.batch_index'],
})

const tokens = (where: string): ListKeys => ({
  cursor: "t.holder_count || ':0x' || t.token || ':ERC-' || t.standard",
  from: `app.evm_tokens t where ${where}`,
  order: ['-t.holder_count', '-t.token', '-t.standard'],
})

const holdings = (where: string): ListKeys => ({
  cursor: "'0x' || h.token || ':ERC-' || h.standard",
  from: `app.evm_token_holdings h where h.address = '${evmWhale}' and ${where}`,
  order: ['h.token', 'h.standard'],
})

const holders = (token: string): ListKeys => ({
  cursor: "h.balance || ':0x' || h.address",
  from: `app.evm_token_holdings h where h.token = '${token}' and h.balance > 0`,
  order: ['-h.balance', '-h.address'],
})

/** Among the addresses that send and receive now and then. */
const someAddress = `1${'0'.repeat(37)}32`

export const evmCases: readonly ListCase[] = [
  caseOf('/flow/evm/transaction', {}, transactions('true')),
  ...[evmWhale, evmQuiet, someAddress].flatMap((address) => [
    caseOf(
      '/flow/evm/address/{address}/transactions',
      { address: `0x${address}` },
      transactions(`'${address}' in (t.evm_from, t.evm_to)`),
    ),
    caseOf(
      '/flow/evm/address/{address}/token-transfers',
      { address: `0x${address}` },
      transfers(`'${address}' in (t.from_address, t.to_address)`),
    ),
  ]),
  caseOf('/flow/evm/token', {}, tokens('true')),
  caseOf('/flow/evm/token', { type: 'ERC-721' }, tokens('t.standard = 721')),
  caseOf('/flow/evm/token', { type: 'ERC-1155' }, tokens('t.standard = 1155')),
  caseOf('/flow/evm/token/{address}/holding', { address: `0x${evmCoin}` }, holders(evmCoin)),
  caseOf('/flow/evm/token/{address}/holding', { address: `0x${evmCoin}`, type: 'ERC-20' }, holders(evmCoin)),
  caseOf('/flow/evm/token/{address}/token-transfers', { address: `0x${evmCoin}` }, transfers(`t.token = '${evmCoin}'`)),
  caseOf(
    '/flow/evm/token/{address}/token-transfers',
    { address: `0x${evmBadge}`, type: 'ERC-721' },
    transfers(`t.token = '${evmBadge}'`),
  ),
  caseOf('/flow/evm/address/{address}/token', { address: `0x${evmWhale}` }, holdings('true')),
  caseOf(
    '/flow/evm/address/{address}/token',
    { address: `0x${evmWhale}`, type: 'ERC-20' },
    holdings('h.standard = 20'),
  ),
  caseOf(
    '/flow/evm/address/{address}/nft',
    { address: `0x${evmWhale}` },
    {
      cursor: "'0x' || i.token || ':ERC-' || i.standard || ':' || i.token_id",
      from: `app.evm_token_items i where i.address = '${evmWhale}'`,
      order: ['i.token', 'i.standard', 'i.token_id'],
    },
  ),
]
