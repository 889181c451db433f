import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { EvmToken } from '../../src/explorer/evm/token-schema.ts'
import { callInput } from '../../src/flow/evm/contract-results.ts'
import { keccak256 } from '../../src/flow/evm/keccak256.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { emulatorProgram, startFlowEmulator } from '../support/flow-emulator.ts'
import type { FlowEmulator } from '../support/flow-emulator.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { NodeClient } from '../support/node-client.ts'
import { untilSealed } from '../support/until-sealed.ts'

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0')
const textWord = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0')
const push2 = (value: number): string => `61${value.toString(16).padStart(4, '0')}`

/** Copies words to memory and returns them. */
function returning(words: readonly string[]): string {
  const stores = words.map((each, i) => `7f${each}60${(32 * i).toString(16).padStart(2, '0')}52`)
  return `${stores.join('')}60${(32 * words.length).toString(16).padStart(2, '0')}6000f3`
}

/** Bytecode that returns constants by signature, and reverts for others. */
function runtime(methods: Readonly<Record<string, readonly string[]>>): string {
  const bodies = Object.entries(methods).map(([signature, words]) => ({
    selector: callInput(signature),
    body: `5b${returning(words)}`,
  }))
  const entryBytes = 11
  let at = 6 + entryBytes * bodies.length + 5
  const entries = bodies.map(({ selector, body }) => {
    const entry = `8063${selector}14${push2(at)}57`
    at += body.length / 2
    return entry
  })
  return `60003560e01c${entries.join('')}60006000fd${bodies.map(({ body }) => body).join('')}`
}

/** Logs the transfer of the supply to an address, and deploys the code. */
function creation(code: string, supply: bigint, holder: string): string {
  const topic = keccak256(Buffer.from('Transfer(address,address,uint256)')).toString('hex')
  const log = `7f${word(supply)}6000527f${word(BigInt(`0x${holder}`))}60007f${topic}60206000a3`
  const size = push2(code.length / 2)
  const start = log.length / 2 + 3 + 3 + 2 + 1 + 3 + 2 + 1
  return `${log}${size}${push2(start)}600039${size}6000f3${code}`
}

const holder = 'cd'.repeat(20)
const supply = 1_234_567_890n
const token = creation(
  runtime({
    'name()': [word(32), word(10), textWord('River Coin')],
    'symbol()': [word(32), word(3), textWord('RIV')],
    'decimals()': [word(6)],
    'totalSupply()': [word(supply)],
  }),
  supply,
  holder,
)

const deploy = `
import EVM from 0xf8d6e0586b0a20c7

transaction(code: String) {
    prepare(signer: auth(SaveValue) &Account) {
        let account <- EVM.createCadenceOwnedAccount()
        let result = account.deploy(code: code.decodeHex(), gasLimit: 2_000_000, value: EVM.Balance(attoflow: 0))
        assert(result.status == EVM.Status.successful, message: result.errorMessage)
        signer.storage.save(<-account, to: /storage/deployer)
    }
}
`

describe('EVM contracts of a Flow emulator', () => {
  let emulator: FlowEmulator
  let database: TestDatabase | undefined
  let client: NodeClient
  let program: FlowfarmProcess
  let api: string

  before(async function (this: Mocha.Context) {
    const path = emulatorProgram()
    if (path === undefined) this.skip()
    emulator = await startFlowEmulator(path)
    client = new NodeClient(emulator.endpoint)
    database = await createTestDatabase()
    program = new FlowfarmProcess(['ingest', 'farm', 'api'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: emulator.endpoint,
      CHAIN_SCRIPT_RPS: '0',
      HOST: '127.0.0.1',
      PORT: '0',
    })
    api = String((await program.logged(/API listening/))['url'])
  })

  after(async () => {
    if (database === undefined) return
    await program.end('SIGTERM')
    await client.close()
    await emulator.stop()
    await database.drop()
  })

  const read = async <Data>(path: string): Promise<Data[]> => {
    const response = await fetch(`${api}${path}`)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { data: Data[] }).data
  }

  it('are also called by accounts of the genesis, whose owners are read from the chain', async () => {
    const coas = async (address: string): Promise<Record<string, unknown>[]> => read(`/flow/coa/${address}`)
    const ofGenesis = await coas(emulator.service.address)
    expect(ofGenesis).to.have.length(1)
    expect(ofGenesis[0]).to.include({ owner_evidence: 'storage', transaction_id: null, block_height: null })
    expect(ofGenesis[0]?.['coa_address']).to.match(/^0x0{23}2[0-9a-f]{16}$/)
  })

  it('are queried for their names and amounts, and addresses for their state', async () => {
    const code = { script: deploy, arguments: [JSON.stringify({ type: 'String', value: token })] }
    const id = await client.send(await client.signed({ code, proposer: emulator.service }))
    expect((await untilSealed(client, id)).error).to.equal('')
    let found: EvmToken | undefined
    while (found?.decimals !== 6) {
      found = (await read<EvmToken>('/flow/evm/token'))[0]
      await delay(100)
    }
    expect(found).to.include({
      name: 'River Coin',
      symbol: 'RIV',
      total_supply: `${supply}`,
      detected_type: 'ERC-20',
      holders: 1,
    })
    const [balance] = await read<object>(`/flow/evm/token/${found.address}/holding`)
    expect(balance).to.include({ value: `${supply}`, amount: '1234.56789' })
    const [account] = await read<Record<string, unknown>>(`/flow/evm/address/${found.address}`)
    expect(account).to.include({ is_contract: true, coin_balance: '0', nonce: '1' })
    const [contract] = await read<{ bytecode: string; size: number }>(`/flow/evm/address/${found.address}/code`)
    expect(token.endsWith(contract?.bytecode.slice(2) ?? 'none')).to.equal(true)
    expect(account?.['code_size']).to.equal(contract?.size)
    const [nobody] = await read<object>(`/flow/evm/address/0x${'99'.repeat(20)}`)
    expect(nobody).to.include({ is_contract: false, coin_balance: '0', nonce: '0', code_size: 0 })
  })
})
