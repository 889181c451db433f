import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface SourceDocument {
  /** Stable: `docs/api`, `skills/cadence`. Lower case, without `#`. */
  readonly id: string
  readonly text: string
}

export interface DocSection {
  /** `docs/api#rate-limits`; the first section has the id of the document. */
  readonly id: string
  readonly document: string
  readonly title: string
  readonly above: readonly string[]
  readonly level: number
  readonly text: string
}

const headingPattern = /^(#{1,6})\s+(\S.*?)\s*#*$/
/** Deeper headings stay in the section above. */
const maxLevel = 3

export function readSections({ id: document, text }: SourceDocument): DocSection[] {
  const sections: { id: string; title: string; above: readonly string[]; level: number; lines: string[] }[] = []
  const used = new Map<string, number>()
  const path: { readonly level: number; readonly title: string }[] = []
  let fence: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark : line.trim().startsWith(fence) ? undefined : fence
    const [, marks = '', title = ''] = (fence === undefined ? headingPattern.exec(line) : null) ?? []
    if (title === '' || marks.length > maxLevel) {
      if (sections.length === 0 && line.trim() !== '')
        sections.push({ id: document, title: document, above: [], level: 1, lines: [] })
      sections.at(-1)?.lines.push(line)
      continue
    }
    while ((path.at(-1)?.level ?? 0) >= marks.length) path.pop()
    const plain = title.replaceAll(/[*`]|\[([^\]]*)\]\([^)]*\)/g, '$1')
    sections.push({
      id: sections.length === 0 ? document : `${document}#${unique(slugOf(plain), used)}`,
      title: plain,
      above: path.map(({ title }) => title),
      level: marks.length,
      lines: [line],
    })
    path.push({ level: marks.length, title: plain })
  }
  return sections.map(({ lines, ...section }) => ({ ...section, document, text: lines.join('\n').trim() }))
}

function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-')
  return slug === '' ? 'section' : slug
}

function unique(slug: string, used: Map<string, number>): string {
  const count = used.get(slug) ?? 0
  used.set(slug, count + 1)
  return count === 0 ? slug : unique(`${slug}-${count}`, used)
}

const folder = join(import.meta.dirname, '../../../docs')

export async function readDocumentPages(): Promise<SourceDocument[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted()
  return Promise.all(
    files.map(async (name) => ({
      id: `docs/${name.slice(0, -'.md'.length).toLowerCase()}`,
      text: await readFile(join(folder, name), 'utf8'),
    })),
  )
}
