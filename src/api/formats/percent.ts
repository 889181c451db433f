/** What `part` is of `whole`, in percent with 2 decimals; 0 of nothing. */
export function percentOf(part: number, whole: number): number {
  return ratioOf(part * 100, whole)
}

/** `total` divided by `count`, rounded to 2 decimals; 0 where there is nothing to divide by. */
export function ratioOf(total: number, count: number): number {
  return count === 0 ? 0 : Math.round((total / count) * 100) / 100
}
