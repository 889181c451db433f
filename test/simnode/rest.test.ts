import { once } from 'node:events'
import { connect } from 'node:net'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import { hexOf } from '../../clients/signing/bytes.ts'
import { createAccount } from '../../clients/signing/transactions/make-transaction.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { sampleScripts } from '../../simnode/ledger/scripts/sample-scripts.ts'
import { publishedPayer } from '../../simnode/ledger/world/account.ts'
import { userOfTurn } from '../../simnode/ledger/world/users.ts'
import { flow } from '../../simnode/ledger/world/tokens.ts'
import { startReplayNode } from '../../simnode/replay/replay-node.ts'
import { NodeClient, passkeyKey, testPayer } from '../support/node-client.ts'
import type { TestKey } from '../support/node-client.ts'
import { recording } from '../support/replay.ts'

type Builder = (...args: never[]) => unknown

/** The part of the SDK that the tests use. */
interface Sdk {
  config(): { put(key: string, value: unknown): unknown }
  send(builders: readonly unknown[], options?: object): Promise<unknown>
  decode(response: unknown): Promise<unknown>
  readonly [builder: string]: unknown
}

const require = createRequire(import.meta.url)
const sdk = require('@onflow/sdk') as Sdk
const { httpTransport } = require('@onflow/transport-http') as { readonly httpTransport: object }

/** A part of an interaction, such as `sdk.getBlock(true)`. */
const part = (name: string, ...args: unknown[]): unknown => (sdk[name] as Builder)(...(args as never[]))

const head = 330
const somebody = userOfTurn(3)

describe('REST API of the simulated node', () => {
  let node: LedgerNode
  const ask = async (...parts: unknown[]): Promise<Record<string, unknown>> =>
    (await sdk.decode(await sdk.send(parts, { node: node.restUrl, transport: httpTransport }))) as Record<
      string,
      unknown
    >

  async function got(path: string, init?: RequestInit): Promise<{ status: number; body: unknown; headers: Headers }> {
    const response = await fetch(`${node.restUrl}${path}`, init)
    return { status: response.status, body: await response.json(), headers: response.headers }
  }

  before(async () => {
    node = await startLedgerNode({ seed: 6, head, hasPayer: true, hasRest: true })
    sdk.config().put('accessNode.api', node.restUrl)
    sdk.config().put('sdk.transport', httpTransport)
  })

  after(() => node.stop())

  /** The SDK's authorization function of an account. */
  const signer =
    (address: string, keyId: number, key: TestKey) =>
    (account: object): object => ({
      ...account,
      tempId: `${address}-${keyId}`,
      addr: address.replace(/^0x/, ''),
      keyId,
      async signingFunction({ message }: { readonly message: string }) {
        // The SDK prepends the tag, which the key also does.
        const { signature, extensionData } = await key.sign(Buffer.from(message, 'hex').subarray(32))
        return {
          addr: address,
          keyId,
          signature: hexOf(signature),
          ...(extensionData === undefined ? {} : { extensionData: hexOf(extensionData) }),
        }
      },
    })

  it('returns blocks to the SDK, by height, by id and the newest', async () => {
    const newest = await ask(part('getBlock', true))
    expect(newest).to.include({ height: head, id: node.chain.block(head).id.toString('hex') })
    expect(Date.parse(String(newest['timestamp']))).to.be.greaterThan(0)
    let height = 300
    while (node.chain.block(height).userTransactionCount === 0) height--
    const older = await ask(part('getBlock'), part('atBlockHeight', height))
    expect(older).to.include({ height, parentId: node.chain.block(height - 1).id.toString('hex') })
    expect(await ask(part('getBlock'), part('atBlockId', older['id']))).to.deep.equal(older)
    expect(await ask(part('getBlockHeader', true))).to.include({ height: head })
    const [{ collectionId }] = older['collectionGuarantees'] as [{ collectionId: string }]
    const { transactionIds } = (await ask(part('getCollection', collectionId))) as { transactionIds: string[] }
    expect(transactionIds[0]).to.equal(node.chain.block(height).transactionIds[0]?.toString('hex'))
  })

  it('returns accounts to the SDK, with keys and contracts, at the newest and earlier blocks', async () => {
    const address = `0x${somebody.hex}`
    const account = await ask(part('getAccount', address))
    expect(account['balance']).to.equal(Number(node.chain.stateAt(head).vaults.balance(flow, somebody)))
    expect(account['keys']).to.have.length.greaterThan(0)
    expect((account['keys'] as object[])[0]).to.include({
      index: 0,
      signAlgoString: 'ECDSA_P256',
      hashAlgoString: 'SHA3_256',
      weight: 1000,
      revoked: false,
    })
    const before = await ask(part('getAccount', address), part('atBlockHeight', 200))
    expect(before['balance']).to.equal(Number(node.chain.stateAt(200).vaults.balance(flow, somebody)))
    const { contracts } = (await ask(part('getAccount', '0xf8d6e0586b0a20c7'))) as { contracts: Record<string, string> }
    expect(contracts['NonFungibleToken']).to.include('contract interface NonFungibleToken')
    const reported = await got(`/v1/accounts/${somebody.hex}/balance`)
    expect(reported.body).to.deep.equal({ balance: String(account['balance']) })
    expect((await got(`/v1/accounts/${somebody.hex}/keys/0?block_height=${head}`)).body).to.include({
      index: '0',
      weight: '1000',
    })
    expect((await got(`/v1/accounts/${somebody.hex}`)).body).to.not.have.any.keys('keys', 'contracts')
  })

  it('runs every sample script for the SDK, at the newest and earlier blocks', async () => {
    const given = async (name: string, ...at: unknown[]): Promise<unknown> => {
      const { code, arguments: args } = sampleScripts.find((one) => one.name === name) ?? { code: '', arguments: [] }
      const encoded = args.map(({ type, value }) =>
        part('arg', value, { label: type, asArgument: (one: unknown) => ({ type, value: one }), asInjection: String }),
      )
      return ask(part('script', code), part('args', encoded), ...at)
    }
    const balance = node.chain.stateAt(head).vaults.balance(flow, somebody)
    expect(Number(await given('flow-balance'))).to.equal(Number(balance) / 1e8)
    expect(await given('block-height')).to.equal(String(head))
    expect(await given('block-height', part('atBlockHeight', 210))).to.equal('210')
    expect(await given('block-height', part('atBlockId', node.chain.block(220).id.toString('hex')))).to.equal('220')
    for (const { name } of sampleScripts) expect(await given(name), name).to.have.length.greaterThan(0)
  })

  it("accepts an SDK transaction signed by a payer's key, and one signed by a passkey", async () => {
    const payer = testPayer(2)
    const key = passkeyKey()
    const run = async (
      code: { readonly script: string; readonly arguments: readonly string[] },
      address: string,
      keyId: number,
      by: TestKey,
    ): Promise<string> => {
      const authorization = signer(address, keyId, by)
      const args = code.arguments
        .map((one) => JSON.parse(one) as { type: string; value: unknown })
        .map(({ type, value }) =>
          part('arg', value, {
            label: type,
            asArgument: (given: unknown) => ({ type, value: given }),
            asInjection: String,
          }),
        )
      const response = (await sdk.send(
        [
          part('transaction', code.script),
          part('args', args),
          part('limit', 1000),
          part('proposer', authorization),
          part('authorizations', [authorization]),
          part('payer', authorization),
        ],
        { node: node.restUrl, transport: httpTransport },
      )) as { readonly transactionId: string }
      return response.transactionId
    }
    const id = await run(
      createAccount('emulator', { ...key, startBalance: 5_00000000n }),
      publishedPayer.address,
      payer.keyIndex,
      payer.key,
    )
    expect(await ask(part('getTransactionStatus', id))).to.include({ statusString: 'PENDING', errorMessage: '' })
    node.advance()
    const made = await ask(part('getTransactionStatus', id))
    expect(made).to.include({
      statusString: 'SEALED',
      status: 4,
      statusCode: 0,
      errorMessage: '',
      blockId: node.chain.block(head + 1).id.toString('hex'),
    })
    const created = (made['events'] as { type: string; data: { address?: string } }[]).find(
      ({ type }) => type === 'flow.AccountCreated',
    )
    const address = created?.data.address ?? ''
    expect(await ask(part('getAccount', address))).to.include({ balance: 5_00100000 })
    expect(await ask(part('getTransaction', id))).to.include({ payer: publishedPayer.address.replace('0x', '') })

    const second = createAccount('emulator', { ...passkeyKey(), startBalance: 0n })
    const byPasskey = await run(second, address, 0, key)
    node.advance()
    expect(await ask(part('getTransactionStatus', byPasskey))).to.include({ statusString: 'SEALED', errorMessage: '' })
    const { envelopeSignatures } = (await ask(part('getTransaction', byPasskey))) as {
      envelopeSignatures: { extensionData: string }[]
    }
    expect(envelopeSignatures[0]?.extensionData).to.match(/^01/)
    // A resubmission is refused.
    const again = await got(`/v1/transactions/${byPasskey}?expand=result`)
    expect(again.body).to.have.nested.property('result.execution', 'Success')
    const resent = await got('/v1/transactions', { method: 'POST', body: JSON.stringify(again.body) })
    expect(resent.status).to.equal(400)
    expect(resent.body).to.have.property('message').that.includes('already been submitted')
  })

  it('returns events of a range of heights and of block ids', async () => {
    const type = `A.${flow.contract.hex}.FlowToken.TokensDeposited`
    const events = (await ask(part('getEventsAtBlockHeightRange', type, 300, 310))) as unknown as {
      blockHeight: number
      blockId: string
    }[]
    expect(new Set(events.map(({ blockHeight }) => blockHeight)).size).to.be.greaterThan(5)
    const { blockId, blockHeight } = events[0] ?? { blockId: '', blockHeight: 0 }
    const ofBlock = (await ask(part('getEventsAtBlockIds', type, [blockId]))) as unknown as unknown[]
    expect(ofBlock).to.deep.equal(events.filter((event) => event.blockHeight === blockHeight))
    expect(
      (await got(`/v1/events?type=${type}&start_height=${head - 1}&end_height=sealed`)).body,
    ).to.have.length.greaterThan(1)
  })

  it('returns the network and node version', async () => {
    expect((await got('/v1/network/parameters')).body).to.deep.equal({ chain_id: 'flow-emulator' })
    // The SDK's request to the emulator.
    expect(await ask(part('getNetworkParameters'))).to.deep.equal({ chainId: 'local' })
    expect(await ask(part('getNodeVersionInfo'))).to.include({ semver: 'v0.0.0', sporkRootBlockHeight: 0 })
  })

  it("rejects requests in the node's format, with the real status codes", async () => {
    const id = 'ab'.repeat(32)
    const script = (code: string): RequestInit => ({
      method: 'POST',
      body: JSON.stringify({ script: Buffer.from(code).toString('base64'), arguments: [] }),
    })
    const refused: [string, number, RegExp, RequestInit?][] = [
      [`/v1/blocks/${id}`, 404, /could not find block/],
      ['/v1/blocks?height=999999', 404, /could not find block at height 999999/],
      ['/v1/blocks?height=minus', 400, /invalid height/],
      ['/v1/blocks', 400, /must provide/],
      ['/v1/blocks?start_height=1&end_height=60', 400, /exceeds maximum/],
      ['/v1/blocks/xyz', 400, /invalid ID/],
      ['/v1/accounts/nobody', 400, /invalid address/],
      ['/v1/accounts/ffffffffffffffff', 404, /could not find account/],
      [`/v1/accounts/${somebody.hex}/keys/99`, 404, /index 99/],
      [`/v1/accounts/${somebody.hex}/keys/-1`, 400, /key index/],
      [`/v1/transactions/${id}`, 404, /could not find transaction/],
      ['/v1/events?type=A.B.C&start_height=1&end_height=251', 400, /exceeds maximum/],
      ['/v1/events?type=A.B.C&start_height=2&end_height=1', 400, /less than or equal/],
      ['/v1/nothing', 404, /unknown path/],
      ['/v1/blocks', 405, /method POST is not allowed/, { method: 'POST', body: '{}' }],
      [
        '/v1/scripts',
        400,
        /simulated nodes run no Cadence.*FLOW balance of an account/,
        script('access(all) fun main() {}'),
      ],
      [
        '/v1/scripts',
        400,
        /takes 1 arguments, not 0/,
        script(sampleScripts.find(({ name }) => name === 'flow-balance')?.code ?? ''),
      ],
      ['/v1/scripts', 400, /badly-formed JSON/, { method: 'POST', body: 'no JSON' }],
      ['/v1/scripts', 400, /invalid script/, { method: 'POST', body: '[]' }],
      ['/v1/scripts', 400, /encoding/, { method: 'POST', body: JSON.stringify({ script: '§' }) }],
      ['/v1/transactions', 400, /invalid transaction/, { method: 'POST', body: '{}' }],
    ]
    for (const [path, status, message, init] of refused) {
      const answer = await got(path, init)
      expect({ path, status: answer.status }).to.deep.equal({ path, status })
      expect(answer.body).to.have.all.keys('code', 'message').and.include({ code: status })
      expect((answer.body as { message: string }).message).to.match(message)
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    }
  })

  it('limits the body size', async () => {
    const answer = await got('/v1/scripts', { method: 'POST', body: 'x'.repeat(4 * 1024 * 1024 + 1) })
    expect(answer).to.include({ status: 413 })
  })

  it('allows CORS preflight requests from any origin', async () => {
    const response = await fetch(`${node.restUrl}/v1/scripts`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://editor.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-wanted',
      },
    })
    expect(response.status).to.equal(204)
    expect(response.headers.get('access-control-allow-origin')).to.equal('*')
    expect(response.headers.get('access-control-allow-methods')).to.include('POST')
    expect(response.headers.get('access-control-allow-headers')).to.equal('content-type,x-wanted')
  })

  it('survives invalid paths and connections', async () => {
    const { port } = new URL(node.restUrl)
    for (const text of [
      'GET //[ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      'GET /v1/blocks/%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      'nonsense\r\n\r\n',
    ]) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.resume().write(text)
      await once(socket, 'close')
    }
    const left = connect(Number(port), '127.0.0.1')
    left.write('POST /v1/scripts HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
    await once(left, 'connect')
    left.destroy()
    expect((await got('/v1/network/parameters')).status).to.equal(200)
  })

  it('applies the faults of the node, and stops at once', async () => {
    await using failing = await startLedgerNode({ head: 20, hasRest: true })
    const url = `${failing.restUrl}/v1/network/parameters`
    failing.inject({ kind: 'status', code: 'UNAVAILABLE', times: 1 })
    expect((await fetch(url)).status).to.equal(503)
    expect((await fetch(url)).status).to.equal(200)
    failing.inject({ kind: 'never-answer' })
    const came = once(failing.events, 'call')
    const waits = fetch(url).then(
      () => 'an answer',
      () => 'cut',
    )
    await came
    await failing.stop()
    expect(await waits).to.equal('cut')
  })

  it('serves a replayed chain up to its last recorded block', async () => {
    await using replayed = await startReplayNode({ recording: await recording('base'), hasRest: true })
    const answer = async (path: string): Promise<unknown> => (await fetch(`${replayed.restUrl}${path}`)).json()
    const [block] = (await answer('/v1/blocks?height=sealed&expand=payload')) as [{ header: { height: string } }]
    expect(block.header.height).to.equal(String(replayed.head))
    expect(await answer('/v1/network/parameters')).to.deep.equal({ chain_id: 'flow-emulator' })
    expect(await answer('/v1/accounts/f8d6e0586b0a20c7?expand=contracts')).to.have.nested.property(
      'contracts.NonFungibleToken',
    )
  })

  it('matches gRPC for an account', async () => {
    await using client = new NodeClient(node.endpoint)
    const { balance } = await client.account(somebody.hex)
    expect((await got(`/v1/accounts/${somebody.hex}/balance`)).body).to.deep.equal({
      balance: String(BigInt(balance.replace('.', ''))),
    })
  })
})
