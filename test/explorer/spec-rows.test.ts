import { expect } from 'chai'
import { routes } from '../../src/explorer/routes.ts'
import { readRepositoryFile } from '../support/repository.ts'
import { answerSpecRows, answersText, recordedAnswers } from '../support/spec-answers.ts'
import type { SpecAnswer } from '../support/spec-answers.ts'
import { specRows } from '../support/spec-rows.ts'

/** Metadata of EVM contracts comes from assets associated by the bridge. */
const bridged = 'a contract that the bridge made'
const bridgedOnly = {
  name: bridged,
  symbol: bridged,
  decimals: bridged,
  icon_url: bridged,
  flow_token: bridged,
  exchange_rate: bridged,
}

const saying = 'an item that says so'
const sayingOnly = {
  external_url: saying,
  edition_name: saying,
  edition_number: saying,
  edition_max: saying,
  rarity_score: saying,
  rarity_description: saying,
  traits: saying,
}

const made = 'a pair whose making is indexed'
const madePairsOnly = { is_stable: made, fee_bps: made, created_height: made }

/**
 * Fields that are empty in every item of a response on the test chain, with the missing condition.
 * By path; `*` applies to all.
 */
const emptyFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '*': {
    error: 'failed transactions',
    error_message: 'failed transactions',
    evm_hash: 'transactions of the EVM',
    evm_address: 'assets that the bridge knows',
    events: 'asking for them by include_events',
  },
  '/flow/transaction/{id}': {
    defi_events: 'another transaction',
    evm_executions: 'another transaction',
    scheduled_txs: 'another transaction',
    other_heights: 'a system transaction',
  },
  '/flow/account/{address}': { contracts: 'an account with contracts', labels: 'an account with labels' },
  '/flow/account/{address}/nft': {
    chain_count: 'a count by the chain',
    chain_height: 'a count by the chain',
    socials: 'a collection that names some',
  },
  '/flow/ft/{token}': {
    deployed_at: 'a contract that was deployed in an indexed block',
    icon: 'a token with a picture',
    logo: 'a token with a picture',
  },
  '/flow/nft': { socials: 'a collection that names some' },
  '/flow/nft/{nft_type}': { socials: 'a collection that names some' },
  '/flow/nft/{nft_type}/item': sayingOnly,
  '/flow/nft/{nft_type}/item/{id}': sayingOnly,
  '/flow/nft/search': sayingOnly,
  '/flow/ft/transfer': { address: 'a list of one account' },
  '/flow/nft/transfer': { address: 'a list of one account' },
  '/flow/nft/{nft_type}/item/{id}/transfer': { address: 'a list of one account' },
  '/flow/contract/{identifier}': { token_symbol: 'a contract of a fungible token' },
  '/flow/evm/transaction': { created_contract: 'transactions that create contracts' },
  '/flow/evm/transaction/{hash}': {
    created_contract: 'transactions that create contracts',
    max_fee_per_gas: 'transactions of type 2',
    max_priority_fee_per_gas: 'transactions of type 2',
    call_type: 'calls that no key signed',
  },
  '/flow/evm/token': bridgedOnly,
  '/flow/evm/token/{address}': bridgedOnly,
  '/flow/evm/address/{address}/token': { token_id: 'tokens of ERC-1155' },
  '/staking/epoch/stats': { commit_height: 'EpochCommit, which the emulator does not emit' },
  '/status/epoch/stat': { commit_height: 'EpochCommit, which the emulator does not emit' },
  '/status/epoch/status': {
    start_height: 'an epoch that began by itself: those of the chain were played by hand',
    start_time: 'such an epoch',
  },
  '/staking/rewards/paid': { from_bucket: 'nothing: rewards come from outside' },
  '/staking/rewards/staking': { epoch: 'nothing: it is of rewards' },
  '/staking/tokenomics': { circulating_supply: 'nothing: the chain does not tell which tokens are locked' },
  '/defi/pair': madePairsOnly,
  '/defi/latest-swap': {
    asset0_out: 'a swap the other way',
    asset1_in: 'a swap the other way',
    lp_amount: 'events of liquidity',
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
      const said = `${call}: ${JSON.stringify(body)?.slice(0, 300)}`
      expect(status, said).to.equal(200)
      if (kind === 'text') return
      const answer = body as Record<string, unknown>
      if (kind === 'object') {
        expect(Object.keys(answer), said).to.not.be.empty
        return
      }
      expect(answer['data'], said).to.be.an('array').that.is.not.empty
      if (kind === 'single') expect(answer['data'], said).to.have.length(1)
      else expect(answer, said).to.include.keys('data', 'has_more', 'cursor', '_meta')
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
