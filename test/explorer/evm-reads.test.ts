import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { callLimits } from '../../src/explorer/evm/contract-reads.ts'
import { ChainUnavailableError } from '../../src/explorer/present-chain.ts'
import type { PresentChain } from '../../src/explorer/present-chain.ts'
import { ScriptFailedError } from '../../src/flow/chain-reader.ts'
import { encodeAbiValues } from '../../src/flow/evm/abi-input.ts'
import type { AbiArgument } from '../../src/flow/evm/abi-input.ts'
import { callInput } from '../../src/flow/evm/contract-results.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const token = '20'.repeat(20)
const verified = 'ab'.repeat(20)
const account = `0x${'cd'.repeat(20)}`

const abi = [
  {
    type: 'function',
    name: 'positions',
    inputs: [{ name: 'ids', type: 'uint256[]' }],
    outputs: [{ name: 'list', type: 'tuple[]', components: [{ type: 'address' }, { type: 'bool' }] }],
    stateMutability: 'view',
  },
  { type: 'function', name: 'stop', inputs: [], outputs: [], stateMutability: 'nonpayable' },
  { type: 'error', name: 'Unknown', inputs: [{ name: 'id', type: 'uint256' }] },
]

interface Called {
  readonly status: number
  readonly body: {
    readonly code?: string
    readonly detail?: string
    readonly field?: string
    readonly data: readonly [
      {
        readonly outputs: readonly object[]
        readonly gas_used: string
        readonly state_height: number
      },
    ]
  }
}

interface Function {
  readonly method_call: string
  readonly source: string
  readonly standards: readonly string[]
}

const encoded = (types: readonly string[], values: readonly AbiArgument[]): string =>
  encodeAbiValues(types, values).toString('hex')

describe('reads of EVM contracts', () => {
  let database: TestDatabase
  let api: RunningApi
  let calls: (readonly unknown[])[] = []
  let running = 0
  let maxRunning = 0
  let answer: (input: string) => string | object | Promise<string | object>

  const chain = {
    run: async (_script: string, args: readonly { readonly value: unknown }[]) => {
      calls.push(args.map(({ value }) => value))
      maxRunning = Math.max(maxRunning, ++running)
      try {
        const result = await answer(String(args[1]?.value))
        const data = typeof result === 'string' ? result : ''
        return {
          isSuccessful: true,
          errorMessage: '',
          gasUsed: '24111',
          size: `${data.length / 2}`,
          data,
          height: '77',
          ...(typeof result === 'string' ? {} : result),
        }
      } finally {
        running--
      }
    },
  } as unknown as PresentChain

  before(async () => {
    database = await createTestDatabase()
    await database.pool.query(`
      insert into app.evm_tokens values ('${token}', 20, 1, 1, 1, 0);
      insert into app.evm_token_metadata (token, name, symbol, decimals, standard, status)
      values ('${token}', 'Coin', 'COIN', 6, 20, 'answered')`)
    await database.pool.query(
      `insert into app.evm_verified_contracts
         (address, code_hash, match, name, source_path, compiler, settings, sources, abi)
       values ($1, '', 'full', 'Pool', 'p.sol', '0.8.37', '{}', '{}', $2)`,
      [verified, JSON.stringify(abi)],
    )
    const clientOf = ({ headers }: IncomingMessage): { address: string; isLocal: boolean } => ({
      address: String(headers['x-client'] ?? '127.0.0.1'),
      isLocal: headers['x-client'] === undefined,
    })
    api = await runApi(database.url, { server: { network: () => 'emulator', chain, clientOf } })
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  beforeEach(() => {
    calls = []
    maxRunning = 0
    answer = () => encoded(['uint256'], ['1500000'])
  })

  const call = async (of: string, body: object, client?: string): Promise<Called> => {
    const response = await api.get(`/flow/evm/address/0x${of}/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(client === undefined ? {} : { 'x-client': client }) },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Called['body'] }
  }
  const refused = async (of: string, body: object): Promise<readonly [number, string | undefined, string]> => {
    const { status, body: problem } = await call(of, body)
    return [status, problem.code, problem.detail ?? '']
  }
  const balanceOf = { function: 'balanceOf(address)', arguments: [account] }

  it('list functions of the token standard, of the verified ABI, or none', async () => {
    const list = async (of: string): Promise<readonly Function[]> =>
      (await api.json<{ data: Function[] }>(`/flow/evm/address/0x${of}/function`)).data
    const [first, ...rest] = await list(token)
    expect(first).to.deep.include({ method_call: 'name()', source: 'standard', standards: ['ERC-20'] })
    expect(rest.map(({ method_call: signature }) => signature)).to.include('allowance(address,address)')
    expect((await list(verified)).map(({ method_call: signature, source }) => [signature, source])).to.deep.equal([
      ['positions(uint256[])', 'verified'],
    ])
    expect(await list('99'.repeat(20))).to.deep.equal([])
  })

  it('return decoded results, amounts in units', async () => {
    const { body } = await call(token, balanceOf)
    expect(body.data[0]).to.deep.include({ gas_used: '24111', state_height: 77 })
    expect(body.data[0].outputs).to.deep.equal([
      { name: '', type: 'uint256', value: '1500000', amount: '1.5', unit: 'COIN' },
    ])
    expect(calls).to.deep.equal([
      [token, callInput('balanceOf(address)', BigInt(account)), `${callLimits.gas}`, `${callLimits.resultBytes}`],
    ])
    answer = () => encoded(['uint8'], ['6'])
    const decimals = await call(token, { function: '0x313CE567' })
    expect(decimals.body.data[0].outputs).to.deep.equal([
      { name: '', type: 'uint8', value: '6', amount: null, unit: null },
    ])
    answer = () => encoded(['(address,bool)[]'], [[[account, true]]])
    const positions = await call(verified, { function: 'positions(uint256[])', arguments: [['1', 2]] })
    expect(positions.body.data[0].outputs).to.deep.equal([
      { name: 'list', type: '(address,bool)[]', value: [[account, 'true']], amount: null, unit: null },
    ])
  })

  it('refuse unknown functions, functions that change state, and wrong arguments', async () => {
    for (const [of, body, status, code, text] of [
      [token, { function: 'transfer(address,uint256)' }, 404, 'unknown-function', 'Known: name(), '],
      [verified, { function: 'stop()' }, 404, 'unknown-function', 'Known: positions(uint256[])'],
      ['99'.repeat(20), { function: 'name()' }, 404, 'unknown-function', 'Verify its source first'],
      [token, { function: 'balanceOf(address)' }, 400, 'invalid-field', 'Field "arguments" must have 1 value.'],
      [
        token,
        { function: 'balanceOf(address)', arguments: ['0x12'] },
        400,
        'invalid-field',
        'number 1 of "account" (address) must be 0x and 40 hex digits.',
      ],
      [token, { function: 'balanceOf(address)', arguments: [{}] }, 400, 'invalid-field', 'arguments'],
      [token, { ...balanceOf, value: '1' }, 400, 'invalid-field', 'value'],
      [
        verified,
        { function: 'positions(uint256[])', arguments: [Array.from({ length: 254 }, () => 1)] },
        400,
        'invalid-field',
        'at most 8192 bytes when encoded, not 8196',
      ],
    ] as const) {
      const problem = await refused(of, body)
      expect(problem.slice(0, 2), JSON.stringify(body).slice(0, 100)).to.deep.equal([status, code])
      expect(problem[2]).to.include(text)
    }
    expect(calls).to.deep.equal([])
    answer = () => encoded(['(address,bool)[]'], [[]])
    const most = { function: 'positions(uint256[])', arguments: [Array.from({ length: 253 }, () => 1)] }
    expect((await call(verified, most)).status).to.equal(200)
    const large = { function: 'balanceOf(address)', arguments: ['0'.repeat(4 * callLimits.inputBytes)] }
    expect((await refused(token, large)).slice(0, 2)).to.deep.equal([413, 'body-too-large'])
  })

  it('say why a call failed', async () => {
    const failure = (data: string, errorMessage = 'execution reverted'): object => ({
      isSuccessful: false,
      errorMessage,
      data,
    })
    const reason = callInput('Error(string)') + encoded(['string'], ['paused'])
    for (const [result, status, code, text] of [
      [failure(reason), 422, 'call-failed', 'The call of balanceOf(address) failed: paused.'],
      [failure('', 'out of gas'), 422, 'call-failed', 'failed: out of gas.'],
      [{ size: '32769' }, 422, 'result-too-large', '32769 bytes (limit: 32768)'],
      ['', 422, 'unexpected-result', 'returned nothing'],
      ['00', 422, 'unexpected-result', 'not of its declared types: 1 bytes'],
      [{ data: 'x' }, 503, 'chain-silent', 'invalid response'],
    ] as const) {
      answer = () => result
      const problem = await refused(token, balanceOf)
      expect(problem.slice(0, 2), JSON.stringify(result)).to.deep.equal([status, code])
      expect(problem[2]).to.include(text)
    }
    answer = () => failure(callInput('Unknown(uint256)', 7n))
    expect(await refused(verified, { function: 'positions(uint256[])', arguments: [[7]] })).to.deep.equal([
      422,
      'call-failed',
      'The call of positions(uint256[]) failed: Unknown("7").',
    ])
    answer = () => Promise.reject(new ChainUnavailableError('no access node responded in time'))
    expect((await refused(token, balanceOf)).slice(0, 2)).to.deep.equal([503, 'chain-silent'])
    answer = () => Promise.reject(new ScriptFailedError('computation limit', undefined))
    expect((await refused(token, balanceOf)).slice(0, 2)).to.deep.equal([502, 'script-failed'])
  })

  it('are limited to two at a time and 120 a minute per client', async () => {
    const gate = Promise.withResolvers<string>()
    answer = () => gate.promise
    const client = '203.0.113.9'
    // Two run and sixteen wait.
    const sent = Array.from({ length: 19 }, () => call(token, balanceOf, client))
    const over = await Promise.race(sent)
    expect([over.status, over.body.code]).to.deep.equal([429, 'too-many-calls'])
    gate.resolve(encoded(['uint256'], ['1']))
    expect((await Promise.all(sent)).filter(({ status }) => status === 200)).to.have.length(18)
    expect(maxRunning).to.equal(2)
    for (let used = 19; used < callLimits.perMinute; used++) {
      expect((await call(token, balanceOf, client)).status, `${used}`).to.equal(200)
    }
    const last = await call(token, balanceOf, client)
    expect([last.status, last.body.code]).to.deep.equal([429, 'rate-limited'])
    expect((await call(token, balanceOf, '203.0.113.10')).status).to.equal(200)
  })
})
