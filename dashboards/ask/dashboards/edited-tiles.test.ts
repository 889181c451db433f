import { expect } from 'chai'
import { hasSameResult, moveTile, newTileId, putTile, refreshText, tileTitle } from './edited-tiles.ts'
import type { Tile } from './edited-tiles.ts'

const tile = (id: string, more: Partial<Tile> = {}): Tile => ({
  id,
  query_id: 'q',
  title: '',
  parameters: [],
  view: 'table',
  width: 1,
  ...more,
})
const tiles = ['a', 'b', 'c'].map((id) => tile(id))
const idsOf = (all: readonly Tile[]): string => all.map(({ id }) => id).join('')

describe('tiles of a dashboard', () => {
  it('move to the place of another tile, and no further', () => {
    expect(idsOf(moveTile(tiles, 'a', 2))).to.equal('bca')
    expect(idsOf(moveTile(tiles, 'c', 0))).to.equal('cab')
    expect(idsOf(moveTile(tiles, 'b', 1))).to.equal('abc')
    for (const [id, to] of [
      ['a', -1],
      ['c', 3],
      ['x', 0],
    ] as const)
      expect(moveTile(tiles, id, to)).to.equal(tiles)
  })

  it('are added at the end or replaced in place', () => {
    expect(idsOf(putTile(tiles, tile('d')))).to.equal('abcd')
    expect(putTile(tiles, tile('b', { width: 3 })).map(({ width }) => width)).to.deep.equal([1, 3, 1])
    expect(newTileId()).to.match(/^[0-9a-f]{8}$/)
  })

  it('keep their result while query and parameters are the same', () => {
    const parameters = [{ name: 'n', type: 'number', value: '1' }] as const
    expect(hasSameResult(tile('a'), tile('a', { title: 'T', width: 2, view: 'chart' }))).to.equal(true)
    expect(hasSameResult(tile('a'), tile('a', { parameters }))).to.equal(false)
    expect(hasSameResult(tile('a'), tile('a', { query_id: 'other' }))).to.equal(false)
    expect(hasSameResult(undefined, tile('a'))).to.equal(false)
  })

  it('have a title, also without their query', () => {
    expect(tileTitle(tile('a', { title: 'T' }), [])).to.equal('T')
    expect(tileTitle(tile('a'), [])).to.equal('Deleted query')
  })
})

it('writes refresh times in the largest whole unit', () => {
  expect([30, 60, 90, 300, 3600, 86_400].map(refreshText)).to.deep.equal([
    '30 seconds',
    '1 minute',
    '90 seconds',
    '5 minutes',
    '1 hour',
    '24 hours',
  ])
})
