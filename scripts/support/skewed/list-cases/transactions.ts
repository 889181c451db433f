import { skewed } from '../skewed-world.ts'
import type { ListCase, ListKeys } from '../list-case.ts'
import { caseOf, transactionIdOf } from './cases-of.ts'
import type { Values } from './cases-of.ts'

const { whale, middling, quiet, late, relay, guest, nobody } = skewed
const order = ['-t.block_height', '-t.tx_index']

function keys(
  where: string,
  cursor = `t.block_height || ':' || t.tx_index || ':' || ${transactionIdOf('t.block_height')}`,
): ListKeys {
  return { cursor, from: `raw.transactions t where ${where}`, order }
}

/** Accounts are known to have their transactions by another table, which finds these keys quicker. */
function keysOfAccount(address: string): ListKeys {
  return {
    cursor: `t.block_height || ':' || ${transactionIdOf('t.block_height')}`,
    from: `app.address_transactions t where t.address = '${address}'`,
    order,
  }
}

function keysOfContract(contract: string): ListKeys {
  return {
    cursor: `t.block_height || ':0:' || ${transactionIdOf('t.block_height')}`,
    from: `app.tx_contracts t where t.contract = '${contract}'`,
    order: ['-t.block_height'],
  }
}

const all = (values: Values, where: string, isCut = false): ListCase =>
  caseOf('/flow/transaction', values, keys(where), isCut)
const ofAccount = (address: string, more: Values = {}): ListCase =>
  caseOf('/flow/account/{address}/transaction', { address, ...more }, keysOfAccount(address))
const ofContract = (identifier: string, more: Values = {}): ListCase =>
  caseOf('/flow/contract/{identifier}/transaction', { identifier, ...more }, keysOfContract(identifier))

function events(values: Values, where: string): ListCase {
  return caseOf('/flow/events/search', values, {
    cursor: `t.block_height || ':' || t.tx_index || ':' || t.event_index`,
    from: `raw.events t where ${where}`,
    order: [...order, '-t.event_index'],
  })
}

/** One of the contracts that some scripts import. */
const someApp = 'A.000000000001000a.App'

export const transactionCases: readonly ListCase[] = [
  caseOf('/flow/block', {}, { cursor: 't.height', from: 'raw.blocks t', order: ['-t.height'] }),
  all({}, 'true'),
  all({ include_events: 'true' }, 'true'),
  all({ payer: whale }, `t.payer_address = '${whale}'`),
  all({ payer: middling }, `t.payer_address = '${middling}'`),
  all({ payer: quiet }, `t.payer_address = '${quiet}'`),
  all({ payer: late }, `t.payer_address = '${late}'`),
  all({ payer: nobody }, 'false'),
  all({ proposer: relay }, `t.proposer_address = '${relay}'`),
  all({ authorizers: guest }, `t.authorizers @> array['${guest}']`),
  all({ status: 'SUCCESS' }, 't.status_code = 0', true),
  all({ status: 'FAILURE' }, 't.status_code <> 0'),
  all({ status: 'UNKNOWN' }, 't.status_code is null'),
  all({ status: 'SEALED' }, `t.status = 'SEALED'`, true),
  all({ payer: whale, status: 'FAILURE' }, `t.payer_address = '${whale}' and t.status_code <> 0`, true),
  all({ payer: whale, status: 'UNKNOWN' }, `t.payer_address = '${whale}' and t.status_code is null`, true),
  all({ payer: middling, status: 'FAILURE' }, `t.payer_address = '${middling}' and t.status_code <> 0`, true),
  all(
    { payer: whale, authorizers: guest },
    `t.payer_address = '${whale}' and t.authorizers @> array['${guest}']`,
    true,
  ),
  all(
    { payer: whale, proposer: relay, authorizers: guest, status: 'SUCCESS' },
    `
    t.payer_address = '${whale}' and t.proposer_address = '${relay}' and t.authorizers @> array['${guest}'] and t.status_code = 0`,
    true,
  ),
  all({ proposer: guest }, 'false', true),
  ...[whale, middling, quiet, late, relay].map((address) => ofAccount(address)),
  ofAccount(middling, { include_events: 'true' }),
  ...[skewed.contract, skewed.rareContract, someApp].map((contract) => ofContract(contract)),
  ofContract(skewed.contract, { include_events: 'true' }),
  events({ type: skewed.eventType }, `t.type = '${skewed.eventType}'`),
  events({ type: skewed.evmEventType }, `t.type = '${skewed.evmEventType}'`),
  events({ type: skewed.rareEventType }, `t.type = '${skewed.rareEventType}'`),
  events({ name: someApp.slice(2, 18) }, 'false'),
  events({ name: 'RareContract' }, `t.type = '${skewed.rareEventType}'`),
  events({ name: 'FlowToken.' }, `t.type = '${skewed.eventType}'`),
]
