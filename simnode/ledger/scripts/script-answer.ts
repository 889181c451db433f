import type { CadenceJson } from './cadence-json.ts'
import type { ScriptArguments } from './script-arguments.ts'
import type { ScriptState } from './script-state.ts'

/** How one script is answered, by the name of its file. */
export interface ScriptAnswer {
  /** How many arguments it takes. */
  readonly arguments: number
  /**
   * @param structId the identifier of a struct that the script declares
   * @throws Refusal INVALID_ARGUMENT where the script would fail
   */
  answer(state: ScriptState, args: ScriptArguments, structId: (name: string) => string): CadenceJson
}
