import { expect } from 'chai'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRows } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { ftHoldingsWorker } from './ft-holdings-worker.ts'

describe('ft_holdings_worker', () => {
  let blocks: readonly DecodedBlock[]
  let all: CollectedRows
  before(async () => {
    blocks = await decodedRecording('base')
    all = collect(ftHoldingsWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
  })

  it('writes rows in the order of heights and vaults, each vault of a block once', () => {
    const vaults = all
      .of('app.ft_vault_balances')
      .map((row) => `${String(row['block_height']).padStart(9, '0')} ${String(row['vault_uuid']).padStart(20, '0')}`)
    expect(vaults.length).to.be.greaterThan(100)
    expect(vaults).to.deep.equal([...new Set(vaults)].toSorted())
  })

  it('stores the last balance of each vault of a block', () => {
    const ofBlock = all.of('app.ft_vault_balances').filter((row) => row['block_height'] === 9)
    const service = ofBlock.filter((row) => row['vault_uuid'] === 0)
    expect(service).to.have.length(1)
    expect(service[0]).to.include({ owner: 'f8d6e0586b0a20c7', token: 'A.0ae53cb6e3f42a79.FlowToken' })
    const events = blocks[9]?.transactions.flatMap((transaction) => transaction.events)
    const last = events?.findLast(({ fields }) => fields?.['fromUUID'] === '0')
    expect(service[0]?.['balance']).to.equal(last?.fields?.['balanceAfter'])
  })
})
