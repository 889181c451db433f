import { expect } from 'chai'
import type { PayloadFields } from '../payload-value.ts'
import { ContractClaims } from './contract-claims.ts'
import { topShot, usd } from './token-events.test-support.ts'

function wordsOf(minted: readonly PayloadFields[], burned: readonly PayloadFields[], contract = usd): ContractClaims {
  const words = new ContractClaims()
  for (const [index, fields] of minted.entries()) words.minted({ type: `${contract}.TokensMinted`, index, fields })
  for (const [index, fields] of burned.entries()) words.burned({ type: `${contract}.TokensBurned`, index, fields })
  return words
}

describe('ContractClaims', () => {
  it('matches mints up to the claimed amount, or any amount if the contract gives none', () => {
    const words = wordsOf([{ amount: '5.00000000' }, { amount: '1.00000000' }], [])
    expect(['4.00000000', '2.00000000', '1.00000000'].map((amount) => words.isMinted(usd, amount))).to.deep.equal([
      true,
      true,
      false,
    ])
    expect(words.isMinted(topShot, '1.00000000')).to.equal(false)
    const vague = wordsOf([{ amount: '5.00000000' }, { value: 'much' }], [])
    expect(vague.isMinted(usd, '9.00000000') && vague.isMinted(usd, '9.00000000')).to.equal(true)
  })

  it('matches each burn claim once', () => {
    const words = wordsOf([], [{ amount: '5.00000000' }, { amount: 'all' }])
    expect(words.hasBurnEvents(usd)).to.equal(true)
    expect(words.hasBurnEvents(topShot)).to.equal(false)
    expect(words.isBurned(usd, '4.00000000')).to.equal(false)
    expect(words.isBurned(usd, '5.00000000')).to.equal(true)
    expect(words.isBurned(usd, '5.00000000')).to.equal(false)
  })

  it('matches items by any id field, and any item if no field has an id', () => {
    const words = wordsOf([{ ids: ['1', '2'], by: '0x00000000000000a1' }], [{ momentID: '3', serial: '9' }], topShot)
    expect(['1', '2', '3'].map((id) => words.isItemMinted(topShot, id))).to.deep.equal([true, true, false])
    expect(['1', '3'].map((id) => words.isItemBurnt(topShot, id))).to.deep.equal([false, true])
    expect(wordsOf([{ by: '0x00000000000000a1' }], [], topShot).isItemMinted(topShot, '4')).to.equal(true)
    expect(words.isItemBurnt(usd, '3')).to.equal(false)
  })
})
