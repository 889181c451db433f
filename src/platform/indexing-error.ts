/** An input that could not be decoded or derived, and still cannot: an open row of raw.indexing_errors. */
export interface IndexingError {
  readonly id: number
  /** Ingester or worker that met it. */
  readonly worker: string
  readonly height: number
  /** -1 where it concerns the block. */
  readonly txIndex: number
  /** -1 where it concerns the transaction. */
  readonly eventIndex: number
  readonly code: string
  readonly message: string
  readonly eventType: string | null
  readonly occurrences: number
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
}

/** Where a page of errors begins: after the one with these values. */
export interface ErrorPlace {
  readonly lastSeenMicros: number
  readonly id: number
}

/** An error of a page. */
export interface ListedError extends IndexingError, ErrorPlace {}
