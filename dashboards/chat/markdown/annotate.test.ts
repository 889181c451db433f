import { expect } from 'chai'
import { annotate, pieceText } from './annotate.ts'
import type { Piece } from './annotate.ts'

const text = (value: string): Piece => ({ type: 'text', value })
const element = (tagName: string, ...children: Piece[]): Piece => ({
  type: 'element',
  tagName,
  properties: {},
  children,
})
const annotated = (piece: Piece): Piece => {
  annotate()(piece)
  return piece
}

describe('what is told of an answer', () => {
  it('is what stands after the word for a block', () => {
    const codes = (before: string) =>
      annotated(element('p', text(before), element('code', text('123')))).children?.[1]?.properties
    for (const before of ['in block ', 'Height: ', '高度 ', '区块为', 'at block number ', 'block #'])
      expect(codes(before), before).to.deep.equal({ dataHint: 'height' })
    for (const before of ['there were ', 'blockade ', 'block explorers say '])
      expect(codes(before), before).to.deep.equal({})
  })

  it('is which columns are numbers, and which are heights', () => {
    const row = (tag: string, ...cells: string[]): Piece =>
      element('tr', ...cells.map((cell) => element(tag, text(cell))))
    const table = annotated(
      element(
        'table',
        element('thead', row('th', 'height', 'name', 'fees')),
        element('tbody', row('td', '12', 'a', '1,234.5'), row('td', '13', '7', '—')),
      ),
    )
    const body = table.children?.[1]?.children?.map((line) => line.children?.map(({ properties }) => properties))
    expect(body?.[0]).to.deep.equal([
      { className: 'number', dataHint: 'height' },
      { className: 'short' },
      { className: 'number' },
    ])
    expect(table.children?.[0]?.children?.[0]?.children?.[2]?.properties).to.deep.equal({ className: 'number' })
  })

  it('shows signs that one would not see', () => {
    expect(pieceText(annotated(element('p', text('a\u202Eb'), element('code', text('\u200Bc')))))).to.equal(
      'a⟨U+202E⟩b⟨U+200B⟩c',
    )
  })
})
