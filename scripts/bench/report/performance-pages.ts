import { readHistory } from './history.ts'
import type { Growth } from './history.ts'
import { numberText } from './number-text.ts'
import { chartPath, lastFull, pagePath, performancePage } from './performance-page.ts'

/**
 * The page and its picture, by their paths from the root.
 * @param historyText the lines of `historyPath`
 * @throws FatalError `bad-history`
 */
export function performancePages(historyText: string): ReadonlyMap<string, string> {
  const history = readHistory(historyText)
  const last = lastFull(history)
  return new Map([
    [pagePath, performancePage(history)],
    ...(last === undefined ? [] : ([[chartPath, growthChart(last.growth.blocks)]] as const)),
  ])
}

const [width, height] = [760, 320]
const area = { left: 56, right: width - 16, top: 40, bottom: height - 44 }
/** Readable on a light and on a dark page. */
const [ink, grid] = ['#6e7781', '#8c959f44']

type Point = Growth['blocks'][number]

const lines: ReadonlyArray<{
  readonly label: string
  readonly colour: string
  readonly pick: (point: Point) => number
}> = [
  { label: 'flowfarm', colour: '#2f81f7', pick: ({ nodeMs }) => nodeMs },
  { label: 'PostgreSQL', colour: '#2da44e', pick: ({ postgresMs }) => postgresMs },
]

/** What a block cost by how many the database had, as an SVG: straight lines, each point at the middle of its stretch. */
export function growthChart(points: Growth['blocks']): string {
  const most = Math.max(1, ...points.map(({ upTo }) => upTo))
  const dearest = ceiling(Math.max(0.01, ...points.flatMap((point) => lines.map(({ pick }) => pick(point)))))
  const x = (blocks: number): number => area.left + (blocks / most) * (area.right - area.left)
  const y = (ms: number): number => area.bottom - (ms / dearest) * (area.bottom - area.top)
  const parts = [
    text(area.left, 20, 'Processor time of a block, ms, by blocks in the database', 'start', 14),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
      `<line x1="${area.left}" x2="${area.right}" y1="${round(y(part * dearest))}" y2="${round(y(part * dearest))}" stroke="${grid}"/>`,
      text(area.left - 8, y(part * dearest) + 4, part === 0 ? '0' : numberText(part * dearest), 'end'),
      text(
        x(part * most),
        area.bottom + 18,
        Math.round(part * most).toLocaleString('en-US'),
        part === 1 ? 'end' : 'middle',
      ),
    ]),
    ...lines.flatMap(({ label, colour, pick }, i) => [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.map((point, nth) => `${round(x(middle(points, nth)))},${round(y(pick(point)))}`).join(' ')}"/>`,
      `<rect x="${area.left + i * 120}" y="${height - 14}" width="12" height="4" fill="${colour}"/>`,
      text(area.left + 18 + i * 120, height - 8, label, 'start'),
    ]),
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" role="img" aria-label="Cost of a block by the size of the database">`,
    ...parts.map((part) => `  ${part}`),
    '</svg>',
    '',
  ].join('\n')
}

function middle(points: Growth['blocks'], nth: number): number {
  return ((points[nth - 1]?.upTo ?? 0) + (points[nth]?.upTo ?? 0)) / 2
}

/** The next of 1, 2, 4, 8, 10 times a power of ten. */
function ceiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 8, 10].find((step) => step * power >= value) ?? 10) * power
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end', size = 12): string {
  return `<text x="${round(x)}" y="${round(y)}" fill="${ink}" font-size="${size}" text-anchor="${anchor}">${content}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
