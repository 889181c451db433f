import type { AccountLabel } from '../../src/explorer/admin/labels.ts'
import type { SampleScript } from '../../simnode/ledger/scripts/sample-scripts.ts'

export interface DemoChain {
  /** The node, `host:port`. */
  readonly endpoint: string
  /** One line of the greeting. */
  readonly introduction: string
  readonly labels: readonly Omit<AccountLabel, 'isBuiltIn'>[]
  /** Scripts that the node supports, offered by the editor. */
  readonly samples: readonly SampleScript[]
  /** These override the environment. */
  readonly variables: Readonly<Record<string, string>>
  /** Rejects when the node fails; never resolves. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** @param api the node's REST address */
export function editorVariables(api: string): Readonly<Record<string, string>> {
  return { EDITOR_NETWORKS: 'emulator', EDITOR_EMULATOR_API: api }
}

/** Mainnet's block time, ms. */
export const blockMs = 800
/** History is spread over these days, so that daily charts have data. */
export const pastDays = 21
export const dayMs = 86_400_000
