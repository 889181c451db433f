import { randomBytes } from 'node:crypto'
import type { QueryTarget } from './query-service.ts'
import { maxStatementLength } from './sql/gate/sql-gate.ts'

/** A query that was asked. */
export interface HistoryItem {
  /** 16 hex digits. */
  readonly id: string
  /** By which call it came. */
  readonly kind: 'ask' | 'generate_sql' | 'run_sql'
  readonly target: QueryTarget
  /** Undefined where SQL was run as it was given. */
  readonly question: string | undefined
  /** What was too long to be run, in part. */
  readonly sql: string
  /** Undefined where nothing was run. */
  readonly rowCount: number | undefined
  /** Why there are no rows. */
  readonly error: string | undefined
  readonly at: Date
}

/** Of each owner. */
const mostItems = 200
/** Owners who have asked nothing for longest are forgotten first. */
const mostOwners = 100

/** The newest queries of each token, in memory, for as long as the process lives. */
export class QueryHistory {
  /** Newest last, as the owners are by their last query. */
  readonly #items = new Map<string, HistoryItem[]>()

  add(owner: string, item: Omit<HistoryItem, 'id' | 'at'>): void {
    const items = this.#items.get(owner) ?? []
    items.push({ ...item, sql: keptText(item.sql), id: randomBytes(8).toString('hex'), at: new Date() })
    if (items.length > mostItems) items.shift()
    this.#items.delete(owner)
    this.#items.set(owner, items)
    if (this.#items.size <= mostOwners) return
    for (const oldest of this.#items.keys()) {
      this.#items.delete(oldest)
      return
    }
  }

  /** Newest first. @param page.target only queries to this database */
  list(
    owner: string,
    page: { readonly limit: number; readonly offset: number; readonly target?: QueryTarget | undefined },
  ): HistoryItem[] {
    const items = (this.#items.get(owner) ?? []).filter(
      ({ target }) => page.target === undefined || target === page.target,
    )
    return items.reverse().slice(page.offset, page.offset + page.limit)
  }

  /** Undefined where this owner has none of that id. */
  find(owner: string, id: string): HistoryItem | undefined {
    return this.#items.get(owner)?.find((item) => item.id === id)
  }

  clear(owner: string): void {
    this.#items.delete(owner)
  }
}

/** A statement that was refused for its length must not be kept whole: two hundred of them would fill the memory. */
function keptText(sql: string): string {
  // A part of a string keeps all of it in memory; a copy does not.
  return sql.length <= maxStatementLength ? sql : `${Buffer.from(sql.slice(0, maxStatementLength)).toString()}…`
}
