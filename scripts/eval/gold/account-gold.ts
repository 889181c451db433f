import type { GoldQuestion } from './gold-question.ts'

const target = 'indexer'

/** About accounts, keys, contracts and scheduled transactions. */
export const accountGold: readonly GoldQuestion[] = [
  {
    id: 'account-count',
    target,
    question: 'How many accounts are known?',
    accepted: ['select count(*) from app.accounts', 'select count(address) from app.accounts'],
  },
  {
    id: 'created-accounts',
    target,
    question: 'How many accounts were created in the indexed blocks?',
    accepted: [
      'select count(*) from app.accounts where created_height is not null',
      `select event_count from app.event_types where type = 'flow.AccountCreated'`,
      'select sum(new_account_count) from app.daily_stats',
    ],
  },
  {
    id: 'busiest-account',
    target,
    question: 'Which account took part in the most transactions, and in how many?',
    accepted: ['select address, tx_count from app.address_stats order by tx_count desc, address limit 1'],
  },
  {
    id: 'accounts-over-ten',
    target,
    question: '参与交易超过十笔的账户有多少个？',
    accepted: ['select count(*) from app.address_stats where tx_count > 10'],
  },
  {
    id: 'biggest-payer',
    target,
    question: 'Which account paid for the most computation, and how much?',
    accepted: ['select address, gas_used from app.address_stats order by gas_used desc, address limit 1'],
  },
  {
    id: 'keys-by-revocation',
    target,
    question: 'How many keys are there by whether they are revoked (true or false)?',
    accepted: ['select is_revoked, count(*) from app.account_keys group by is_revoked'],
  },
  {
    id: 'keys-added-by-day',
    target,
    question: 'How many keys were added to accounts on each day? Days with some only, oldest first.',
    accepted: [
      `select s.day, count(*) from app.account_key_changes c join app.block_stats s using (block_height)
where not c.is_removed group by s.day order by s.day`,
    ],
    order: [0],
  },
  {
    id: 'service-labels',
    target,
    question: 'Which labels do accounts of the category service have? In alphabetical order.',
    accepted: [`select label from app.account_labels where category = 'service' order by label`],
    order: [0],
  },
  {
    id: 'last-seen-latest',
    target,
    question: 'How many accounts were seen in the last 100 blocks?',
    accepted: ['select count(*) from app.accounts where last_seen_height > (select max(height) from raw.blocks) - 100'],
  },
  {
    id: 'contracts-present',
    target,
    question: 'How many contracts are there now, removed ones not counted?',
    accepted: [
      'select count(*) from app.smart_contracts where not is_removed',
      'select count(*) from app.contracts where is_removed = false',
    ],
  },
  {
    id: 'contracts-removed',
    target,
    question: '哪些合约已被删除？给出地址和名称。',
    accepted: ['select address, name from app.smart_contracts where is_removed'],
  },
  {
    id: 'updates-of-contracts',
    target,
    question: 'How many updates of contracts were there?',
    accepted: [
      `select count(*) from app.contract_versions where change = 'updated'`,
      'select sum(contract_update_count) from app.daily_stats',
    ],
  },
  {
    id: 'same-name',
    target,
    question: 'Which contract names are used in more than one account, and in how many?',
    accepted: ['select name, count(*) from app.smart_contracts group by name having count(*) > 1'],
  },
  {
    id: 'importers-of-flowtoken',
    target,
    question: 'How many transactions import FlowToken in their script?',
    accepted: [
      `select sum(cardinality(tx_indexes)) from app.tx_contracts where contract = 'A.{flowToken}.FlowToken'`,
      `select sum(activity_count) from app.hourly_activity where kind = 'contract'
        and name = 'A.{flowToken}.FlowToken'`,
    ],
  },
  {
    id: 'event-types-of-evm',
    target,
    question: 'Which event types does the contract EVM have, and how many of each? Most frequent first.',
    accepted: [
      `select type, event_count from app.event_types where type like 'A.{service}.EVM.%' order by event_count desc`,
    ],
    order: [1],
  },
  {
    id: 'scheduled-failed',
    target,
    question: 'How many scheduled transactions failed?',
    accepted: [
      `select count(*) from app.scheduled_transactions where status = 'failed'`,
      `select count(*) from app.scheduled_transaction_changes where kind = 'failed'`,
    ],
  },
  {
    id: 'scheduled-fees',
    target,
    question: 'How much FLOW was given back for scheduled transactions that were cancelled?',
    accepted: [
      `select sum(fees_returned) from app.scheduled_transactions where status = 'canceled'`,
      'select sum(fees_returned) from app.scheduled_transactions',
    ],
  },
]
