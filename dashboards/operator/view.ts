export const sections = ['flagged', 'failed', 'skipped', 'errors', 'heights'] as const

export type Section = (typeof sections)[number]

export interface View {
  readonly section: Section
  readonly worker: string | undefined
  readonly code: string | undefined
  readonly span: { readonly from: number; readonly to: number } | undefined
}

/** Invalid values are ignored. */
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
