import { expect } from 'chai'
import type { DecodedBlock, DecodedTransaction } from '../src/flow/decoded-block.ts'
import { amountField } from '../src/flow/event-fields.ts'
import { ufix64Units } from '../src/flow/tokens/ufix64.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { decodedTransaction } from '../test/support/hand-made-blocks.ts'
import { annotatedTransactions } from '../test/support/recording-annotations.ts'
import type { AnnotatedTransaction } from '../test/support/recording-annotations.ts'
import { txMetricsWorker } from './tx-metrics-worker.ts'

const feesDeducted = 'A.e5a8b7f23e8b548f.FlowFees.FeesDeducted'

describe('tx_metrics_worker', () => {
  let blocks: readonly DecodedBlock[]
  let noted: readonly AnnotatedTransaction[]
  let rows: CollectedRow[]
  const at = (height: number, index: number): CollectedRow | undefined =>
    rows.find((row) => row['block_height'] === height && row['tx_index'] === index)
  const of = (label: string): CollectedRow | undefined => {
    const place = noted.find((one) => one.label === label)
    if (place === undefined) throw new Error(`no transaction is called ${label}`)
    return at(place.height, place.index)
  }

  before(async () => {
    blocks = await decodedRecording('base')
    noted = await annotatedTransactions('base')
    const output = collect(txMetricsWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
    expect(output.problems).to.deep.equal([])
    rows = output.of('app.tx_metrics')
  })

  it('has the fee, its effort values, and the computation if the result has 0', () => {
    expect(of('flow/transfer')).to.deep.include({
      fee: '0.00001000',
      inclusion_effort: '1.00000000',
      execution_effort: '0.00000015',
      gas_used: '15',
      is_gas_from_fee: true,
    })
  })

  it('has a row per user transaction, including failed ones and those without events', () => {
    const users = blocks.flatMap(({ height, transactions }) =>
      transactions.filter(({ isSystem }) => !isSystem).map((transaction) => ({ height, transaction })),
    )
    const silent = users.filter(({ transaction }) => transaction.events.length === 0)
    expect(users.length).to.equal(712)
    expect(silent.length).to.be.greaterThan(0)
    for (const {
      height,
      transaction: { index },
    } of users)
      expect(at(height, index), `${height}.${index}`).to.not.equal(undefined)
    for (const {
      height,
      transaction: { index },
    } of silent) {
      expect(at(height, index)).to.deep.include({ fee: '0.00000000', inclusion_effort: null, gas_used: '0' })
    }
    expect(of('fail/panic')).to.deep.include({ inclusion_effort: '1.00000000' })
  })

  it('has system transactions only if they paid a fee', () => {
    for (const { height, transactions } of blocks) {
      for (const { index, isSystem, events } of transactions) {
        if (!isSystem) continue
        const paid = events.some(({ type }) => type === feesDeducted)
        expect(at(height, index) !== undefined, `${height}.${index}`).to.equal(paid)
      }
    }
  })

  it('adds up to the deducted fees', () => {
    const reported = blocks
      .flatMap(({ transactions }) => transactions)
      .flatMap(({ events }) => events)
      .filter(({ type }) => type === feesDeducted)
      .map(({ fields = {} }) => ufix64Units(amountField(fields)))
    const stored = rows.map((row) => ufix64Units(String(row['fee'])))
    const sum = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
    expect(sum(stored)).to.equal(sum(reported))
  })

  describe('of hand-made transactions', () => {
    const made = (
      more: Partial<DecodedTransaction>,
      height = 0,
    ): { rows: CollectedRow[]; problems: readonly unknown[] } => {
      const block = { height, id: Buffer.alloc(32), timestampUs: 0, transactions: [decodedTransaction(more)] }
      const output = collect(txMetricsWorker, { from: height, to: height + 1, blocks: [block] })
      return { rows: output.of('app.tx_metrics'), problems: output.problems }
    }

    it('includes height 0', () => {
      expect(made({}).rows).to.have.length(1)
    })

    it('uses the computation of the result if present', () => {
      const fields = { amount: '0.00000100', inclusionEffort: '1.00000000', executionEffort: '0.00000026' }
      const {
        rows: [row],
      } = made({ gasUsed: 27n, events: [{ type: feesDeducted, index: 0, fields }] })
      expect(row).to.deep.include({ gas_used: '27', is_gas_from_fee: false })
    })

    it('has neither fee nor computation if the result is unavailable', () => {
      const {
        rows: [row],
      } = made({ statusCode: undefined, gasUsed: undefined })
      expect(row).to.deep.include({ gas_used: null, is_gas_from_fee: false, fee: null, execution_effort: null })
    })

    it('records a problem and no fee for a malformed fee event', () => {
      for (const fields of [
        {},
        { amount: ['0.00000100'] },
        { amount: '1.0' },
        { amount: '0.00000100', executionEffort: null },
      ]) {
        const {
          rows: [row],
          problems,
        } = made({ events: [{ type: feesDeducted, index: 0, fields }] })
        expect(row).to.deep.include({ fee: null, inclusion_effort: null })
        expect(problems).to.have.length(1)
        expect(problems[0]).to.deep.include({
          blockHeight: 0,
          txIndex: 0,
          eventIndex: 0,
          code: 'fee-event-shape',
          eventType: feesDeducted,
        })
      }
    })
  })
})
