/** What can be subscribed to. The more special of two names of one event stands first. */
export const eventTypes = {
  'block.sealed': 'A block was stored.',
  'transaction.sealed': 'A transaction was sealed, successful or not.',
  'address.activity': 'An account paid for, proposed or authorized a transaction, or was created by it.',
  'ft.large_transfer': 'A fungible token moved: at least `min_amount`, without it 1,000 whole tokens.',
  'ft.transfer': 'A fungible token moved from account to account; fees are left out.',
  'nft.transfer': 'An item of a collection moved from account to account.',
  'account.created': 'An account was created.',
  'account.key.added': 'A key was added to an account.',
  'account.key.removed': 'A key of an account was revoked.',
  'account.key_change': 'A key was added to an account or revoked.',
  'account.contract.added': 'A contract was deployed.',
  'account.contract.updated': 'A contract was replaced by a new version.',
  'account.contract.removed': 'A contract was removed.',
  'account.event': 'Any of the above that starts with `account.`.',
  'contract.event': 'A contract emitted an event; `contracts` or `event_names` with full types say which.',
  'evm.transaction': 'A transaction of Flow EVM was executed, successful or not.',
  'defi.swap': 'Two tokens of a pair were swapped.',
  'defi.liquidity': 'Liquidity was added to a pair or removed.',
  'defi.event': 'Any event of a pair: swaps, liquidity, flash loans, fees of the exchange.',
  'staking.event': 'Something happened to a node, to a delegator or to the rules of staking.',
  'chain.rollback':
    'Blocks were taken back: what was told of them did not happen. It comes unasked to subscriptions that were told of one.',
} as const

export type EventType = keyof typeof eventTypes

export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]]

/** What the endpoint is sent to try it out; nobody can subscribe to it. */
export const testEventType = 'webhook.test'
