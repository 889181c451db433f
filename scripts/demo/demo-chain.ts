import type { AccountLabel } from '../../src/explorer/admin/labels.ts'
import type { SampleScript } from '../../simnode/ledger/scripts/sample-scripts.ts'

export interface DemoChain {
  /** `host:port`. */
  readonly endpoint: string
  readonly introduction: string
  readonly labels: readonly Omit<AccountLabel, 'isBuiltIn'>[]
  readonly samples: readonly SampleScript[]
  readonly variables: Readonly<Record<string, string>>
  /** Rejects when the node fails; never resolves. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

export function editorVariables(api: string): Readonly<Record<string, string>> {
  return { EDITOR_NETWORKS: 'emulator', EDITOR_EMULATOR_API: api }
}

export const blockMs = 800
export const pastDays = 21
export const dayMs = 86_400_000
