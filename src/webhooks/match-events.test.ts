import { expect } from 'chai'
import type { ChainEvent, EventFacets, EventType } from './events.ts'
import { conditionsSchema } from './conditions.ts'
import { matchEvents } from './match-events.ts'
import type { MatchOptions } from './match-events.ts'

const unlimited = Number.POSITIVE_INFINITY

function happened(
  height: number,
  txIndex: number,
  types: readonly EventType[] = ['ft.transfer'],
  facets: EventFacets = {},
): ChainEvent {
  return { types, place: { height, txIndex, eventIndex: 0, leg: 0 }, data: {}, facets }
}

function blocks(count: number): MatchOptions['blocks'] {
  return new Map(Array.from({ length: count }, (_, height) => [height, { height, id: '00', timestamp: new Date(0) }]))
}

describe('matchEvents', () => {
  it('keeps chain order and stops after the block that reaches the limit', async () => {
    const events = [happened(2, 0), happened(1, 1), happened(1, 0), happened(3, 0)]
    const { deliveries, ends } = await matchEvents(events, {
      subscriptions: [{ id: 7, keyId: 1, eventTypes: ['ft.transfer'], conditions: {} }],
      blocks: blocks(4),
      end: 4,
      enough: 2,
      left: new Map([[1, unlimited]]),
    })
    expect(
      deliveries.map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id.split(':').slice(1, 3).join()),
    ).to.deep.equal(['1,0', '1,1'])
    expect([...ends]).to.deep.equal([[7, 2]])
  })

  it('stops for a key at the block that exceeds its hourly limit', async () => {
    const events = [1, 2, 3].flatMap((height) => [happened(height, 0), happened(height, 1)])
    const subscriptions = [
      [1, 10],
      [2, 10],
      [3, 20],
    ].map(([id = 0, keyId = 0]) => ({ id, keyId, eventTypes: ['ft.transfer'], conditions: {} }))
    const { deliveries, ends } = await matchEvents(events, {
      subscriptions,
      blocks: blocks(4),
      end: 10,
      enough: 1000,
      left: new Map([
        [10, 5],
        [20, unlimited],
      ]),
    })
    expect(Object.fromEntries(ends)).to.deep.equal({ 1: 3, 2: 3, 3: 10 })
    expect(
      Map.groupBy(deliveries, (one) => one.subscriptionId)
        .get(1)
        ?.map((one) => one.blockHeight),
    ).to.deep.equal([1, 1, 2, 2])
    expect(deliveries.filter((one) => one.subscriptionId === 3)).to.have.length(6)
  })

  it('continues if the limit is reached exactly', async () => {
    const { ends } = await matchEvents([happened(1, 0)], {
      subscriptions: [{ id: 1, keyId: 10, eventTypes: ['ft.transfer'], conditions: {} }],
      blocks: blocks(2),
      end: 9,
      enough: 1000,
      left: new Map([[10, 1]]),
    })
    expect(Object.fromEntries(ends)).to.deep.equal({ 1: 9 })
  })

  const token = 'A.1654653399040a61.FlowToken'
  const node = 'ab'.repeat(32)
  for (const [conditions, facets, isMet] of [
    [{ addresses: ['0xA1'] }, { from: ['0x00000000000000a1'] }, true],
    [{ addresses: ['a1'], direction: 'in' }, { from: ['0x00000000000000a1'] }, false],
    [{ addresses: ['a1'], direction: 'out' }, { addresses: ['0x00000000000000a1'] }, false],
    [{ tokens: ['A.1654653399040A61.FlowToken.Vault'] }, { tokens: [token] }, true],
    [{ tokens: ['A.0x1654653399040a61.FlowToken'] }, { tokens: [token] }, true],
    [{ tokens: [`${token}.Other`] }, { tokens: [token] }, false],
    [{ min_amount: '0.1' }, { amount: '0.100000000000000000' }, true],
    [{ min_amount: '9007199254740993' }, { amount: '9007199254740992.99999999' }, false],
    [{ min_amount: '1' }, {}, false],
    [
      { pairs: ['A.f3fcd2c1a78f5eee.SwapPair.0000000000000001'] },
      { pairs: ['A.f3fcd2c1a78f5eee.SwapPair.0000000000000001'] },
      true,
    ],
    [{ pairs: ['A.f3fcd2c1a78f5eee.SwapPair'] }, { pairs: ['A.f3fcd2c1a78f5eee.SwapPair.0000000000000001'] }, false],
    [{ nft_ids: ['20', '21'] }, { nftIds: ['21'] }, true],
    [{ nft_ids: ['20'] }, { nftIds: ['2'] }, false],
    [{ nodes: [node] }, { nodes: [node] }, true],
    [{ nodes: [node] }, {}, false],
    [{ roles: ['payer', 'proposer'] }, { roles: ['proposer'] }, true],
    [{ roles: ['payer'] }, { roles: ['authorizer'] }, false],
    [{ event_names: ['mint'], tokens: [token] }, { names: ['mint'], tokens: [token] }, true],
    [{ event_names: ['mint'], tokens: [token] }, { names: ['mint'] }, false],
  ] as const) {
    it(`${isMet ? 'is' : 'is not'} ${JSON.stringify(facets)} for ${JSON.stringify(conditions)}`, async () => {
      const { deliveries } = await matchEvents([happened(1, 0, ['defi.event'], facets)], {
        subscriptions: [
          { id: 1, keyId: 1, eventTypes: ['defi.event'], conditions: conditionsSchema.parse(conditions) },
        ],
        blocks: blocks(2),
        end: 2,
        enough: 10,
        left: new Map([[1, unlimited]]),
      })
      expect(deliveries).to.have.length(isMet ? 1 : 0)
    })
  }

  it('uses the most specific subscribed type', async () => {
    const types = ['account.key.added', 'account.key_change', 'account.event'] as const
    for (const [requested, reported] of [
      [['account.event'], 'account.event'],
      [['account.event', 'account.key.added'], 'account.key.added'],
      [['account.created'], undefined],
    ] as const) {
      const { deliveries } = await matchEvents([happened(1, 0, types)], {
        subscriptions: [{ id: 1, keyId: 1, eventTypes: requested, conditions: {} }],
        blocks: blocks(2),
        end: 2,
        enough: 10,
        left: new Map([[1, unlimited]]),
      })
      expect(deliveries[0]?.eventType).to.equal(reported)
    }
  })
})
