import type { ClientBase, Pool } from 'pg'

/** A pool, or a connection in the middle of a transaction. */
export type Queryable = Pool | ClientBase
