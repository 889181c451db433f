import { expect } from 'chai'
import { routes } from '../../src/explorer/routes.ts'
import { readRepositoryFile } from '../support/repository.ts'
import { answerSpecRows, answersText, recordedAnswers } from '../support/spec-answers.ts'
import type { SpecAnswer } from '../support/spec-answers.ts'
import { specRows } from '../support/spec-rows.ts'

/** Metadata of EVM contracts comes from assets associated by the bridge. */
const bridged = 'a contract associated by the bridge'
const bridgedOnly = {
  name: bridged,
  symbol: bridged,
  decimals: bridged,
  icon_url: bridged,
  flow_token: bridged,
  exchange_rate: bridged,
}

const queried = 'recorded calls of EVM contracts'
const queriedOnly = { total_supply: queried, detected_type: queried }
const published = 'an item with this metadata'
const publishedOnly = {
  external_url: published,
  edition_name: published,
  edition_number: published,
  edition_max: published,
  rarity_score: published,
  rarity_description: published,
  traits: published,
}

const created = 'a pair with an indexed creation'
const createdPairsOnly = { is_stable: created, fee_bps: created, created_height: created }

/**
 * Fields that are empty in every item of a response on the test chain, with the missing condition.
 * By path; `*` applies to all.
 */
const emptyFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '*': {
    error: 'failed transactions',
    error_message: 'failed transactions',
    evm_hash: 'EVM transactions',
    evm_address: 'assets associated by the bridge',
    events: 'include_events',
  },
  '/flow/transaction/{id}': {
    defi_events: 'another transaction',
    evm_executions: 'another transaction',
    scheduled_txs: 'another transaction',
    other_heights: 'a system transaction',
  },
  '/flow/account/{address}': { contracts: 'an account with contracts', labels: 'an account with labels' },
  '/flow/account/{address}/nft': {
    chain_count: 'a chain query',
    chain_height: 'a chain query',
    socials: 'a collection with socials',
  },
  '/flow/ft/{token}': {
    deployed_at: 'a contract deployed in an indexed block',
    icon: 'a token with an image',
    logo: 'a token with an image',
  },
  '/flow/nft': { socials: 'a collection with socials' },
  '/flow/nft/{nft_type}': { socials: 'a collection with socials' },
  '/flow/nft/{nft_type}/item': publishedOnly,
  '/flow/nft/{nft_type}/item/{id}': publishedOnly,
  '/flow/nft/search': publishedOnly,
  '/flow/ft/transfer': { address: 'a list of one account' },
  '/flow/nft/transfer': { address: 'a list of one account' },
  '/flow/nft/{nft_type}/item/{id}/transfer': { address: 'a list of one account' },
  '/flow/contract/{identifier}': { token_symbol: 'a contract of a fungible token' },
  '/flow/evm/transaction': { created_contract: 'transactions that create contracts' },
  '/flow/evm/transaction/{hash}': {
    created_contract: 'transactions that create contracts',
    max_fee_per_gas: 'transactions of type 2',
    max_priority_fee_per_gas: 'transactions of type 2',
    call_type: 'direct calls',
  },
  '/flow/evm/token': { ...bridgedOnly, ...queriedOnly },
  '/flow/evm/token/{address}': { ...bridgedOnly, ...queriedOnly },
  '/flow/evm/address/{address}/token': { token_id: 'ERC-1155 tokens', usd_value: 'tokens with a price' },
  '/staking/epoch/stats': { commit_height: 'EpochCommit, which the emulator does not emit' },
  '/status/epoch/stat': { commit_height: 'EpochCommit, which the emulator does not emit' },
  '/status/epoch/status': {
    start_height: 'a regular epoch: those of the test chain are simulated',
    start_time: 'a regular epoch',
  },
  '/staking/rewards/paid': { from_bucket: 'nothing: rewards come from outside of the contract' },
  '/staking/rewards/staking': { epoch: 'nothing: only rewards have an epoch' },
  '/staking/tokenomics': { circulating_supply: 'nothing: locked tokens are unknown' },
  '/defi/pair': createdPairsOnly,
  '/defi/latest-swap': {
    asset0_out: 'a swap in the other direction',
    asset1_in: 'a swap in the other direction',
    lp_amount: 'liquidity events',
  },
}

describe('the endpoints of the specification', () => {
  let answers: ReadonlyMap<string, SpecAnswer>

  before(async () => {
    answers = await answerSpecRows()
  })

  for (const { path, kind } of specRows) {
    it(`serves ${path} completely`, () => {
      expect(routes.map((route) => route.path)).to.include(path)
      const { call, status, body } = answers.get(path) ?? {}
      const output = `${call}: ${JSON.stringify(body)?.slice(0, 300)}`
      expect(status, output).to.equal(200)
      if (kind === 'text') return
      const answer = body as Record<string, unknown>
      if (kind === 'object') {
        expect(Object.keys(answer), output).to.not.be.empty
        return
      }
      expect(answer['data'], output).to.be.an('array').that.is.not.empty
      if (kind === 'single') expect(answer['data'], output).to.have.length(1)
      else expect(answer, output).to.include.keys('data', 'has_more', 'cursor', '_meta')
    })
  }

  it('have no field that is empty although the chain has data', () => {
    const found = specRows.flatMap(({ path }) => {
      const excused = { ...emptyFields['*'], ...emptyFields[path] }
      return alwaysEmpty(answers.get(path)?.body)
        .filter((field) => !(field in excused))
        .map((field) => `${path}: ${field}`)
    })
    expect(found).to.deep.equal([])
  })

  it('have no outdated exceptions', () => {
    const found = specRows.flatMap(({ path }) => {
      const empty = alwaysEmpty(answers.get(path)?.body)
      return Object.keys(emptyFields[path] ?? {})
        .filter((field) => !empty.includes(field))
        .map((field) => `${path}: ${field}`)
    })
    expect(found).to.deep.equal([])
  })

  it('equal the recorded responses: otherwise run npm run docs and review the difference', () => {
    expect(answersText(answers)).to.equal(readRepositoryFile(recordedAnswers))
  })
})

/** Fields that are empty in every item of a response. */
function alwaysEmpty(body: unknown): string[] {
  const data = (body as { data?: unknown } | undefined)?.data ?? []
  const items = [data]
    .flat()
    .filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
  return Object.keys(items[0] ?? {}).filter((field) => items.every((item) => isEmpty(item[field])))
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}
