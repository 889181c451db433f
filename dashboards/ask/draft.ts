import type { Chosen } from './chosen.ts'

/**
 * What is in the fields, in the address behind `#`: it survives a reload and can be sent to somebody, and no server sees it. It is only
 * put back there; nothing runs before a person has looked at it.
 */
export function readDraft(hash: string): Chosen {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  return {
    target: values.get('target') === 'evm' ? 'evm' : 'indexer',
    question: values.get('question') ?? '',
    sql: values.get('sql') ?? '',
  }
}

/** The same as it stands in the address; empty where there is nothing. */
export function writeDraft({ target, question, sql }: Chosen): string {
  const values = new URLSearchParams()
  if (target === 'evm') values.set('target', target)
  if (question.trim() !== '') values.set('question', question)
  if (sql.trim() !== '') values.set('sql', sql)
  return values.size === 0 ? '' : `#${values.toString()}`
}
