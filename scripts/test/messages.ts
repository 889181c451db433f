export interface TestCounts {
  readonly passed: number
  /** Tests and hooks. */
  readonly failed: number
  readonly skipped: number
  readonly failedFiles: readonly string[]
  readonly isOpen: boolean
  readonly isStopped: boolean
}

export const noTests: TestCounts = {
  passed: 0,
  failed: 0,
  skipped: 0,
  failedFiles: [],
  isOpen: false,
  isStopped: false,
}

export function isTestCounts(message: unknown): message is TestCounts {
  return typeof message === 'object' && message !== null && 'passed' in message && 'failed' in message
}

export function addCounts(one: TestCounts, other: TestCounts): TestCounts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failedFiles: [...new Set([...one.failedFiles, ...other.failedFiles])],
    isOpen: one.isOpen || other.isOpen,
    isStopped: one.isStopped || other.isStopped,
  }
}

export interface LaneOrder {
  readonly file: string | undefined
}

export interface LaneResult {
  readonly counts: TestCounts
  readonly failures: readonly string[]
  readonly ms: number
}

export const endOfFile = '\0'

export function isLaneOrder(message: unknown): message is LaneOrder {
  return typeof message === 'object' && message !== null && !('counts' in message)
}

export function isLaneResult(message: unknown): message is LaneResult {
  return typeof message === 'object' && message !== null && 'counts' in message && 'failures' in message
}

const timeToEnd = 10_000

export function failIfOpen(fail: () => void): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((name) => !['TTYWrap', 'PipeWrap'].includes(name))
    const names = [...new Set(open), ...openSockets()].join(', ')
    console.error(`The tests have ended, but handles are still open: ${names || 'a pipe'}.`)
    fail()
  }, timeToEnd).unref()
}

interface ReportedHandle {
  readonly type: string
  readonly is_active: boolean
  readonly is_referenced?: boolean
  readonly localEndpoint?: { readonly port: number } | null
  readonly remoteEndpoint?: { readonly host: string; readonly port: number } | null
}

/** With ports, since the other side often tells which test opened a socket. */
function openSockets(): string[] {
  const { libuv } = process.report.getReport() as { readonly libuv: readonly ReportedHandle[] }
  return libuv
    .filter((handle) => handle.type === 'tcp' && handle.is_active && handle.is_referenced === true)
    .map(({ localEndpoint, remoteEndpoint }) =>
      remoteEndpoint
        ? `socket from port ${localEndpoint?.port} to ${remoteEndpoint.host}:${remoteEndpoint.port}`
        : `server on port ${localEndpoint?.port}`,
    )
}
