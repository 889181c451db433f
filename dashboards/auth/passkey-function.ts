import type { FullAuthOptions } from './auth-options.ts'
import { callJson, jsonBody, WalletProblem } from './problem.ts'

/**
 * Calls the passkey function.
 * @param accessToken of who asks, where the endpoint wants a session
 * @throws WalletProblem with the code of the function
 */
export async function callFunction<Data>(
  { passkeyAuthUrl }: Pick<FullAuthOptions, 'passkeyAuthUrl'>,
  endpoint: string,
  data: unknown,
  accessToken?: string,
): Promise<Data> {
  const call = jsonBody({ endpoint, data })
  const answer = await callJson<{
    readonly success?: boolean
    readonly data?: Data
    readonly error?: { readonly code?: string; readonly message?: string }
  }>(passkeyAuthUrl, {
    ...call,
    headers: {
      'content-type': 'application/json',
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    },
  })
  // A function of somebody else may answer refusals with status 200.
  if (answer.success !== true || answer.data === undefined)
    throw new WalletProblem(
      400,
      answer.error?.code ?? 'UNKNOWN_ERROR',
      answer.error?.message ?? 'The passkey function gave no answer.',
    )
  return answer.data
}
