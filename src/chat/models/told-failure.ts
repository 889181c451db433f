import { ApiError } from '../../base/errors.ts'
import { maskedError, type MaskSecrets } from '../../llm/mask-secrets.ts'
import type { ModelState } from '../../llm/model-state.ts'
import { providerFailed } from '../../llm/provider-failure.ts'
import { StreamFailure } from './stream-failure.ts'

export interface ToldFailureOptions {
  readonly state: ModelState
  /** The variable that names the model, for whoever has to mend it. */
  readonly variable: string
  /** `maskSecrets` of the model. */
  readonly maskText: MaskSecrets
}

/** Longest words of a provider that are passed on. */
const mostReasonCharacters = 300

/** How providers say that a conversation is longer than what the model can read. */
const tooLong = /too long|too many tokens|context.?(?:length|window|size)|maximum context/i

/** A call of a provider that failed for good, in words for whoever asked. They hold no key. */
export function toldFailure(
  error: unknown,
  { state, variable, maskText, hasBegun }: ToldFailureOptions & { readonly hasBegun: boolean },
): ApiError {
  const told =
    error instanceof StreamFailure
      ? brokeOff(state, error, maskText, hasBegun)
      : providerFailed(state, error, maskText, variable)
  const remedy = tooLong.test(told.message) ? ' Begin a new chat, or ask for less at once.' : ''
  return new ApiError(told.status, told.code, `${told.message}${remedy}`, { cause: told.cause, details: told.details })
}

function brokeOff(
  { provider, name }: ModelState,
  error: StreamFailure,
  maskText: MaskSecrets,
  hasBegun: boolean,
): ApiError {
  const reason = maskText(error.message).trim().replace(/\.$/, '').slice(0, mostReasonCharacters)
  const text = hasBegun
    ? `broke off: ${reason}. What it said so far is kept; ask again.`
    : `failed: ${reason}. Ask again in a moment.`
  const cause = maskedError(error, maskText)
  return new ApiError(502, 'model-failed', `The model ${provider}/${name} ${text}`, { cause })
}
