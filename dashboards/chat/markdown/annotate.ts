import { shownText } from '../../kit/cell-text.ts'
import { columnHint } from './explorer-path.ts'

/** A piece of an answer as the Markdown library has it, as far as it is read here. */
export interface Piece {
  readonly type: string
  value?: string
  readonly tagName?: string
  properties?: Record<string, unknown>
  children?: Piece[]
}

/** All words in a piece. */
export function pieceText(piece: Piece | undefined): string {
  return piece?.value ?? piece?.children?.map(pieceText).join('') ?? ''
}

/**
 * Tells what stands in an answer, for those who show it: columns of numbers, heights and ids. Signs that cannot be seen, or that turn
 * the text, are shown by their code, since names in it are chosen by strangers.
 */
export function annotate() {
  return (root: Piece): void => visit(root)
}

/** What stands before a height. */
const beforeHeight = /(?:\bblocks?|\bheight|区块|高度)(?:\s+(?:is|was|at|height|number|no\.?))?\s*[:：#为是]?\s*$/i

function visit(piece: Piece): void {
  if (piece.type === 'text') piece.value = shownText(piece.value ?? '')
  if (piece.tagName === 'table') annotateTable(piece)
  const children = piece.children ?? []
  for (const [i, child] of children.entries()) {
    const before = children[i - 1]
    if (child.tagName === 'code' && before?.type === 'text' && beforeHeight.test(before.value ?? ''))
      mark(child, 'dataHint', 'height')
    visit(child)
  }
}

/** So short a cell is not broken: a day, an id. */
const shortCell = 24

const numeric = /^[-+−]?[$€¥]?\d[\d,_ ]*(?:\.\d+)?(?:e[+-]?\d+)?\s*(?:%|[A-Za-z]{1,6})?$/

function annotateTable(table: Piece): void {
  const rows = rowsOf(table)
  const [head, ...body] = rows
  for (const [i, name] of (head ?? []).entries()) {
    const cells = body.map((row) => row[i]).filter((cell) => cell !== undefined)
    const texts = cells
      .map((cell) => pieceText(cell).trim())
      .filter((text) => text !== '' && !/^(?:[-–—]|null|n\/a)$/i.test(text))
    const hint = columnHint(pieceText(name).trim())
    for (const cell of cells) if (pieceText(cell).trim().length <= shortCell) mark(cell, 'className', 'short')
    if (hint !== undefined) for (const cell of cells) mark(cell, 'dataHint', hint)
    if (texts.length > 0 && texts.every((text) => numeric.test(text)))
      for (const cell of [name, ...cells]) mark(cell, 'className', 'number')
  }
}

function rowsOf(piece: Piece): Piece[][] {
  if (piece.tagName === 'tr')
    return [(piece.children ?? []).filter(({ tagName }) => tagName === 'th' || tagName === 'td')]
  return (piece.children ?? []).flatMap(rowsOf)
}

function mark(piece: Piece, name: string, value: string): void {
  piece.properties = { ...piece.properties, [name]: value }
}
