const mebibyte = 1024 * 1024

export interface HostLimits {
  /** For a batch of events. Wall-clock time, so long enough for a busy machine. */
  readonly batchMs: number
  /** For starting a process and loading the code. */
  readonly loadMs: number
  /** After which a process without work ends. */
  readonly idleMs: number
  /** JavaScript objects. */
  readonly heapMib: number
  /** All memory, e.g. buffers. Checked every `checkMs`, on Linux only. */
  readonly residentBytes: number
  readonly checkMs: number
  /** Written by a batch. */
  readonly rows: number
  readonly outputBytes: number
}

export const hostLimits: HostLimits = {
  batchMs: 20_000,
  loadMs: 30_000,
  idleMs: 10_000,
  heapMib: 256,
  residentBytes: 512 * mebibyte,
  checkMs: 100,
  rows: 500_000,
  outputBytes: 64 * mebibyte,
}

/** A frame of events; one event may be larger. */
export const batchBytes = mebibyte

/** A value of a row, in UTF-8. Payloads are limited alike. */
export const maxValueBytes = 16 * mebibyte

/** Parsing one takes 0.2 s at most. */
export const maxFrameBytes = 20 * mebibyte

/** A frame of rows, unless one row is larger. */
export const rowsFrameLength = mebibyte / 2

/** Lines of `console` per batch, and characters of a line. */
export const maxLogLines = 20
export const maxLogLength = 2000

export const maxErrorLength = 4000
