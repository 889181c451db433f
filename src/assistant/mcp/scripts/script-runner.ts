import { z } from 'zod'

/** A node of JSON-CDC: `{"type": "UFix64", "value": "1.00000000"}`. `Void` has no value. Source: Cadence, JSON-Cadence specification. */
export const jsonCdcSchema = z.looseObject(
  { type: z.string('must be the name of a Cadence type') },
  'must be an object with type and value',
)
export type JsonCdc = z.infer<typeof jsonCdcSchema>

/** Which block's state a script sees; without either that of the latest sealed block. */
export interface ScriptBlock {
  readonly height?: number | undefined
  /** 64 hex digits. */
  readonly id?: string | undefined
}

/** Runs Cadence scripts, which read the chain and cannot change it. */
export interface ScriptRunner {
  /**
   * @returns the result as JSON-CDC, as the node gave it
   * @throws the errors of `script-errors.ts`; the signal's reason
   */
  run(script: string, args: readonly JsonCdc[], block: ScriptBlock, signal: AbortSignal): Promise<JsonCdc>
}
