import { expect } from 'chai'
import { compilationMs, SolidityCompiler } from '../../src/explorer/evm/verification/compiler.ts'
import type { CompilerInput, CompilerOptions } from '../../src/explorer/evm/verification/compiler.ts'
import { ContractVerifier, maxUploadsPerHour } from '../../src/explorer/evm/verification/verifier.ts'
import type { PresentChain } from '../../src/explorer/present-chain.ts'
import { defaultTimeouts } from '../../src/platform/http/connections.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { deriveRecording } from '../support/explored-chain.ts'
import type { TestDatabase } from '../support/database.ts'
import { evmTruth } from '../support/evm-annotations.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const coin = `
pragma solidity ^0.8.0;
library Amounts {
  function check(uint256 units) external pure { require(units > 0); }
}
contract Coin {
  uint256 public immutable supply;
  event Transfer(address indexed source, address indexed recipient, uint256 units);
  constructor(uint256 start) { supply = start; }
  function transfer(address recipient, uint256 units) external returns (bool) {
    Amounts.check(units);
    emit Transfer(msg.sender, recipient, units);
    return true;
  }
}`

const settings = { optimizer: { enabled: true, runs: 200 } }
const { signal } = new AbortController()

function requireCompiler(options: CompilerOptions = {}): SolidityCompiler {
  const compiler = SolidityCompiler.find({ timeLimitMs: 600_000, ...options })
  if (compiler === undefined) throw new Error('The optional package solc is not installed. Run npm install.')
  return compiler
}

/** Code of an address, with a value for each immutable and an address for each library. */
async function deployedCode(input: CompilerInput, name: string): Promise<string> {
  const { contracts } = await requireCompiler().compile(input, signal)
  const compiled = Object.values(contracts).flatMap((ofFile) => ofFile[name] ?? [])[0]
  if (compiled === undefined) throw new Error(`no contract ${name}`)
  const { object, immutableReferences, linkReferences } = compiled.evm.deployedBytecode
  const digits = object.split('')
  for (const { start, length } of [
    ...Object.values(immutableReferences).flat(),
    ...Object.values(linkReferences).flatMap((file) => Object.values(file).flat()),
  ]) {
    digits.splice(2 * start, 2 * length, ...Array.from({ length: 2 * length }, () => '7'))
  }
  return digits.join('')
}

interface Posted {
  readonly status: number
  readonly body: { readonly code?: string; readonly detail?: string; readonly data?: readonly object[] }
}

interface Verified {
  readonly sources: readonly { readonly path: string; readonly content: string }[]
  readonly abi: readonly object[]
}

interface Call {
  readonly to: { readonly hash: string; readonly name: string | null } | null
  readonly decoded_input: { readonly parameters: readonly { readonly name: string }[] } | null
  readonly hash: string
}

describe('verified sources of EVM contracts', function () {
  this.timeout(600_000)
  let database: TestDatabase
  let api: RunningApi
  let address: string
  let code = ''

  before(async () => {
    database = await deriveRecording()
    address = `0x${(await evmTruth('base')).contracts['Coin']?.replace(/^0x/, '').toLowerCase() ?? ''}`
    const chain = {
      run: (_script, [of]) =>
        Promise.resolve({
          balance: '0',
          nonce: '1',
          codeSize: `${of?.value === address.slice(2) ? code.length / 2 : 0}`,
          code: of?.value === address.slice(2) ? code : '',
          height: '1',
        }),
    } as Pick<PresentChain, 'run'> as PresentChain
    const reads = await createReadPool({ url: database.url })
    const verifier = new ContractVerifier({ pool: database.pool, database: reads, chain, compiler: requireCompiler() })
    api = await runApi(database.url, { server: { network: () => 'emulator', chain, verifier } })
    const stop = api.stop
    api = {
      ...api,
      stop: async () => {
        await stop()
        await reads.end()
      },
    }
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const post = async (body: object, of = address): Promise<Posted> => {
    const response = await api.get(`/flow/evm/address/${of}/contract`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Posted['body'] }
  }

  const upload = (source: string): object => ({
    compiler_version: requireCompiler().version,
    source,
    optimizer_runs: 200,
  })

  it('are absent before an upload, and name the compilers', async () => {
    expect((await api.get(`/flow/evm/address/${address}/contract`)).status).to.equal(404)
    const { data } = await api.json<{ data: readonly object[] }>('/flow/evm/compiler')
    expect(data).to.deep.equal([{ language: 'Solidity', version: requireCompiler().version }])
  })

  it('are refused if they do not match, do not compile, or import other files', async () => {
    code = await deployedCode({ sources: { 'contract.sol': { content: coin } }, settings }, 'Coin')
    const cases: readonly (readonly [body: object, status: number, code: string, text: string])[] = [
      [
        upload(coin.replace('recipient, units);\n    return', 'recipient, units + 1);\n    return')),
        422,
        'code-mismatch',
        'Coin has',
      ],
      [upload('contract {'), 400, 'compilation-failed', 'ParserError'],
      [upload('import "/etc/passwd"; contract Coin {}'), 400, 'compilation-failed', 'not found'],
      [upload('import "https://example.org/a.sol"; contract Coin {}'), 400, 'compilation-failed', 'not found'],
      [upload('// nothing'), 400, 'unknown-contract', 'none'],
      [{ ...upload(coin), contract: 'Other' }, 400, 'unknown-contract', 'Coin'],
      [{ ...upload(coin), compiler_version: '0.4.11' }, 400, 'unknown-compiler', '0.4.11'],
      [{ compiler_version: '0.8.37' }, 400, 'invalid-field', 'source'],
      [upload('a\0b'), 400, 'invalid-field', 'source'],
    ]
    for (const [body, status, problem, text] of cases) {
      const answer = await post(body)
      expect([answer.status, answer.body.code], JSON.stringify(body)).to.deep.equal([status, problem])
      expect(answer.body.detail).to.include(text)
    }
    const empty = await post(upload(coin), `0x${'ee'.repeat(20)}`)
    expect([empty.status, empty.body.code]).to.deep.equal([404, 'no-code'])
    const large = await post(upload(' '.repeat(2_100_000)))
    expect([large.status, large.body.code]).to.deep.equal([413, 'body-too-large'])
  })

  it('match partially with another comment, then fully, and stay', async () => {
    const partial = await post(upload(`// another comment\n${coin}`))
    expect(partial.body.data).to.deep.equal([
      { match: 'partial', name: 'Coin', source_path: 'contract.sol', compiler: '0.8.37+commit.f401782d' },
    ])
    const standard = { language: 'Solidity', sources: { 'contract.sol': { content: coin } }, settings }
    const unused = { 'unused.sol': { content: 'contract Unused {}' } }
    const full = await post({
      compiler_version: 'v0.8.37+commit.f401782d',
      contract: 'contract.sol:Coin',
      standard_json: { ...standard, sources: { ...standard.sources, ...unused } },
    })
    expect(full.body.data).to.deep.include.members([
      { match: 'full', name: 'Coin', source_path: 'contract.sol', compiler: '0.8.37+commit.f401782d' },
    ])
    await post(upload(`// another comment\n${coin}`))
    const {
      data: [verified],
    } = await api.json<{ data: [Verified] }>(`/flow/evm/address/${address}/contract`)
    expect(verified).to.deep.include({ match: 'full', name: 'Coin', address })
    expect(verified.sources).to.deep.equal([{ path: 'contract.sol', content: coin }])
    expect(verified.abi.map((entry) => (entry as { name?: string }).name)).to.include.members(['transfer', 'supply'])
  })

  it('decode calls and logs of the contract with its names', async () => {
    const { data } = await api.json<{ data: readonly Call[] }>('/flow/evm/transaction?limit=100')
    const call = data.find(({ to, decoded_input: input }) => to?.hash === address && input?.parameters.length === 2)
    expect(call?.to?.name).to.equal('Coin')
    expect(call?.decoded_input?.parameters.map(({ name }) => name)).to.deep.equal(['recipient', 'units'])
    const { data: logs } = await api.json<{ data: readonly { decoded: { parameters: { name: string }[] } }[] }>(
      `/flow/evm/transaction/${call?.hash}/logs`,
    )
    const names = logs.map(({ decoded }) => decoded.parameters.map(({ name }) => name))
    expect(names).to.deep.include(['source', 'recipient', 'units'])
  })

  it('name functions in the filter of transactions', async () => {
    const list = async (method: string): Promise<string[]> => {
      const { data } = await api.json<{ data: readonly Call[] }>(`/flow/evm/transaction?limit=100&method=${method}`)
      return data.map(({ hash }) => hash)
    }
    await database.pool.query(
      `update app.evm_verified_signatures set signature = signature || '{"name": "renamedTransfer"}'
       where selector = 'a9059cbb'`,
    )
    expect(await list('RenamedTransfer')).to.deep.equal(await list('0xa9059cbb'))
    expect(await list('RenamedTransfer')).to.not.deep.equal([])
  })

  it('are limited in uploads and concurrent compilations per client', async () => {
    const client = { address: '203.0.113.7', isLocal: false }
    const chain = { run: () => Promise.reject(new Error('not read')) } as Pick<PresentChain, 'run'> as PresentChain
    const reads = await createReadPool({ url: database.url })
    try {
      const verifier = new ContractVerifier({
        pool: database.pool,
        database: reads,
        chain,
        compiler: requireCompiler(),
      })
      const input = { address: address.slice(2), compilerVersion: '0.8.37', contract: undefined, sources: {}, settings }
      const verify = (): Promise<string> =>
        verifier.verify(input, client, signal).then(
          () => 'verified',
          (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'not read'),
        )
      const together = await Promise.all([verify(), verify(), verify()])
      expect(together).to.include('too-many-calls')
      for (let i = together.length; i < maxUploadsPerHour; i++) await verify()
      expect(await verify()).to.equal('rate-limited')
    } finally {
      await reads.end()
    }
  })

  it('end compilations that take too long, too much memory or return too much', async () => {
    const input = { sources: { 'contract.sol': { content: coin } }, settings }
    const failureOf = (options: CompilerOptions): Promise<string> =>
      requireCompiler(options)
        .compile(input, signal)
        .then(
          () => 'compiled',
          (error: unknown) => String(error),
        )
    expect(await failureOf({ timeLimitMs: 1 })).to.include('takes longer')
    expect(compilationMs, 'before the server disconnects the client').to.be.below(defaultTimeouts.stalledMs - 5000)
    expect(await failureOf({ maxMemoryPages: 16 })).to.include('ran out of memory')
    expect(await failureOf({ maxOutputBytes: 100 })).to.include('returns more than 100 bytes')
    const levels = Array.from({ length: 13 }, (_, i) => `struct S${i + 1} { S${i} a; S${i} b; }`).join('\n')
    const content = `interface Big { struct S0 { uint a; } ${levels} function f(S13 calldata s) external; } contract A {}`
    const { contracts } = await requireCompiler().compile({ sources: { 'a.sol': { content } }, settings }, signal)
    expect(contracts['a.sol']?.['Big']).to.include({ abi: null, metadata: '' })
    expect(contracts['a.sol']?.['A']?.abi).to.deep.equal([])
    const aborted = AbortSignal.abort(new Error('left'))
    expect(
      String(
        await requireCompiler()
          .compile(input, aborted)
          .catch((error: unknown) => error),
      ),
    ).to.include('left')
  })
})
