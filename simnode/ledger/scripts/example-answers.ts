import { json } from './cadence-json.ts'
import type { ScriptAnswer } from './script-answer.ts'

/** The scripts that assistants are shown as examples. */
export const exampleAnswers = {
  flow_balance: {
    arguments: 1,
    answer: (state, args) => json.ufix64(state.account(args.address(0))?.balance ?? '0.00000000'),
  },
} as const satisfies Record<string, ScriptAnswer>
