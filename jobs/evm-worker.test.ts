import { expect } from 'chai'
import type { DecodedBlock, DecodedEvent } from '../src/flow/decoded-block.ts'
import type { PayloadFields } from '../src/flow/payload-value.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow, CollectedRows } from '../test/support/collected-rows.ts'
import { decodedRecording, rangeOf } from '../test/support/decoded-recording.ts'
import { evmNotes, evmTruth } from '../test/support/evm-annotations.ts'
import type { EvmNote, AnnotatedEvmUse } from '../test/support/evm-annotations.ts'
import { evmWorker } from './evm-worker.ts'

const hashesTable = 'app.evm_tx_hashes'
const transactionsTable = 'app.evm_transactions'
const transfersTable = 'app.evm_token_transfers'
const eventType = 'A.f8d6e0586b0a20c7.EVM.TransactionExecuted'

/** One EVM transaction, joined from both tables. */
type Row = CollectedRow

const placeOf = (row: CollectedRow): string => `${String(row['block_height'])} ${String(row['tx_index'])}`
const digits = (address = ''): string => address.replace(/^0x/, '').toLowerCase()
const big = (value: CollectedRow[string] | undefined): bigint => BigInt(String(value ?? 0))

describe('evm_worker', () => {
  let blocks: readonly DecodedBlock[]
  let all: CollectedRows
  let rows: readonly Row[]
  let noted: readonly AnnotatedEvmUse[]

  before(async () => {
    blocks = await decodedRecording('base')
    noted = await evmNotes('base')
    all = collect(evmWorker, rangeOf(blocks, { from: 0, to: blocks.length }))
    const more = all.of(transactionsTable)
    rows = all.of(hashesTable).map((row, i) => ({ ...more[i], ...row }))
  })

  /** Rows of the transactions with a label, and their notes. */
  const ofLabel = (label: RegExp): ReadonlyArray<{ readonly note: EvmNote; readonly ran: readonly Row[] }> => {
    const found = noted
      .filter((one) => label.test(one.label))
      .map(({ height, index, note }) => ({
        note,
        ran: rows.filter((row) => placeOf(row) === `${height} ${index}`),
      }))
    expect(found.length, String(label)).to.be.greaterThan(0)
    return found
  }

  it('reads the recording without a problem, one row per transaction and table', () => {
    expect(all.problems).to.deep.equal([])
    expect(rows).to.have.length(147)
    expect(all.of(transactionsTable)).to.have.length(147)
    const keys = rows.map((row) => `${placeOf(row)} ${String(row['event_index'])}`)
    expect(new Set(keys).size).to.equal(keys.length)
  })

  it('has each transaction with its hash, type, nonce and value', () => {
    for (const { note, ran } of ofLabel(/^evm\/(run|batch-run|several)(?!.*invalid-nonce)/)) {
      const signed = ran.filter((row) => row['tx_type'] !== 255)
      expect(signed.map((row) => [row['evm_hash'], row['tx_type'], row['nonce'], row['evm_value']])).to.deep.equal(
        (note.evm ?? []).map(({ hash, type, nonce, value }) => [digits(hash), type, `${nonce}`, value]),
      )
    }
  })

  it('excludes rejected and reverted transactions', () => {
    for (const { ran } of ofLabel(/invalid-nonce|reverts-all/)) expect(ran).to.deep.equal([])
  })

  it('has the Flow transaction that executed it', () => {
    for (const row of rows) {
      const ran = blocks[Number(row['block_height'])]?.transactions[Number(row['tx_index'])]
      expect(row['tx_id']).to.equal(ran?.id.toString('hex'))
    }
  })

  it('has failures and their reasons', () => {
    for (const { ran } of ofLabel(/run-(revert|out-of-gas)/)) {
      const [failed] = ran
      expect(failed).to.include({ evm_status: 0 })
      expect(failed?.['error_code']).to.be.within(301, 400)
      expect(failed?.['error_message']).to.match(/execution reverted|out of gas|invalid opcode/)
    }
    const succeeded = rows.filter((row) => row['evm_status'] === 1)
    expect(succeeded).to.have.length(123)
    for (const row of succeeded) expect(row).to.include({ error_code: 0, error_message: null })
  })

  it('has contracts created by keys and by COAs', () => {
    for (const { note, ran } of ofLabel(/^evm\/(run|coa)-deploy/)) {
      expect(ran[0]).to.include({ contract_address: digits(note.evm_contract), evm_to: null })
    }
    for (const { note, ran } of ofLabel(/coa-create$/)) {
      expect(ran[0]).to.include({ call_type: 'deploy', contract_address: digits(note.coa), evm_to: digits(note.coa) })
    }
  })

  it('has the selectors of calls, and none of creations and payments', () => {
    for (const { ran } of ofLabel(/deploy|coa-create$|coa-deposit/)) {
      expect(ran.map((row) => row['method_id'])).to.deep.equal(ran.map(() => null))
    }
    const selectors = rows.map((row) => row['method_id']).filter((selector) => selector !== null)
    expect(selectors).to.include('a9059cbb')
    for (const selector of selectors) expect(selector).to.match(/^[0-9a-f]{8}$/)
  })

  it('has direct calls with caller, receiver and amount', () => {
    for (const { note, ran } of ofLabel(/coa-(call|value)/)) {
      expect(ran[0]).to.include({
        tx_type: 255,
        call_type: 'call',
        evm_from: digits(note.from),
        evm_to: digits(note.to),
        evm_value: note.atto ?? '',
      })
    }
    for (const { note, ran } of ofLabel(/coa-deposit|deposit-to-address/)) {
      const amount = `${(note.amount ?? '').replace('.', '').replace(/^0+/, '')}0000000000`
      expect(ran[0]).to.include({ call_type: 'deposit', evm_to: digits(note.to ?? note.coa), evm_value: amount })
    }
    for (const { note, ran } of ofLabel(/coa-withdraw/)) {
      expect(ran[0]).to.include({ call_type: 'withdraw', evm_from: digits(note.coa), evm_value: '1500000000000000000' })
    }
  })

  it('has consecutive nonces for each sender, including direct calls', () => {
    for (const [sender, sent] of Map.groupBy(rows, (row) => row['evm_from'])) {
      const nonces = sent.map((row) => Number(row['nonce']))
      const [first = 0] = nonces
      expect(nonces, String(sender)).to.deep.equal(nonces.map((_, i) => first + i))
      expect(first, String(sender)).to.be.lessThan(2)
    }
  })

  it('has the balances and nonces of the chain', async () => {
    const balances = new Map<string, bigint>()
    const add = (address: CollectedRow[string] | undefined, change: bigint): void => {
      if (typeof address === 'string') balances.set(address, (balances.get(address) ?? 0n) + change)
    }
    for (const row of rows) {
      const value = row['evm_status'] === 1 ? big(row['evm_value']) : 0n
      // Blocks have no base fee, so the coinbase gets all fees.
      const [cap, tip] = [big(row['max_fee_per_gas']), big(row['max_priority_fee_per_gas'])]
      const price = row['gas_price'] === null ? (cap < tip ? cap : tip) : big(row['gas_price'])
      add(row['evm_from'], -value - price * big(row['evm_gas_used']))
      add(row['evm_to'], value)
    }
    const { holders } = await evmTruth('base')
    expect(Object.keys(holders).length).to.be.greaterThan(5)
    for (const [address, { attoflow = '', nonce = '' }] of Object.entries(holders)) {
      const sent = rows.filter((row) => row['evm_from'] === digits(address)).length
      // A Cadence-owned account is a contract, whose nonces begin with 1.
      const first = digits(address).startsWith('0'.repeat(20)) ? 1 : 0
      const found = { attoflow: `${balances.get(digits(address)) ?? 0n}`, nonce: `${first + sent}` }
      expect(found, address).to.deep.equal({ attoflow, nonce })
    }
  })

  it('has the token transfers', async () => {
    const {
      contracts: { Badge = '', Coin = '' },
    } = await evmTruth('base')
    const movedBy = (label: RegExp): readonly CollectedRow[] => {
      const places = new Set(ofLabel(label).flatMap(({ ran }) => ran.map(placeOf)))
      return all.of(transfersTable).filter((row) => places.has(placeOf(row)))
    }
    const [minted] = movedBy(/erc721-mint/)
    expect(minted).to.include({ token: digits(Badge), standard: 721, from_address: null, token_id: '1', amount: '1' })
    const [given] = movedBy(/erc721-transfer/)
    expect(given).to.include({ token: digits(Badge), standard: 721, token_id: '1' })
    expect(given?.['from_address']).to.equal(minted?.['to_address'])
    const [burned] = movedBy(/erc20-burn/)
    expect(burned).to.include({ token: digits(Coin), standard: 20, to_address: null, token_id: null, amount: '45' })
    for (const row of movedBy(/erc20-transfer/)) expect(row).to.include({ token: digits(Coin), standard: 20 })
    expect(movedBy(/erc20-approve|run-logs|revert|value-transfer/)).to.deep.equal([])
  })

  describe('of hand-made events', () => {
    const withEvents = (events: readonly DecodedEvent[], isSystem = false): CollectedRows => {
      const [block] = blocks
      const [transaction] = blocks[1]?.transactions ?? []
      if (block === undefined || transaction === undefined) throw new Error('the recording has a block')
      const transactions = [{ ...transaction, index: 2, isSystem, events }]
      return collect(evmWorker, { from: 0, to: 1, blocks: [{ ...block, transactions }] })
    }
    const fieldsOf = (): PayloadFields => {
      const events = blocks.flatMap(({ transactions }) => transactions.flatMap((transaction) => transaction.events))
      return events.find(({ type }) => type === eventType)?.fields ?? {}
    }

    it('stores the event without an untrusted payload and records a problem', () => {
      const hash = `0x${'11'.repeat(32)}`
      const output = withEvents([{ type: eventType, index: 5, fields: { ...fieldsOf(), hash } }])
      expect(output.of(hashesTable)[0]).to.include({
        evm_hash: '11'.repeat(32),
        evm_from: null,
        evm_to: null,
        evm_value: null,
      })
      expect(output.of(transactionsTable)[0]).to.include({ tx_type: 255, nonce: null, call_type: null })
      expect(output.problems.map(({ code, txIndex, eventIndex }) => ({ code, txIndex, eventIndex }))).to.deep.equal([
        { code: 'evm-hash-mismatch', txIndex: 2, eventIndex: 5 },
      ])
    })

    it('records a problem and no row for a malformed event', () => {
      const { hash: _, ...fields } = fieldsOf()
      const output = withEvents([{ type: eventType, index: 5, fields }])
      expect(output.of(hashesTable)).to.deep.equal([])
      expect(output.problems).to.deep.equal([
        {
          blockHeight: 0,
          txIndex: 2,
          eventIndex: 5,
          eventType,
          code: 'evm-event-shape',
          message: 'field hash has the wrong number of hex digits',
        },
      ])
    })

    it('includes system transactions that run scheduled transactions', () => {
      expect(withEvents([{ type: eventType, index: 0, fields: fieldsOf() }], true).of(hashesTable)).to.have.length(1)
    })

    it('ignores contracts of that name in other accounts', () => {
      const type = 'A.0000000000000001.EVM.TransactionExecuted'
      const output = withEvents([{ type, index: 0, fields: fieldsOf() }])
      expect([output.of(hashesTable), output.problems]).to.deep.equal([[], []])
    })

    it('skips events that ingestion recorded as undecodable', () => {
      const output = withEvents([{ type: eventType, index: 0, fields: undefined }])
      expect([output.of(hashesTable), output.problems]).to.deep.equal([[], []])
    })
  })
})
