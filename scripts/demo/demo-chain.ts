import type { AccountLabel } from '../../src/explorer/admin/labels.ts'
import type { SampleScript } from '../../simnode/ledger/scripts/sample-scripts.ts'

/** A chain that the demo runs on, and the node that serves it. */
export interface DemoChain {
  /** The node, `host:port`. */
  readonly endpoint: string
  /** What is to be said of it first, in a few lines. */
  readonly introduction: readonly string[]
  /** An account that often moves tokens: 0x and 16 hex digits. */
  readonly watched: string
  /** What accounts are known as. */
  readonly labels: readonly Omit<AccountLabel, 'isBuiltIn'>[]
  /** Scripts that the node answers, for the page of the editor. */
  readonly samples: readonly SampleScript[]
  /** Variables that win over those of the environment. */
  readonly variables: Readonly<Record<string, string>>
  /** Rejects when the node fails; never resolves. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** The editor's networks: without the internet there is one. @param api REST of the node */
export function editorVariables(api: string): Readonly<Record<string, string>> {
  return { EDITOR_NETWORKS: 'emulator', EDITOR_EMULATOR_API: api }
}

/** Mainnet makes a block in this time, in milliseconds. */
export const blockMs = 800
/** The past is spread over so many days, so that there is something to see day by day. */
export const pastDays = 21
export const dayMs = 86_400_000
