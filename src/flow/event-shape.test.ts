import { expect } from 'chai'
import { eventsOfChunk, fieldsOf, shapeText, EventShapes } from './event-shape.ts'
import type { StoredShape } from './event-shape.ts'
import type { PayloadFields } from './payload-value.ts'

import fc from 'fast-check'

const name = fc.oneof(fc.constantFrom('__proto__', 'amount', 'to'), fc.string({ maxLength: 5 }))
const fields = fc
  .uniqueArray(name, { maxLength: 5 })
  .chain((names) =>
    fc.tuple(...names.map(() => fc.string())).map((values) => fieldsOf({ type: '', fields: names }, values)),
  )
const event = fc.record({ type: fc.string(), fields: fc.option(fields, { nil: undefined }) })

describe('event row', () => {
  it('round-trips its events', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 64 }), fc.nat(9), (events, chunk) => {
        const firstEventIndex = chunk * 64
        const unpacked = eventsOfChunk({
          firstEventIndex,
          shapes: events.map(({ type, fields: byName = {} }) => ({ type, fields: Object.keys(byName) })),
          payloads: JSON.stringify(
            events.map(({ fields: byName }) => (byName === undefined ? null : Object.values(byName))),
          ),
        })
        expect(unpacked.map(({ type, index, fields: byName }) => ({ type, index, fields: byName }))).to.deep.equal(
          events.map((one, i) => ({ type: one.type, index: firstEventIndex + i, fields: one.fields })),
        )
      }),
    )
  })

  it('is parsed once, on the first access to the fields of an event', () => {
    const [first, second] = eventsOfChunk({
      firstEventIndex: 0,
      shapes: [
        { type: 'A', fields: [] },
        { type: 'B', fields: ['x'] },
      ],
      payloads: 'no JSON',
    })
    expect([first?.type, second?.type]).to.deep.equal(['A', 'B'])
    expect(() => first?.fields).to.throw(SyntaxError)
    const [one] = eventsOfChunk({ firstEventIndex: 0, shapes: [{ type: 'B', fields: ['x'] }], payloads: '[["1"]]' })
    expect(one?.fields).to.deep.equal({ x: '1' })
    expect(one?.fields).to.equal(one?.fields)
  })
})

describe('event shapes', () => {
  const rows: StoredShape[] = [
    { id: 1, type: 'A', fields: ['x'] },
    { id: 2, type: 'A', fields: ['x', 'y'] },
  ]

  it('are loaded once each', async () => {
    const requested: (readonly number[])[] = []
    const shapes = new EventShapes((ids) => {
      requested.push(ids)
      return Promise.resolve(rows.filter(({ id }) => ids.includes(id)))
    })
    const [first = [], second = []] = await shapes.ofAll([[1, 1], [1]])
    expect([...first, ...second].map((shape) => shape.fields)).to.deep.equal([['x'], ['x'], ['x']])
    expect((await shapes.ofAll([[2, 1]]))[0]?.map((shape) => shape.fields)).to.deep.equal([['x', 'y'], ['x']])
    expect(requested).to.deep.equal([[1], [2]])
  })

  it('throw an error if one is not stored', async () => {
    const shapes = new EventShapes((ids) => Promise.resolve(rows.filter(({ id }) => ids.includes(id))))
    const error: unknown = await shapes.ofAll([[1, 3]]).catch((thrown: unknown) => thrown)
    expect(String(error)).to.equal('Error: Could not read event shape 3: raw.event_shapes has no such row')
  })

  it('are all returned during concurrent loads, even with a small cache', async () => {
    const requested: (() => void)[] = []
    const shapes = new EventShapes(
      (ids) =>
        new Promise((resolve) => {
          requested.push(() => resolve(rows.filter(({ id }) => ids.includes(id))))
        }),
      1,
    )
    const both = [shapes.ofAll([[1, 2]]), shapes.ofAll([[2]]), shapes.ofAll([[2, 1]])]
    for (const answer of requested.toReversed()) answer()
    expect((await Promise.all(both)).map((lists) => lists.flat().map(({ fields }) => fields.length))).to.deep.equal([
      [1, 2],
      [2],
      [2, 1],
    ])
    const again = shapes.ofAll([[1]])
    expect(requested).to.have.lengthOf(4)
    requested.at(-1)?.()
    expect(await again).to.deep.equal([[{ type: 'A', fields: ['x'] }]])
  })

  it('have equal text only if they are equal', () => {
    const shape = fc.record({
      type: fc.string({ maxLength: 3 }),
      fields: fc.array(fc.constantFrom('a', 'b', 'a","b', ''), { maxLength: 3 }),
    })
    fc.assert(
      fc.property(shape, shape, (one, other) => {
        expect(shapeText(one) === shapeText(other)).to.equal(JSON.stringify(one) === JSON.stringify(other))
      }),
    )
  })

  it('preserve a field name that objects inherit', () => {
    const byName: PayloadFields = fieldsOf({ type: 'A', fields: ['__proto__'] }, ['1'])
    expect(Object.keys(byName)).to.deep.equal(['__proto__'])
  })
})
