import type * as page from '../../dashboards/operator/contract.ts'
import type { ListedLease } from '../../src/farm/leases/operator-leases.ts'
import type { Overview } from '../../src/operator/overview-feed.ts'
import type { IndexingError } from '../../src/platform/db/indexing-errors.ts'

/** What a value is once it was sent as JSON. */
type Sent<T> = T extends Date ? string : T extends object ? { readonly [Key in keyof T]: Sent<T[Key]> } : T

/**
 * The page may import nothing of the program, so it states the answers of the API once more. These assignments make the
 * compiler compare: they do not hold where the API no longer sends what the page reads.
 */
export const answersAsThePageReadsThem = {
  overview: (sent: Sent<Overview>): page.Overview => sent,
  lease: (sent: Sent<ListedLease>): Omit<page.Lease, 'status'> => sent,
  error: (sent: Sent<IndexingError>): page.IndexingError => sent,
}
