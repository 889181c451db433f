export const sections = ['flagged', 'failed', 'skipped', 'errors', 'heights'] as const

/** A list of what may need the operator. */
export type Section = (typeof sections)[number]

/** What of the page is shown; kept in its address, so that a link shows the same to somebody else. */
export interface View {
  readonly section: Section
  readonly worker: string | undefined
  readonly code: string | undefined
  /** The part of the chain in the picture; all of it when absent. */
  readonly span: { readonly from: number; readonly to: number } | undefined
}

/** Reads the view from a query string; what it does not understand it leaves out. */
export function parseView(search: string): View {
  const values = new URLSearchParams(search)
  const section = values.get('show')
  const [from, to] = ['from', 'to'].map((name) => Number.parseInt(values.get(name) ?? '', 10))
  return {
    section: sections.find((name) => name === section) ?? 'flagged',
    worker: values.get('worker') ?? undefined,
    code: values.get('code') ?? undefined,
    span: from !== undefined && to !== undefined && from >= 0 && to > from ? { from, to } : undefined,
  }
}

/** The query string of a view; empty for the one that is shown at first. */
export function formatView({ section, worker, code, span }: View): string {
  const values = new URLSearchParams()
  if (section !== 'flagged') values.set('show', section)
  if (worker !== undefined) values.set('worker', worker)
  if (code !== undefined) values.set('code', code)
  if (span !== undefined) {
    values.set('from', String(span.from))
    values.set('to', String(span.to))
  }
  return values.size === 0 ? '' : `?${values.toString()}`
}
