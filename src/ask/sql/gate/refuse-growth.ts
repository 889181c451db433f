import { SqlRefusal } from '../sql-refusal.ts'
import type { SyntaxNode } from './syntax-tree.ts'
import { writtenOut } from './written-out.ts'

/** Several times as many nodes as the longest statement has; those of people have less than a hundred. A node takes the planner about 500 bytes. */
const mostNodes = 100_000

/** @throws SqlRefusal `sql-text` when the planner would make something gigantic of a statement that is small */
export function refuseGrowth(select: SyntaxNode): void {
  if (writtenOut(select) <= mostNodes) return
  throw new SqlRefusal(
    'sql-text', 'Expressions of subqueries that are named in others multiply beyond what can be planned: compute them once, with WITH name AS MATERIALIZED (SELECT …).',
  )
}
