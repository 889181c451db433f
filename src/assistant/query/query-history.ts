import { randomBytes } from 'node:crypto'
import type { QueryTarget } from './query-service.ts'
import { maxStatementLength } from './sql/gate/sql-gate.ts'

export interface HistoryItem {
  readonly id: string
  readonly kind: 'ask' | 'generate_sql' | 'run_sql'
  readonly target: QueryTarget
  readonly question: string | undefined
  readonly sql: string
  readonly rowCount: number | undefined
  readonly error: string | undefined
  readonly at: Date
}

const maxItems = 200
const maxOwners = 100

/** Queries of each token, in memory. */
export class QueryHistory {
  readonly #items = new Map<string, HistoryItem[]>()

  add(owner: string, item: Omit<HistoryItem, 'id' | 'at'>): void {
    const items = this.#items.get(owner) ?? []
    items.push({ ...item, sql: truncated(item.sql), id: randomBytes(8).toString('hex'), at: new Date() })
    if (items.length > maxItems) items.shift()
    this.#items.delete(owner)
    this.#items.set(owner, items)
    if (this.#items.size <= maxOwners) return
    for (const oldest of this.#items.keys()) {
      this.#items.delete(oldest)
      return
    }
  }

  list(
    owner: string,
    page: { readonly limit: number; readonly offset: number; readonly target?: QueryTarget | undefined },
  ): HistoryItem[] {
    const items = (this.#items.get(owner) ?? []).filter(
      ({ target }) => page.target === undefined || target === page.target,
    )
    return items.reverse().slice(page.offset, page.offset + page.limit)
  }

  find(owner: string, id: string): HistoryItem | undefined {
    return this.#items.get(owner)?.find((item) => item.id === id)
  }

  clear(owner: string): void {
    this.#items.delete(owner)
  }
}

function truncated(sql: string): string {
  // A slice would keep the whole string in memory.
  return sql.length <= maxStatementLength ? sql : `${Buffer.from(sql.slice(0, maxStatementLength)).toString()}…`
}
