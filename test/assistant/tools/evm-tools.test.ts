import { once } from 'node:events'
import { expect } from 'chai'
import { readSignature } from '../../../src/assistant/tools/evm/abi-signature.ts'
import { encodeArguments } from '../../../src/assistant/tools/evm/abi-values.ts'
import { RpcNode } from '../../../src/assistant/tools/evm/rpc-node.ts'
import { clients } from '../mcp/support/mcp-clients.ts'
import type { ConnectedClient, ToolResult } from '../mcp/support/mcp-clients.ts'
import { answered, RpcRefusal, startEvmNode } from './support/evm-node.ts'
import type { Answer, EvmNode } from './support/evm-node.ts'
import { runTools } from './support/running-tools.ts'
import type { RunningTools } from './support/running-tools.ts'

const address = '0xDAC17F958D2ee523a2206206994597C13D831ec7'
const other = `0x${'11'.repeat(20)}`
const transfer = 'event Transfer(address indexed from, address indexed to, uint256 value)'
const wordOf = (digits: string): string => `0x${digits.padStart(64, '0')}`
const transferTopics = [`0x${readSignature(transfer, 'event').hash}`, wordOf('aa'), wordOf('bb')]
const logOf = (index: number): object => ({
  address,
  blockNumber: '0x64',
  transactionHash: wordOf('77'),
  logIndex: `0x${index.toString(16)}`,
  topics: transferTopics,
  data: wordOf('7b'),
  removed: false,
})

/** Encoded return values of a signature. */
function dataOf(returns: string, ...values: readonly unknown[]): string {
  return `0x${encodeArguments(readSignature(`f(${returns})`, 'signature').inputs, values, 'values').toString('hex')}`
}

describe('EVM tools', () => {
  let node: EvmNode
  let tools: RunningTools
  let client: ConnectedClient
  let answer: Answer

  before(async () => {
    node = await startEvmNode((...call) => answer(...call))
    tools = await runTools({ evmRpcUrl: node.url })
    const connected = await clients.at(2)?.connect(tools.evmUrl)
    if (connected === undefined) throw new Error('no client')
    client = connected
  })
  beforeEach(() => {
    node.requested.length = 0
    answer = ({ method }) => (method === 'eth_blockNumber' ? '0x2710' : null)
  })
  after(async () => {
    await client.close()
    await tools.stop()
    await node.stop()
  })

  const call = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { structuredContent = {}, isError, content }: ToolResult = await client.call(tool, args)
    expect(isError ?? false, content[0]?.text).to.equal(false)
    return structuredContent
  }
  const refusal = async (
    tool: string,
    args: Record<string, unknown>,
  ): Promise<readonly [code: unknown, error: string]> => {
    const { structuredContent, isError } = await client.call(tool, args)
    expect(isError, JSON.stringify(args)).to.equal(true)
    return [structuredContent?.['error_code'], String(structuredContent?.['error'])]
  }

  it('return exact balances', async () => {
    answer = () => '0x14d1120d7b160001'
    expect(await call('evm_getBalance', { address })).to.deep.equal({
      address: address.toLowerCase(),
      block: 'latest',
      flow: '1.500000000000000001',
      wei: '1500000000000000001',
      hex: '0x14d1120d7b160001',
    })
    for (const block of [100, '100', '0x64', 'finalized']) await call('evm_getBalance', { address, block })
    expect(node.requested.map(({ method, params }) => [method, ...params])).to.deep.equal([
      ['eth_getBalance', address, 'latest'],
      ...['0x64', '0x64', '0x64', 'finalized'].map((block) => ['eth_getBalance', address, block]),
    ])
    expect(await refusal('evm_getBalance', { address: '0x1654653399040a61' })).to.deep.equal([
      'invalid-field',
      'Field "address" must be an EVM address: 0x and 40 hex digits (Flow addresses have 16).',
    ])
  })

  it('call read-only RPC methods with the given parameters and no others', async () => {
    expect(await call('evm_rpc', { method: 'eth_blockNumber' })).to.deep.equal({
      method: 'eth_blockNumber',
      result: '0x2710',
      decimal: '10000',
      truncated: false,
    })
    expect(await call('evm_rpc', { method: 'eth_getTransactionByHash', params: [wordOf('1')] })).to.deep.equal({
      method: 'eth_getTransactionByHash',
      result: null,
      truncated: false,
    })
    expect(node.requested.at(-1)).to.deep.equal({ method: 'eth_getTransactionByHash', params: [wordOf('1')] })
    const requested = node.requested.length
    for (const method of [
      'eth_sendRawTransaction',
      'eth_sendTransaction',
      'eth_sign',
      'personal_unlockAccount',
      'debug_traceTransaction',
      'admin_peers',
      'eth_newFilter',
      'toString',
      '__proto__',
      'eth_Call',
    ]) {
      expect((await refusal('evm_rpc', { method, params: [] }))[0], method).to.equal('method-not-allowed')
    }
    expect(
      (
        await refusal('evm_rpc', { method: 'eth_call', params: [{}, 'latest', { [address]: { balance: '0xffff' } }] })
      )[0],
    ).to.equal('bad-params')
    expect((await refusal('evm_rpc', { method: 'eth_feeHistory', params: ['0x100000', 'latest', []] }))[0]).to.equal(
      'bad-params',
    )
    expect(node.requested).to.have.length(requested)
  })

  it('truncate results that are too long for a model and report it', async () => {
    answer = () => 'x'.repeat(100_000)
    const { structuredContent, content } = await client.call('evm_rpc', { method: 'web3_clientVersion' })
    expect(structuredContent).to.include({ truncated: true })
    expect(String(structuredContent?.['result_text'])).to.have.length(60_000)
    expect(content[0]?.text).to.match(/40002 more characters; request less\]$/)
  })

  it('call functions by signature and decode their return values', async () => {
    answer = () =>
      dataOf(
        'uint256, int8, string, address[], (bool,bytes)',
        '1000000000000000000000',
        '-5',
        'Tether 你好',
        [address],
        [true, '0x00ff'],
      )
    const result = await call('evm_call', {
      to: address,
      signature:
        'function info(address owner, uint256[] ids) view returns (uint256 supply, int8, string name, address[] holders, (bool,bytes) more)',
      args: [other, ['1', 2]],
    })
    expect(result['returned']).to.deep.equal([
      { name: 'supply', type: 'uint256', value: '1000000000000000000000', hex: '0x3635c9adc5dea00000' },
      { name: null, type: 'int8', value: '-5', hex: '-0x5' },
      { name: 'name', type: 'string', value: 'Tether 你好' },
      { name: 'holders', type: 'address[]', value: [address.toLowerCase()] },
      { name: 'more', type: '(bool,bytes)', value: [true, '0x00ff'] },
    ])
    expect(result).to.include({ function: 'info(address,uint256[])', note: null })
    const { hash, inputs } = readSignature('info(address,uint256[])', 'signature')
    const data = `0x${hash.slice(0, 8)}${encodeArguments(inputs, [other, [1, 2]], 'args').toString('hex')}`
    expect(node.requested).to.deep.equal([{ method: 'eth_call', params: [{ to: address, data }, 'latest'] }])
  })

  it('call with raw data, a sender, a value and a block', async () => {
    answer = () => '0x01'
    expect(
      await call('evm_call', { to: address, data: '0xa9059cbb', from: other, value: '1000000000000000000', block: 7 }),
    ).to.deep.equal({ to: address.toLowerCase(), block: '7', data: '0x01' })
    expect(node.requested[0]?.params).to.deep.equal([
      { to: address, data: '0xa9059cbb', from: other, value: '0xde0b6b3a7640000' },
      '0x7',
    ])
    expect((await refusal('evm_call', { to: address }))[0]).to.equal('no-function')
    expect((await refusal('evm_call', { to: address, data: '0x', signature: 'f()' }))[0]).to.equal('no-function')
    expect(await refusal('evm_call', { to: address, signature: 'f(uint8)', args: [300] })).to.deep.equal([
      'bad-argument',
      'Invalid argument args[0]: 300 is not a uint8. Pass numbers as numbers or strings, addresses and bytes as 0x-prefixed hex, tuples as arrays.',
    ])
  })

  it('report why a response could not be decoded', async () => {
    const notes: ReadonlyArray<readonly [data: string, signature: string, note: RegExp]> = [
      ['0x', 'f() returns (uint256)', /no contract/],
      ['0x', 'f()', /no contract/],
      ['0x01', 'f() returns (uint256)', /does not match the return types/],
      [wordOf('1'), 'f()', /add returns/],
      ['0x', 'f() returns ()', /^null$/],
    ]
    for (const [data, signature, note] of notes) {
      answer = () => data
      expect(String((await call('evm_call', { to: address, signature }))['note']), signature).to.match(note)
    }
  })

  it('report why a contract reverted', async () => {
    const reasons: ReadonlyArray<readonly [data: unknown, told: RegExp]> = [
      [
        `0x08c379a0${dataOf('string', 'not your token').slice(2)}`,
        /^The call reverted: not your token\. \(The EVM node refused the call: execution reverted\)$/,
      ],
      [{ data: `0x4e487b71${dataOf('uint256', 17).slice(2)}` }, /reverted: panic 17, arithmetic overflow/],
      ['0xdeadbeef', /custom error 0xdeadbeef/],
      [undefined, /^The EVM node refused the call: execution reverted$/],
      ['junk', /^The EVM node refused/],
    ]
    for (const [data, reported] of reasons) {
      answer = () => new RpcRefusal('execution reverted', data)
      expect((await refusal('evm_call', { to: address, signature: 'f()' }))[1]).to.match(reported)
    }
  })

  it('find logs in the latest blocks or in a range and decode them by event', async () => {
    answer = ({ method }) =>
      method === 'eth_blockNumber' ? '0x2710' : [logOf(0), logOf(1), { ...logOf(2), topics: [wordOf('1')] }]
    const found = await call('evm_getLogs', { address, event: transfer, topics: [null, wordOf('aa')], limit: 3 })
    expect(node.requested.at(-1)).to.deep.equal({
      method: 'eth_getLogs',
      params: [{ fromBlock: '0x2329', toBlock: '0x2710', address, topics: [transferTopics[0], wordOf('aa')] }],
    })
    expect(found).to.deep.include({ from_block: 9001, to_block: 10_000, count: 3, truncated: false })
    const logs = found['logs'] as readonly Record<string, unknown>[]
    expect(logs[0]).to.deep.include({
      address: address.toLowerCase(),
      block_number: 100,
      log_index: 0,
      transaction_hash: wordOf('77'),
    })
    expect(logs[0]?.['event']).to.deep.equal({
      name: 'Transfer',
      args: [
        { name: 'from', type: 'address', value: `0x${'aa'.padStart(40, '0')}` },
        { name: 'to', type: 'address', value: `0x${'bb'.padStart(40, '0')}` },
        { name: 'value', type: 'uint256', value: '123', hex: '0x7b' },
      ],
    })
    expect(logs[2]?.['event']).to.equal(null)
    answer = () => [{ ...logOf(0), data: `0x${'ab'.repeat(5000)}` }, logOf(1), logOf(2)]
    const [long] = (await call('evm_getLogs', { address, from_block: 1, to_block: 10 }))['logs'] as readonly {
      readonly data: string
    }[]
    expect(long?.data).to.have.length(4001)
    expect(await call('evm_getLogs', { address, from_block: 1, to_block: 10, limit: 1 })).to.deep.include({
      from_block: 1,
      to_block: 10,
      count: 3,
      truncated: true,
    })
  })

  it('limit the block range of logs in direct RPC calls too', async () => {
    const ranges: ReadonlyArray<readonly [args: Record<string, unknown>, code: string]> = [
      [{ address, from_block: 0, to_block: 10_000 }, 'range-too-wide'],
      [{ address, from_block: 'earliest' }, 'range-too-wide'],
      [{ address, from_block: 5, to_block: 4 }, 'bad-range'],
      [{ address, from_block: 10_001 }, 'bad-range'],
      [{}, 'no-filter'],
      [{ topics: [null] }, 'no-filter'],
      [{ address: [] }, 'invalid-field'],
    ]
    answer = ({ method }) => (method === 'eth_blockNumber' ? '0x2710' : [])
    for (const [args, code] of ranges)
      expect((await refusal('evm_getLogs', args))[0], JSON.stringify(args)).to.equal(code)
    for (const filter of [
      { fromBlock: '0x0', toBlock: 'latest' },
      { fromBlock: 'earliest', address },
      { fromBlock: '0x0', toBlock: '0xffffff' },
    ]) {
      expect(
        (await refusal('evm_rpc', { method: 'eth_getLogs', params: [filter] }))[0],
        JSON.stringify(filter),
      ).to.equal('range-too-wide')
    }
    for (const filter of [null, 'x', { fromBlock: {} }, { blockHash: null }])
      expect(
        (await refusal('evm_rpc', { method: 'eth_getLogs', params: [filter] }))[0],
        JSON.stringify(filter),
      ).to.equal('bad-params')
    expect(node.requested.every(({ method }) => method === 'eth_blockNumber')).to.equal(true)
    await call('evm_rpc', { method: 'eth_getLogs', params: [{ address, blockHash: wordOf('1') }] })
    await call('evm_rpc', { method: 'eth_getLogs', params: [{ address }] })
    expect(
      node.requested.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => params[0]),
    ).to.deep.equal([
      { address, blockHash: wordOf('1') },
      { address, fromBlock: '0x2329', toBlock: '0x2710' },
    ])
  })

  it("report node failures without the node's address", async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(5000)}${']'.repeat(5000)}}`
    const faults: ReadonlyArray<readonly [answer: Answer, code: string]> = [
      [(_call, response) => (response.writeHead(200).end('<html>'), answered), 'node-failed'],
      [(_call, response) => (response.writeHead(200).end('{"jsonrpc":"2.0","id":1}'), answered), 'node-failed'],
      [(_call, response) => (response.writeHead(500).end('no'), answered), 'node-failed'],
      [(_call, response) => (response.writeHead(429).end(), answered), 'node-busy'],
      [(_call, response) => (response.writeHead(302, { Location: node.url }).end(), answered), 'node-unavailable'],
      [(_call, response) => (response.destroy(), answered), 'node-unavailable'],
      [() => 'x'.repeat(5 * 1024 * 1024), 'node-failed'],
      [() => new RpcRefusal('unknown account'), 'node-refused'],
      [() => ({}), 'node-failed'],
    ]
    for (const [i, [fault, code]] of faults.entries()) {
      answer = fault
      const [reported, text] = await refusal('evm_getBalance', { address })
      expect(reported, `fault ${i}`).to.equal(code)
      expect(text, `fault ${i}`).to.not.include('key-in-path').and.not.include('127.0.0.1')
    }
    answer = (_call, response) => (response.writeHead(200).end(deep), answered)
    expect(await refusal('evm_rpc', { method: 'web3_clientVersion' })).to.deep.equal([
      'node-failed',
      'The response of the EVM node is nested too deeply.',
    ])
  })

  it('time out when a node does not answer, and cancel the call when the caller disconnects', async () => {
    const waiting = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    answer = (_call, response) => {
      waiting.resolve()
      void once(response, 'close').then(() => gone.resolve())
      return answered
    }
    const disconnect = new AbortController()
    const left = client.call('evm_getBalance', { address }, disconnect.signal).catch((error: unknown) => error)
    await waiting.promise
    disconnect.abort()
    await gone.promise
    expect(await left).to.be.an('error')

    const impatient = new RpcNode({ url: node.url, timeoutMs: 20, maxConcurrent: 1 })
    const { signal } = new AbortController()
    const first = impatient.call('eth_chainId', [], signal).catch((error: unknown) => error)
    expect(await impatient.call('eth_chainId', [], signal).catch((error: unknown) => error)).to.include({
      code: 'node-busy',
    })
    expect(await first).to.include({ code: 'node-timeout', message: 'The EVM node did not respond within 0.02 s.' })
  })
})
