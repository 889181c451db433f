import type { DatabasePool } from 'slonik'
import type { RankedContract } from '../contracts/contract-graph.ts'
import type { ContractRow } from '../presenters/contract.ts'
import { readContractGraph } from './contract-graph.ts'
import { readContracts } from './contracts.ts'
import { isSelected } from './contract-selection.ts'
import type { ContractSelection } from './contract-selection.ts'
import type { ContractSpan } from './contracts.ts'

/**
 * Up to `count` contracts of a selection after a place, by how many contracts import them, and those with the same number
 * by identifier; in the other direction all of it is turned around.
 */
export async function listContractsByUsage(
  database: DatabasePool,
  selection: ContractSelection,
  span: Omit<ContractSpan, 'order'>,
): Promise<readonly ContractRow[]> {
  const { isDescending, after, count, withBody } = span
  const { ranked } = await readContractGraph(database)
  const ordered = isDescending ? ranked : ranked.toReversed()
  const rows: ContractRow[] = []
  const place = after && { contract: after.contract, dependents: after.numbers[0] ?? 0 }
  let next = place === undefined ? 0 : firstAfter(ordered, place, isDescending)
  while (rows.length < count && next < ordered.length) {
    const wanted: string[] = []
    for (; wanted.length < count - rows.length && next < ordered.length; next++) {
      const candidate = ordered[next]
      if (candidate !== undefined && isSelected(candidate, selection)) wanted.push(candidate.contract)
    }
    const found = new Map((await readContracts(database, wanted, withBody)).map((row) => [row.contract, row]))
    for (const one of wanted) {
      const row = found.get(one)
      // The graph may be a minute old: what is gone since is left out.
      if (row !== undefined && !row.is_removed) rows.push(row)
    }
  }
  return rows
}

type Rank = Pick<RankedContract, 'contract' | 'dependents'>

/** Where in the order what comes after a place begins, whether the place itself is still in it or not. */
function firstAfter(ordered: readonly Rank[], place: Rank, isDescending: boolean): number {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const one = ordered[middle]
    if (one !== undefined && isBeyond(one, place, isDescending)) high = middle
    else low = middle + 1
  }
  return low
}

function isBeyond(one: Rank, place: Rank, isDescending: boolean): boolean {
  const [before, behind] = isDescending ? [place, one] : [one, place]
  if (one.dependents !== place.dependents) return before.dependents > behind.dependents
  return before.contract < behind.contract
}
