import { expect } from 'chai'
import { pino } from 'pino'
import type { AccountContract } from '../../src/explorer/accounts/routes.ts'
import type { AccountDetail } from '../../src/explorer/accounts/schema.ts'
import { addressAtIndex } from '../../src/flow/address.ts'
import { Refusal } from '../../simnode/node/node-view.ts'
import { ScriptNode, refuse } from '../support/script-node.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { presentLedger } from '../support/account-ledger.ts'
import type { PresentAccount } from '../support/account-ledger.ts'
import { truthOf } from '../support/recording-annotations.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

/** Exists on the chain but is not indexed. */
const unseen = addressAtIndex(4000, 'emulator')
const indexed = '0x179b6b1cb6755e31'
const code = 'access(all) contract Höhe {}'

const accounts: Readonly<Record<string, PresentAccount>> = {
  [unseen.slice(2)]: {
    contracts: { B: code, A: 'access(all) contract A {}' },
    stored: {
      '/storage/flowTokenVault': 'A.0ae53cb6e3f42a79.FlowToken.Vault',
      '/storage/evm': 'A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccount',
    },
    publicPaths: ['/public/flowTokenReceiver'],
  },
  [indexed.slice(2)]: { contracts: { RiverStones: code } },
}

describe('account storage on the chain', () => {
  let node: ScriptNode
  let api: RunningApi
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  /** Advances the clock by a minute, so that each test queries the node again. */
  let now = 0

  before(async () => {
    const { database } = await exploredChain()
    node = await ScriptNode.start()
    api = await runApi(database.url, {
      nodes: [node.endpoint],
      server: { network: () => 'emulator', log },
      chain: { now: () => now },
    })
  })

  beforeEach(() => {
    now += 60_000
    node.ledger = presentLedger(accounts)
    node.refusal = undefined
  })

  after(async () => {
    await api.stop()
    await node.stop()
  })

  async function problem(path: string): Promise<[status: number, code: string]> {
    const response = await api.get(path)
    return [response.status, ((await response.json()) as { code: string }).code]
  }

  it('returns storage as JSON-CDC', async () => {
    const text = (value: string) => ({ type: 'String', value })
    const path = (domain: string, identifier: string) => ({ type: 'Path', value: { domain, identifier } })
    expect(await api.json(`/flow/account/${unseen}/storage`)).to.deep.equal({
      type: 'Dictionary',
      value: [
        { key: text('used'), value: { type: 'UInt64', value: '3145728' } },
        { key: text('capacity'), value: { type: 'UInt64', value: '18446744073709551615' } },
        { key: text('height'), value: { type: 'UInt64', value: '281' } },
        {
          key: text('storagePaths'),
          value: { type: 'Array', value: [path('storage', 'evm'), path('storage', 'flowTokenVault')] },
        },
        { key: text('publicPaths'), value: { type: 'Array', value: [path('public', 'flowTokenReceiver')] } },
        { key: text('truncated'), value: { type: 'Bool', value: false } },
      ],
    })
    expect(await api.json(`/flow/account/${unseen}/storage/links?domain=public`)).to.deep.equal({
      type: 'Array',
      value: [path('public', 'flowTokenReceiver')],
    })
    for (const given of ['evm', '/storage/evm', 'storage/evm']) {
      const item = await api.json<{ value: unknown[] }>(
        `/flow/account/${unseen}/storage/item?path=${encodeURIComponent(given)}`,
      )
      expect(item.value.slice(0, 2)).to.deep.equal([
        { key: text('path'), value: path('storage', 'evm') },
        { key: text('type'), value: text('A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccount') },
      ])
    }
  })

  it('returns an account that is not indexed', async () => {
    const {
      data: [shown],
    } = await api.json<{ data: AccountDetail[] }>(`/flow/account/${unseen}`)
    expect(shown).to.deep.include({
      address: unseen,
      balance: '1.50000001',
      flowBalance: 1.50000001,
      available_balance: '1.49900001',
      contracts: ['A', 'B'],
      storage_used: '3145728',
      storage_capacity: '18446744073709551615',
      storageUsed: 3,
      flowStorage: 17592186044416,
      storageAvailable: 17592186044413,
      source: 'chain',
      as_of_height: 281,
      tx_count: 0,
      first_seen_height: null,
    })
    expect(shown?.keys).to.deep.equal([
      {
        index: 2,
        key: 'ab',
        signatureAlgorithm: 'ECDSA_P256',
        hashAlgorithm: 'SHA3_256',
        weight: 1000,
        revoked: false,
        sequenceNumber: 0,
      },
    ])
  })

  it('returns an account without storage if only scripts fail', async () => {
    node.ledger = { ...presentLedger(accounts), script: () => refuse('INVALID_ARGUMENT', 'computation exceeds limit') }
    const {
      data: [shown],
    } = await api.json<{ data: AccountDetail[] }>(`/flow/account/${unseen}`)
    expect(shown).to.include({
      source: 'chain',
      balance: '1.50000001',
      storage_used: null,
      flowStorage: null,
      as_of_height: null,
    })
    expect(await problem(`/flow/account/${unseen}/storage`)).to.deep.equal([502, 'script-failed'])
  })

  it('distinguishes missing data from an unavailable chain', async () => {
    const nobody = addressAtIndex(4001, 'emulator')
    for (const path of ['storage', 'storage/links', 'storage/item?path=x']) {
      expect(await problem(`/flow/account/${nobody}/${path}`), path).to.deep.equal([404, 'unknown-account'])
      expect(await problem(`/flow/account/0x1/${path}`), path).to.deep.equal([404, 'unknown-account'])
    }
    expect(await problem(`/flow/account/${unseen}/storage/item?path=x`)).to.deep.equal([404, 'unknown-path'])
    node.refusal = new Refusal('UNAVAILABLE', 'secret')
    now += 60_000
    lines.splice(0)
    for (const path of ['storage', 'storage/links', 'storage/item?path=x', 'contract/B']) {
      const response = await api.get(`/flow/account/${unseen}/${path}`)
      const body = await response.text()
      expect(response.status, path).to.equal(503)
      expect(body).to.include('chain-silent').and.not.include('secret').and.not.include('127.0.0.1')
      // Logged once when it is detected.
      expect(lines).to.deep.equal([])
    }
  })

  it('rejects invalid paths and domains', async () => {
    for (const path of ['', '/public/x', '/storage/', '1x', 'a-b', '/storage/a/b']) {
      await expectProblem(
        api,
        `/flow/account/${unseen}/storage/item?path=${encodeURIComponent(path)}`,
        'path',
        '/storage/flowTokenVault',
      )
    }
    await expectProblem(api, `/flow/account/${unseen}/storage/item`, 'path', 'missing')
    await expectProblem(api, `/flow/account/${unseen}/storage/links?domain=private`, 'domain', 'public')
  })

  it('returns the code of a contract from the chain', async () => {
    const shown = await api.json<AccountContract>(`/flow/account/${indexed}/contract/RiverStones`)
    expect(shown).to.include({
      address: indexed,
      name: 'RiverStones',
      code,
      byte_size: Buffer.byteLength(code),
      source: 'chain',
      as_of_height: null,
    })
    expect(shown).to.not.have.property('_rpcUnavailable')
    expect(await problem(`/flow/account/${indexed}/contract/PaperBoats`)).to.deep.equal([404, 'unknown-contract'])
    expect(await problem(`/flow/account/0x1/contract/A`)).to.deep.equal([404, 'unknown-contract'])
    await expectProblem(api, `/flow/account/${indexed}/contract/a.b`, 'name', 'contract name')
  })

  it('returns indexed code and says so if no access node responds', async () => {
    node.refusal = new Refusal('UNAVAILABLE', 'away')
    const { accounts: known } = await truthOf('base')
    for (const [name, { bytes }] of Object.entries(known[indexed]?.contracts ?? {})) {
      const shown = await api.json<AccountContract>(`/flow/account/${indexed}/contract/${name}`)
      expect(shown, name).to.include({ byte_size: bytes, source: 'index', _rpcUnavailable: true })
      expect(shown.code, name).to.include(`contract ${name}`)
      expect(Buffer.byteLength(shown.code), name).to.equal(bytes)
      expect(shown.as_of_height, name).to.be.within(1, 280)
    }
    expect(await problem(`/flow/account/${indexed}/contract/Nothing`)).to.deep.equal([503, 'chain-silent'])
  })
})
