import { expect } from 'chai'
import fc from 'fast-check'
import { ledgerChain } from '../ledger-node.ts'
import { userOfTurn } from '../world/users.ts'
import { executeScript } from './execute-script.ts'
import { LedgerScriptState } from './script-state.ts'
import { sampleNames, sampleScripts } from './sample-scripts.ts'
import type { SampleScript } from './sample-scripts.ts'
import { encodeJson } from './script-values.ts'

const chain = ledgerChain({ seed: 3 })

function given(source: string, { arguments: args }: Pick<SampleScript, 'arguments'>, height = 250): unknown {
  return JSON.parse(
    executeScript(new LedgerScriptState(chain, height), Buffer.from(source), args.map(encodeJson)).toString(),
  )
}

describe('sample scripts', () => {
  it('return a result at any height', () => {
    expect(sampleScripts.map(({ name }) => name)).to.deep.equal([...sampleNames])
    for (const sample of sampleScripts) {
      for (const height of [0, 99, 250])
        expect(given(sample.code, sample, height), sample.name)
          .to.have.property('value')
          .that.has.length.greaterThan(0)
    }
  })

  it('match the ledger state', () => {
    const [sum, balance, storage, items, supply, staked, block] = sampleScripts.map(
      (sample) => (given(sample.code, sample) as { value: unknown }).value,
    )
    const state = new LedgerScriptState(chain, 250)
    expect(sum).to.equal('5')
    const account = state.account(`0x${userOfTurn(3).hex}`)
    expect([balance, supply, staked, block]).to.deep.equal([
      account?.balance,
      state.network.flowSupply,
      state.network.totalStaked,
      '250',
    ])
    expect(storage).to.deep.equal(
      [account?.storageUsed, account?.storageCapacity].map((value) => ({ value: String(value), type: 'UInt64' })),
    )
    expect(items).to.be.an('array')
  })

  it('return nothing for a collection that an account does not publish', () => {
    const items = sampleScripts.find(({ name }) => name === 'item-ids')
    if (items === undefined) throw new Error('no sample')
    const of = (address: string, path: string): unknown =>
      given(items.code, {
        arguments: [
          { type: 'Address', value: address },
          { type: 'String', value: path },
        ],
      })
    expect(of(`0x${userOfTurn(3).hex}`, 'Elsewhere')).to.deep.equal({ type: 'Array', value: [] })
    expect(of('0xf8d6e0586b0a20c7', 'HeronsCollection')).to.deep.equal({ type: 'Array', value: [] })
  })

  it('are recognized with any comments, white space and import addresses', () => {
    const gap = fc
      .array(fc.constantFrom(' ', '\n', '\t', '// a line "and\n', '/* more /* of */ it */', '/// doc\n'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.constantFrom(...sampleScripts), fc.array(gap, { minLength: 1, maxLength: 8 }), (sample, gaps) => {
        let at = 0
        const spaced = sample.code.replace(/^\/\/.*\n/, '').replaceAll(/\s+/g, () => `${gaps[at++ % gaps.length]}`)
        expect(given(spaced, sample)).to.deep.equal(given(sample.code, sample))
        expect(given(spaced.replace(/0x[0-9a-f]{16}/, '0x1'), sample)).to.deep.equal(given(sample.code, sample))
      }),
    )
  })

  it('add numbers of any size, and reject other values', () => {
    const [add] = sampleScripts
    const of = (...values: string[]): unknown =>
      given(add?.code ?? '', { arguments: values.map((value) => ({ type: 'Int', value })) })
    expect(of('-3', '99999999999999999999999999')).to.deep.equal({ type: 'Int', value: '99999999999999999999999996' })
    for (const value of ['', 'x', '1.5', '9'.repeat(1001)])
      expect(() => of(value, '1'), value).to.throw(/the script takes Int/)
  })

  it('are not recognized with an added word or a changed string', () => {
    for (const sample of sampleScripts) {
      for (const source of [
        `${sample.code}access(all) fun more() {}`,
        sample.code.replace('return', 'return /*'),
        sample.code.replace('main', '"main"'),
      ]) {
        expect(() => given(source, sample), source).to.throw(/simulated nodes run no Cadence/)
      }
    }
  })
})
