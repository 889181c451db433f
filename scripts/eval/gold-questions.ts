import type { QueryTarget } from '../../src/assistant/query/query-service.ts'
import { withAddresses } from '../../src/assistant/query/examples/example-pairs.ts'
import type { Network } from '../../src/flow/network.ts'
import { indexerGold } from './indexer-gold.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SqlAnswer } from '../../src/assistant/query/sql/sql-runner.ts'

/** Not an example of the prompt. */
export interface GoldQuestion {
  readonly id: string
  readonly target: QueryTarget
  readonly question: string
  /** Equivalent; tests compare their rows. `{flowToken}` is a core contract's account. */
  readonly accepted: readonly [string, ...string[]]
  readonly order?: readonly number[]
  readonly tolerance?: number
}

export function goldQuestions(network: Network): GoldQuestion[] {
  return [...indexerGold, ...evmExplorerGold].map((gold) => {
    const [first, ...others] = gold.accepted
    return { ...gold, accepted: [withAddresses(first, network), ...others.map((sql) => withAddresses(sql, network))] }
  })
}

const target = 'evm'

const evmExplorerGold: readonly GoldQuestion[] = [
  {
    id: 'explorer-blocks',
    target,
    question: 'How many EVM blocks are on the main chain?',
    accepted: ['select count(*) from blocks where consensus'],
  },
  {
    id: 'explorer-failed',
    target,
    question: 'How many EVM transactions on the main chain failed?',
    accepted: ['select count(*) from transactions where status = 0 and block_consensus'],
  },
  {
    id: 'explorer-top-sender',
    target,
    question: 'Which address sent the most EVM transactions on the main chain, and how many?',
    accepted: [
      `select '0x' || encode(from_address_hash, 'hex'), count(*) from transactions where block_consensus
        group by from_address_hash order by 2 desc, 1 limit 1`,
    ],
  },
  {
    id: 'explorer-husd-volume',
    target,
    question: 'How many HUSD were transferred in all, in whole tokens?',
    accepted: [
      `select sum(x.amount) / 1000000 from token_transfers x
        join tokens t on t.contract_address_hash = x.token_contract_address_hash
where t.symbol = 'HUSD' and x.block_consensus`,
    ],
    tolerance: 1e-9,
  },
  {
    id: 'explorer-richest',
    target,
    question: '余额最多的 EVM 地址是哪个？余额是多少 FLOW？',
    accepted: [
      `select '0x' || encode(hash, 'hex'), fetched_coin_balance / 1000000000000000000 from addresses
        order by fetched_coin_balance desc limit 1`,
    ],
    tolerance: 1e-9,
  },
  {
    id: 'explorer-created',
    target,
    question: 'How many EVM transactions create a contract, that is have no receiver?',
    accepted: ['select count(*) from transactions where to_address_hash is null and block_consensus'],
  },
  {
    id: 'explorer-token-types',
    target,
    question: 'How many token transfers are there of each token type on the main chain?',
    accepted: ['select token_type, count(*) from token_transfers where block_consensus group by token_type'],
  },
  {
    id: 'explorer-gas-by-day',
    target,
    question: 'How much gas did the blocks of the main chain use on each day? Oldest day first.',
    accepted: ['select timestamp::date as day, sum(gas_used) from blocks where consensus group by day order by day'],
    order: [0],
  },
  {
    id: 'explorer-internal-errors',
    target,
    question: 'How many internal transactions failed, by the message of the error?',
    accepted: [
      'select e.message, count(*) from internal_transactions i join transaction_errors e on e.id = i.error_id ' +
        'group by e.message',
    ],
  },
  {
    id: 'explorer-internal-value',
    target,
    question: '合约 0x0000000000000000000000020000000000000002 通过内部交易一共转出多少 FLOW？',
    accepted: [
      `select sum(i.value) / 1000000000000000000 from internal_transactions i
join address_ids_to_address_hashes a on a.address_id = i.from_address_id
where a.address_hash = '\\x0000000000000000000000020000000000000002' and i.error_id is null`,
    ],
    tolerance: 1e-9,
  },
]

/** Rows in the known database, by question id. */
export type KnownAnswers = Readonly<Record<string, SqlAnswer['rows']>>

const file = join(import.meta.dirname, 'known-answers.json')

/** @throws Error for a missing file or invalid JSON */
export async function readKnownAnswers(): Promise<KnownAnswers> {
  return JSON.parse(await readFile(file, 'utf8')) as KnownAnswers
}

export async function writeKnownAnswers(answers: KnownAnswers): Promise<void> {
  const lines = Object.entries(answers).map(([id, rows]) => `  ${JSON.stringify(id)}: ${JSON.stringify(rows)}`)
  await writeFile(file, `{\n${lines.join(',\n')}\n}\n`)
}
