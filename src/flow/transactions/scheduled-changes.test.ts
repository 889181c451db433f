import { expect } from 'chai'
import { decodedTransaction } from '../../../test/support/hand-made-blocks.ts'
import type { DecodedBlock, DecodedTransaction } from '../decoded-block.ts'
import type { PayloadFields } from '../payload-value.ts'
import { readScheduledChanges } from './scheduled-changes.ts'
import type { ScheduledChange } from './scheduled-changes.ts'

import fc from 'fast-check'

const scheduler = 'A.e467b9dd11fa00df.FlowTransactionScheduler'
const owner = '0x18eb4ee6b3c026d2'
const scriptStart = 'import FlowTransactionScheduler from 0xe467b9dd11fa00df transaction(id: UInt64) { execute { '
const scripts = {
  process: `${scriptStart} s.process() } }`,
  execute: `${scriptStart} s.executeTransaction(id: id) } }`,
  other: '',
}
const common = {
  priority: '1',
  transactionHandlerOwner: owner,
  transactionHandlerTypeIdentifier: 'A.18eb4ee6b3c026d2.Alarm.Handler',
}
const handler = { transactionHandlerUUID: '77', transactionHandlerPublicPath: '/public/alarm' }

type TestEvent = readonly [name: string, fields: PayloadFields | undefined]

function transaction(
  index: number,
  script: keyof typeof scripts,
  events: readonly TestEvent[],
  statusCode: number | undefined = 0,
): DecodedTransaction {
  return decodedTransaction({
    index,
    isSystem: script !== 'other',
    scriptHash: Buffer.from(scripts[script]),
    script: scripts[script],
    statusCode,
    events: events.map(([name, fields], at) => ({ type: `${scheduler}.${name}`, index: at, fields })),
  })
}

function blockOf(transactions: readonly DecodedTransaction[]): DecodedBlock {
  return { height: 1, id: Buffer.alloc(32), timestampUs: 0, transactions }
}

function pending(id: bigint): TestEvent {
  return ['PendingExecution', { ...common, id: String(id), executionEffort: '500', fees: '0.00010000' }]
}

function executed(id: bigint): TestEvent {
  return ['Executed', { ...common, ...handler, id: String(id), executionEffort: '500' }]
}

const brief = ({ kind, id, txIndex, eventIndex }: ScheduledChange): string => `${kind} ${id} ${txIndex}.${eventIndex}`

describe('readScheduledChanges', () => {
  it('reads scheduled and cancelled transactions', () => {
    const scheduled = {
      ...common,
      ...handler,
      id: '9',
      timestamp: '1773528139.00000000',
      executionEffort: '500',
      fees: '0.00011025',
    }
    const canceled = { ...common, id: '9', feesReturned: '0.00005512', feesDeducted: '0.00005513' }
    const { changes, problems } = readScheduledChanges(
      blockOf([transaction(0, 'other', [['Scheduled', scheduled]]), transaction(1, 'other', [['Canceled', canceled]])]),
      'mainnet',
    )
    expect(problems).to.deep.equal([])
    expect(changes).to.deep.equal([
      {
        txIndex: 0,
        eventIndex: 0,
        kind: 'scheduled',
        id: 9n,
        priority: 1,
        handlerOwner: owner,
        handlerType: 'A.18eb4ee6b3c026d2.Alarm.Handler',
        handlerUuid: 77n,
        handlerPublicPath: '/public/alarm',
        dueUs: 1_773_528_139_000_000,
        fees: '0.00011025',
        executionEffort: 500n,
      },
      {
        txIndex: 1,
        eventIndex: 0,
        kind: 'canceled',
        id: 9n,
        priority: 1,
        handlerOwner: owner,
        handlerType: 'A.18eb4ee6b3c026d2.Alarm.Handler',
        feesReturned: '0.00005512',
        feesDeducted: '0.00005513',
      },
    ])
  })

  it("reads the first event version, without the handler's uuid, and the latest, without its type", () => {
    const first = { ...common, id: '1', timestamp: '1.00000000', executionEffort: '500', fees: '0.00011025' }
    const last = { ...common, id: '1', executionEffort: '500', fees: '0.1', transactionHandlerTypeIdentifier: '' }
    const { changes } = readScheduledChanges(
      blockOf([
        transaction(0, 'other', [['Scheduled', first]]),
        transaction(1, 'process', [['PendingExecution', { ...last, fees: '0.10000000' }]]),
      ]),
      'mainnet',
    )
    expect(changes.map(({ handlerUuid, handlerType }) => [handlerUuid, handlerType])).to.deep.equal([
      [undefined, 'A.18eb4ee6b3c026d2.Alarm.Handler'],
      [undefined, undefined],
    ])
  })

  it('finds each execution, whether failed or unavailable', () => {
    const run = fc.record({ id: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), status: fc.constantFrom(0, 1, undefined) })
    const runs = fc.uniqueArray(run, { maxLength: 8, selector: ({ id }) => id })
    fc.assert(
      fc.property(runs, fc.nat(3), (due, users) => {
        const first = Array.from({ length: users }, (_, i) => transaction(i, 'other', []))
        const block = blockOf([
          ...first,
          transaction(
            users,
            'process',
            due.map(({ id }) => pending(id)),
          ),
          ...due.map(({ id, status }, i) =>
            transaction(users + 1 + i, 'execute', status === 0 ? [executed(id)] : [], status),
          ),
          transaction(users + 1 + due.length, 'other', []),
        ])
        const { changes, problems } = readScheduledChanges(block, 'mainnet')
        expect(problems).to.deep.equal([])
        expect(changes.map(brief)).to.deep.equal([
          ...due.map(({ id }, i) => `pending ${id} ${users}.${i}`),
          ...due.flatMap(({ id, status }, i) => {
            if (status === undefined) return []
            return status === 0 ? [`executed ${id} ${users + 1 + i}.0`] : [`failed ${id} ${users + 1 + i}.-1`]
          }),
        ])
      }),
    )
  })

  it('does not guess which execution failed if the due list is missing', () => {
    const { changes, problems } = readScheduledChanges(
      blockOf([
        transaction(0, 'process', [['PendingExecution', undefined], pending(2n)]),
        transaction(1, 'execute', [], 1),
        transaction(2, 'execute', [executed(2n)]),
      ]),
      'mainnet',
    )
    expect(changes.map(brief)).to.deep.equal(['pending 2 0.1', 'executed 2 2.0'])
    expect(problems).to.deep.equal([
      {
        txIndex: 1,
        eventIndex: -1,
        code: 'scheduled-run-unmatched',
        message: '1 runs of scheduled transactions without an event do not match 0 due ones',
      },
    ])
  })

  it('records problems for malformed events', () => {
    const good = { ...common, id: '1', feesReturned: '0.00000001', feesDeducted: '0.00000000' }
    for (const [name, wrong] of [
      ['id', '9223372036854775808'],
      ['id', '-1'],
      ['priority', '256'],
      ['feesReturned', '1'],
      ['feesDeducted', null],
      ['transactionHandlerOwner', null],
      ['transactionHandlerTypeIdentifier', null],
    ] as const) {
      const { changes, problems } = readScheduledChanges(
        blockOf([transaction(0, 'other', [['Canceled', { ...good, [name]: wrong }]])]),
        'mainnet',
      )
      expect(changes, name).to.deep.equal([])
      expect(problems.map(({ code, eventType }) => [code, eventType])).to.deep.equal([
        ['scheduled-event-shape', `${scheduler}.Canceled`],
      ])
    }
  })

  it('ignores other events and contracts of the same name', () => {
    const fields = { ...common, id: '1', feesReturned: '0.00000001', feesDeducted: '0.00000000' }
    const other = { type: 'A.0000000000000bad.FlowTransactionScheduler.Canceled', index: 0, fields }
    const { changes, problems } = readScheduledChanges(
      blockOf([
        { ...transaction(0, 'other', []), events: [other] },
        transaction(1, 'other', [
          ['ConfigUpdated', {}],
          ['ScheduledTransaction.ResourceDestroyed', { id: '1' }],
          ['toString', {}],
        ]),
      ]),
      'mainnet',
    )
    expect([changes, problems]).to.deep.equal([[], []])
  })
})
