import MiniSearch from 'minisearch'
import type { Network } from '../../flow/network.ts'
import { oncePerProcess } from '../../platform/service.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { openNetwork } from '../network.ts'
import { openSkills } from '../open-skills.ts'
import { readDocumentPages, readSections } from './doc-sections.ts'
import type { DocSection, SourceDocument } from './doc-sections.ts'
import { scriptReference } from './script-reference.ts'
import { questionTerms, searchTerms } from './search-terms.ts'

export interface FoundSection {
  readonly id: string
  readonly title: string
  readonly above: readonly string[]
  readonly snippet: string
}

export interface ListedDocument {
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly sections: number
  readonly characters: number
}

export interface ListedSection {
  readonly id: string
  readonly title: string
  readonly level: number
  readonly characters: number
}

const snippetCharacters = 300
const summaryCharacters = 160
const weights: ReadonlyArray<readonly [prefix: string, weight: number]> = [
  ['skills/', 2],
  ['reference/', 2],
  ['docs/decisions', 0.5],
  ['docs/contributing', 0.5],
  ['docs/readme', 0.2],
]
/** Indexing all at once blocks the event loop for half a second. */
const chunkSections = 25
const commonWords: ReadonlySet<string> = new Set(
  `a an and are as at be by can do does for from has have how i in is it its me my of on or so that the their
  there this to what when where which who why will with you your`.split(/\s+/),
)

export class DocLibrary {
  readonly #sections: ReadonlyMap<string, DocSection>
  readonly #byDocument: ReadonlyMap<string, readonly DocSection[]>
  readonly #index: MiniSearch<DocSection>

  private constructor(documents: readonly SourceDocument[]) {
    this.#byDocument = new Map(documents.map((document) => [document.id, readSections(document)]))
    this.#sections = new Map([...this.#byDocument.values()].flat().map((section) => [section.id, section]))
    this.#index = new MiniSearch<DocSection>({
      fields: ['title', 'above', 'text'],
      idField: 'id',
      extractField: (section, field) =>
        field === 'above' ? section.above.join(' ') : section[field as 'id' | 'title' | 'text'],
      tokenize: searchTerms,
      processTerm: (term) => (commonWords.has(term) ? null : stemOf(term)),
    })
  }

  static async of(documents: readonly SourceDocument[]): Promise<DocLibrary> {
    const library = new DocLibrary(documents)
    await library.#index.addAllAsync([...library.#sections.values()], { chunkSize: chunkSections })
    return library
  }

  search(question: string, max: number): FoundSection[] {
    const found = this.#index.search(question, {
      tokenize: questionTerms,
      boost: { title: 4, above: 1.5 },
      combineWith: 'OR',
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      boostDocument: (id) => weights.find(([prefix]) => String(id).startsWith(prefix))?.[1] ?? 1,
    })
    return found.slice(0, max).flatMap(({ id, terms }) => {
      const section = this.#sections.get(String(id))
      return section === undefined
        ? []
        : [{ id: section.id, title: section.title, above: section.above, snippet: snippetOf(section.text, terms) }]
    })
  }

  documents(): ListedDocument[] {
    return [...this.#byDocument].map(([id, sections]) => ({
      id,
      title: sections[0]?.title ?? id,
      summary: summaryOf(sections),
      sections: sections.length,
      characters: sections.reduce((sum, { text }) => sum + text.length, 0),
    }))
  }

  contents(document: string): ListedSection[] | undefined {
    return this.#byDocument
      .get(document)
      ?.map(({ id, title, level, text }) => ({ id, title, level, characters: text.length }))
  }

  read(id: string): { readonly title: string; readonly text: string } | undefined {
    const section = this.#sections.get(id)
    if (section === undefined) return undefined
    const all = this.#byDocument.get(section.document) ?? []
    const from = all.indexOf(section)
    const rest = all.slice(from + 1)
    const next = from === 0 ? -1 : rest.findIndex(({ level }) => level <= section.level)
    return {
      title: section.title,
      text: [section, ...(next < 0 ? rest : rest.slice(0, next))].map(({ text }) => text).join('\n\n'),
    }
  }

  nearest(id: string): string[] {
    const before = id.split('#', 1)[0] ?? ''
    const inDocument = this.#byDocument.get(before)
    const hits = this.search(id.replaceAll(/[/#-]/g, ' '), 5).map((found) => found.id)
    return [
      ...new Set([...(inDocument === undefined ? [] : hits.filter((hit) => hit.startsWith(before))), ...hits]),
    ].slice(0, 3)
  }
}

/** `transactions` finds `transaction`. */
function stemOf(term: string): string {
  if (!/^[a-z]{4,}$/.test(term)) return term
  if (term.endsWith('ies')) return `${term.slice(0, -3)}y`
  return term.endsWith('s') && !/(ss|us|is)$/.test(term) ? term.slice(0, -1) : term
}

function snippetOf(text: string, terms: readonly string[]): string {
  const body = text
    .replace(/^#+ .*\n?/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const lower = body.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const first = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - 60)
  const start = first === 0 ? 0 : body.indexOf(' ', first) + 1
  const cut = body.slice(start, start + snippetCharacters)
  return `${start > 0 ? '… ' : ''}${cut}${start + snippetCharacters < body.length ? ' …' : ''}`
}

function summaryOf([first]: readonly DocSection[]): string {
  const text = (first?.text ?? '')
    .replace(/^#+ .*\n?/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text.length > summaryCharacters ? `${text.slice(0, summaryCharacters)}…` : text
}

type Context = ServiceContext<{ readonly SKILLS_DIR: string | undefined }>

/** Pages, skills and the reference of scripts. */
export const openDocLibrary = oncePerProcess(async (context: Context): Promise<() => Promise<DocLibrary>> => {
  const [network, skills, pages] = await Promise.all([openNetwork(context), openSkills(context), readDocumentPages()])
  return libraryOf(network, (now) => [
    ...skills.all.map(({ name, content }) => ({ id: `skills/${name}`, text: content })),
    { id: 'reference/scripts', text: scriptReference(now) },
    ...pages,
  ])
})

/** Built on first use and once again if the network becomes known later. */
export function libraryOf(
  network: () => Network,
  documents: (network: Network) => readonly SourceDocument[],
): () => Promise<DocLibrary> {
  let made: { readonly network: Network; readonly library: Promise<DocLibrary> } | undefined
  return () => {
    const now = network()
    if (made?.network !== now) made = { network: now, library: DocLibrary.of(documents(now)) }
    return made.library
  }
}
