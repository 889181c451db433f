import { ApiError } from '../../base/errors.ts'
import type { ModelState } from '../../llm/model-state.ts'
import { providerFailed } from '../../llm/provider-failure.ts'
import { StreamFailure } from './stream-failure.ts'

export interface ToldFailureOptions {
  readonly state: ModelState
  /** The variable that names the model, for whoever has to mend it. */
  readonly variable: string
  /** The key: whatever a provider says, it is not told. */
  readonly secret?: string | undefined
}

/** Longest words of a provider that are passed on. */
const mostReasonCharacters = 300

/** How providers say that a conversation is longer than what the model can read. */
const tooLong = /too long|too many tokens|context.?(?:length|window|size)|maximum context/i

/** A call of a provider that failed for good, in words for whoever asked. They hold no key. */
export function toldFailure(error: unknown, { state, variable, secret, hasBegun }: ToldFailureOptions & { readonly hasBegun: boolean }): ApiError {
  const told = error instanceof StreamFailure ? brokeOff(state, error, hasBegun) : providerFailed(state, error, variable)
  const text = secret === undefined || secret === '' ? told.message : told.message.replaceAll(secret, '…')
  const remedy = tooLong.test(text) ? ' Begin a new chat, or ask for less at once.' : ''
  return new ApiError(told.status, told.code, `${text}${remedy}`, { cause: told.cause, details: told.details })
}

function brokeOff({ provider, name }: ModelState, error: StreamFailure, hasBegun: boolean): ApiError {
  const reason = error.message.trim().replace(/\.$/, '').slice(0, mostReasonCharacters)
  const text = hasBegun ? `broke off: ${reason}. What it said so far is kept; ask again.` : `failed: ${reason}. Ask again in a moment.`
  return new ApiError(502, 'model-failed', `The model ${provider}/${name} ${text}`, { cause: error })
}
