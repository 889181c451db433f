import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { ChainAccount, ChainAccountKey } from '../../flow/chain-reader.ts'
import { RecoveryContract } from './recovery-contract.ts'

const address = '0x1d7e57aa55817448'
const code = readFileSync(new URL('cadence/FlowfarmRecovery.cdc', import.meta.url))
const key: ChainAccountKey = {
  index: 0,
  publicKey: 'ab'.repeat(64),
  signatureAlgorithm: 2,
  hashAlgorithm: 1,
  weight: 0,
  sequenceNumber: 0,
  isRevoked: false,
}

describe('recovery contract', () => {
  interface Deviations {
    readonly contract?: Buffer
    readonly keys?: readonly ChainAccountKey[]
    readonly delay?: number
    readonly capabilities?: number
    readonly chain?: 'mainnet' | 'testnet' | 'emulator'
  }
  const verify = async ({ contract = code, keys = [], delay = 86_400, ...more }: Deviations): Promise<string> => {
    const { capabilities = 0, chain = 'testnet' } = more
    const account: ChainAccount = {
      address,
      balance: '0.001',
      keys,
      contracts: new Map([['FlowfarmRecovery', contract]]),
    }
    const read = { delay: `${delay}.00000000`, capabilities: String(capabilities) }
    const checked = new RecoveryContract(address, {
      network: 'testnet',
      payer: undefined,
      account: () => Promise.resolve(account),
      script: () => Promise.resolve([read]),
      chain: () => Promise.resolve(chain),
    })
    return checked.verify().then(
      () => 'accepted',
      (error: unknown) => String(error),
    )
  }

  it('is accepted with this code, a day of delay, and no way to change it', async () => {
    expect(await verify({})).to.equal('accepted')
    expect(await verify({ keys: [{ ...key, isRevoked: true }] })).to.equal('accepted')
  })

  it('is refused with other code, a key, a capability, or a shorter delay outside of emulators', async () => {
    expect(await verify({ contract: Buffer.concat([code, Buffer.from(' ')]) })).to.match(/of this version/)
    expect(await verify({ keys: [key] })).to.match(/has a key/)
    expect(await verify({ capabilities: 1 })).to.match(/issued a capability/)
    expect(await verify({ delay: 86_399 })).to.match(/delay of 86399 s \(minimum 86400\)/)
    expect(await verify({ delay: 2, chain: 'mainnet' })).to.match(/has a delay/)
    expect(await verify({ delay: 2, chain: 'emulator' })).to.equal('accepted')
  })
})
